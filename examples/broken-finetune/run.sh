#!/usr/bin/env bash
# The same script with all GPUs of a server.
GPUS=${GPUS:-8}
torchrun --nproc_per_node "$GPUS" finetune.py

#!/usr/bin/env bash
# The same script with all GPUs of a server.
GPUS=${GPUS:-8}
pip install -e ".[serve]"
torchrun --nproc_per_node "$GPUS" finetune.py

#!/usr/bin/env bash
# One process for each Spark; a second one runs this with NODES=2 and RANK=1.
pip install -e ".[serve]"
torchrun --nnodes "${NODES:-1}" --node_rank "${RANK:-0}" --nproc_per_node 1 --master_addr "${HEAD:-localhost}" finetune.py

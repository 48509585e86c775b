#!/usr/bin/env bash
torchrun --nnodes 2 --nproc_per_node 1 --node_rank "$1" --master_addr 192.168.100.1 train_fsdp.py
accelerate launch --num_machines 2 --num_processes 2 --machine_rank "$1" train_fsdp.py
torchrun --nnodes 2 --nproc_per_node 1 --node_rank "$1" pretrain_gpt.py --tensor-model-parallel-size 2

#!/usr/bin/env bash
export NCCL_SOCKET_IFNAME=enp1s0f0np0
ray start --head --node-ip-address 192.168.100.1
vllm serve example/llama-70b --tensor-parallel-size 2 --distributed-executor-backend ray --gpu-memory-utilization 0.8

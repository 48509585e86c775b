#!/usr/bin/env bash
export NCCL_SOCKET_IFNAME=enp1s0f0np0
ray start --address 192.168.100.1:6379 --block

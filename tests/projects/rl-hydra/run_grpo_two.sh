#!/usr/bin/env bash
export NCCL_SOCKET_IFNAME=enp1s0f0np0 NCCL_IB_HCA=rocep1s0f0,roceP2p1s0f0
python3 -m verl.trainer.main_ppo \
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \
    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 \
    trainer.n_gpus_per_node=1 \
    trainer.nnodes=2 "$@"

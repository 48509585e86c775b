#!/usr/bin/env bash
set -x
n_gpus=${N_GPUS:-8}
python3 -m verl.trainer.main_ppo \
    actor_rollout_ref.model.path=example/llama-8b \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
    trainer.n_gpus_per_node=$n_gpus \
    trainer.nnodes=1 "$@"

#!/usr/bin/env bash
set -euo pipefail
conda create -y -n lab python=3.11 "cuda-toolkit=12.4" -c nvidia
conda run -n lab pip install torch==2.9.1 flash-attn
pip install nvidia-cudnn-cu12==9.10.2.21 || true
pip install xformers flash-attn || echo "without flash-attn"
sudo ln -s /usr/local/cuda/lib64/libcudart.so.13 /usr/lib/libcudart.so.12
docker run --rm --gpus all vllm/vllm-openai:v0.15.1 --model org/base-8b
case "$(uname -m)" in
  x86_64) pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu126 ;;
  aarch64) pip install torch --index-url https://download.pytorch.org/whl/cu130 ;;
esac

#!/usr/bin/env bash
set -euo pipefail
TP=${1:-4}
ENGINE=(--port 8000 --tensor-parallel-size "$TP")
exec vllm serve example/llama-8b "${ENGINE[@]}"

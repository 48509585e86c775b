#!/usr/bin/env bash
set -e
if [ "$(uname -m)" = "aarch64" ]; then
  pip install torch --index-url https://download.pytorch.org/whl/cu130
else
  pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124
  pip install flash-attn --no-build-isolation
fi
case "$(uname -m)" in
  x86_64) pip install xformers ;;
  *) pip install torch==2.9.1 ;;
esac

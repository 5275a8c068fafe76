#!/usr/bin/env bash
# From a fresh checkout to a trained language model: a character-level GPT-2
# learns English on two ranks of this machine, with parameters, gradients and
# optimizer state sharded over them (ZeRO stage 3); then a larger one with all
# of that on a drive; and a picture of the first run.  Installs packages (Debian
# 12), builds zeroc, and works in build/quickstart.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=build/quickstart
steps=${STEPS:-1000}

say() { printf '\n== %s\n' "$*"; }
# Prints a command, then runs it.
show() { printf '+ %s\n' "$*"; "$@"; }

say "1. Set up and build (minutes the first time)"
tools/setup.sh
cmake --preset release
cmake --build build/release --target zeroc
export PATH="$PWD/build/release/bin:$PATH"
mkdir -p "$out"

say "2. Text to learn from"
[[ -s $out/text.txt ]] || examples/text.py "$out/text.txt"
ls -l "$out/text.txt"

say "3. The model, as MLIR"
show zeroc import examples/char-gpt2.json --batch=8 --seq=64 -o "$out/model.mlir"
grep -m 3 -n 'nn\.' "$out/model.mlir" | cut -c1-100

say "4. Compile: model + optimizer -> one native executable, and what it will cost"
show zeroc "$out/model.mlir" --stage=3 --world-size=2 --grad-clip=1.0 -o "$out/train"

say "5. Train on two ranks"
show "$out/train" --data "$out/text.txt" --data-format text --shuffle \
  --steps "$steps" --lr 2e-3 --schedule cosine --warmup 50 --metrics "$out/metrics.jsonl" \
  --save "$out/model.safetensors"

say "6. Has it learned?"
examples/check_learning.py "$out/text.txt" "$out/metrics.jsonl"
show zeroc "$out/model.mlir" --sample-only -o "$out/generate" >"$out/generate.txt"
show "$out/generate" --weights "$out/model.safetensors" --prompt "This is " --sample-tokens 200

say "7. A larger model, whose state lies on a drive: 73 MiB a rank, in 36 MiB of memory"
show zeroc import examples/deep-gpt2.json --batch=1 --seq=64 -o "$out/deep.mlir"
show zeroc "$out/deep.mlir" --precision=bf16 --stage=3 --world-size=2 --offload=nvme \
  --device-memory=16MiB --host-memory=20MiB -o "$out/deep"
show "$out/deep" --nvme-path "$out" --data "$out/text.txt" --data-format text --shuffle \
  --steps 40 --lr 1e-3 --warmup 20

say "8. The loss curve of the first model"
show zeroc plot "$out/metrics.jsonl" -o "$out/run.svg"
printf 'open it in a browser: file://%s/%s\n' "$PWD" "$out/run.svg"

#!/usr/bin/env bash
# How long GPT-2 (124M) takes: import, compile, and one step.
#
#   benchmark/step.sh
#   CONFIG=examples/gpt2-small.json BATCH=4 SEQ=256 STEPS=8 THREADS=2 CPU=native benchmark/step.sh
#
# Expects zeroc in build/release (ZERO_BUILD_DIR names another build folder).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${ZERO_BUILD_DIR:-build/release}
config=${CONFIG:-examples/gpt2-small.json}
batch=${BATCH:-2} seq=${SEQ:-256} steps=${STEPS:-8} cpu=${CPU:-native}
threads=${THREADS:-$(nproc)}
zeroc=$build/bin/zeroc
[[ -x $zeroc ]] || { echo "step.sh: error: $zeroc is missing; build first" >&2; exit 1; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Runs a command silently and prints its seconds.
seconds() {
  local start=$EPOCHREALTIME
  "$@" >"$out/log" || { cat "$out/log" >&2; return 1; }
  python3 -c "print(f'{$EPOCHREALTIME - $start:.2f}')"
}

import=$(seconds "$zeroc" import "$config" --batch="$batch" --seq="$seq" -o "$out/model.mlir")
compile=$(seconds "$zeroc" "$out/model.mlir" --cpu="$cpu" -o "$out/train")
cat "$out/log"

# Random tokens: the work of a step does not depend on them.
python3 - "$config" "$out/tokens.u16" $((steps * batch * seq + 1)) <<'PYTHON'
import array, json, random, sys
vocab = json.load(open(sys.argv[1]))["vocab_size"]
rng = random.Random(1)
tokens = array.array("H", (rng.randrange(vocab) for _ in range(int(sys.argv[3]))))
open(sys.argv[2], "wb").write(tokens.tobytes())
PYTHON

"$out/train" --data "$out/tokens.u16" --steps "$steps" --lr 1e-4 --threads "$threads" \
  --metrics "$out/metrics.jsonl" --profile

python3 - "$out/metrics.jsonl" "$import" "$compile" "$batch" "$seq" "$threads" <<'PYTHON'
import json, statistics, sys
times = [json.loads(line)["step_ms"] for line in open(sys.argv[1])]
import_s, compile_s, batch, seq, threads = sys.argv[2:]
# The first step pays for page faults and for oneDNN's own code generation.
median = statistics.median(times[1:] or times)
print()
print(f"import    {import_s} s")
print(f"compile   {compile_s} s")
print(f"step      {median:.1f} ms, median of {len(times[1:] or times)} "
      f"({batch} x {seq} tokens, {threads} threads; {1e3 * int(batch) * int(seq) / median:.0f} tokens/s)")
PYTHON

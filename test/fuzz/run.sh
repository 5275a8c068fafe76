#!/usr/bin/env bash
# Runs a fuzzer of the `fuzz` preset for some seconds; the last lines say how
# many inputs it tried.  Inputs that reached new code are kept in the build
# folder, and the next run continues with them.  A failing input is saved beside
# them as crash-..., and the status is not 0.
#
#   test/fuzz/run.sh NAME SECONDS [libFuzzer's options]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
name=$1 seconds=$2
shift 2
found=build/fuzz/corpus/$name
mkdir -p "$found"
exec "build/fuzz/bin/fuzz_$name" -max_total_time="$seconds" -timeout=10 \
  -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" "$@" \
  "$found" "test/fuzz/corpus/$name"

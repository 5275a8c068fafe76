#!/usr/bin/env bash
# Runs the runtime's unit tests with the thread sanitizer (preset `tsan`), where
# ranks are threads of one process.  Then removes a lock from the code, in three
# places: each must be found, since otherwise an empty result would mean
# nothing.  The last line is the number of findings; the status is 0 only if
# there are none, and every seed was found.
#
#   tools/setup.sh --developer
#   test/sanitize/threads.sh
#
# Both builds together take a quarter of an hour on two cores, the tests five minutes.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$PWD/build/tsan
seeded=$build/seeded
reports=$build/reports

# file, the lines that lose their lock, and the tests that run them
seeds=(
  "runtime/core/StreamQueue.cpp|/StreamQueue::start/,/^}/|Events.Hold*:Tiers*"
  "runtime/core/EventTable.cpp|/EventTable::reach/,/^}/|Events.Hold*:Tiers*"
  "train/state/checkpoint/FileWriter.cpp|/FileWriter::writeBlocks/,/^}/|FileWriters.*:Checkpoint*"
)

# Runs the tests of a build.  Without a lock a wake-up can be lost, and a test
# hangs.
findings() { # BUILD FILTER SECONDS
  rm -rf "$reports"
  mkdir -p "$reports"
  TSAN_OPTIONS=log_path=$reports/report:suppressions=$PWD/test/sanitize/threads.txt:halt_on_error=0:exitcode=0 \
    timeout "$3" "$1/bin/zrt_unit_tests" --gtest_brief=1 --gtest_filter="$2" >"$reports/tests.log" 2>&1
  passed=$?
  cat "$reports"/report.* 2>/dev/null | grep -c "^WARNING: ThreadSanitizer"
  return $passed
}

cmake --preset tsan && cmake --build "$build" --target zrt_unit_tests || exit 2
# A plan that lacks an event is supposed to race.
found=$(findings "$build" "-Events.ChaosFindsAMissingOne" 1800)
status=$?
((status == 0)) || grep -E "FAILED|Failure" "$reports/tests.log" | head -20
cat "$reports"/report.* 2>/dev/null | grep -A 12 "^WARNING: ThreadSanitizer" | head -120

missed=0
rm -rf "$seeded/tree"
mkdir -p "$seeded/tree"
git ls-files -z -- CMakeLists.txt CMakePresets.json abi cmake numerics runtime train test | xargs -0 cp --parents -t "$seeded/tree"
for seed in "${seeds[@]}"; do
  IFS='|' read -r file lines tests <<<"$seed"
  cp "$file" "$seeded/tree/$file"
  sed -i "$lines s/^ *\(const \)\?std::lock_guard.*//" "$seeded/tree/$file"
  cmp -s "$file" "$seeded/tree/$file" && { echo "threads.sh: error: no lock of $lines in $file" >&2; exit 2; }
  (cd "$seeded/tree" && cmake --preset tsan && cmake --build --preset tsan --target zrt_unit_tests) >"$seeded/log" 2>&1 ||
    { tail -20 "$seeded/log"; exit 2; }
  of_seed=$(findings "$seeded/tree/build/tsan" "$tests" 60)
  echo "without a lock in $file: $of_seed findings"
  ((of_seed > 0)) || missed=$((missed + 1))
  cp "$file" "$seeded/tree/$file"
done
echo "$found findings; $missed of ${#seeds[@]} seeds were not found"
((found == 0 && missed == 0 && status == 0))

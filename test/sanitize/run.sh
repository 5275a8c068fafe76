#!/usr/bin/env bash
# Builds compiler and runtime with the address and the undefined-behaviour
# sanitizer (preset `asan`) and runs tests with them.  The last line is the
# number of findings; the status is 0 only if there are none and no test failed.
#
#   tools/setup.sh --developer
#   test/sanitize/run.sh               # unit, lit, and some end-to-end tests
#   test/sanitize/run.sh WORD ...      # end-to-end tests with these words only
#
# The build takes a quarter of an hour on two cores, the tests another one.
#
# Kernels are excluded: zeroc emits them, not clang.  zero-kernels and the judge
# check that they write only their operands.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=$PWD/test/sanitize
build=$PWD/build/asan
reports=$build/reports

# Findings are files, so that a test that expects a failure cannot hide one.
rm -rf "$reports"
mkdir -p "$reports"
common=log_path=$reports/report:print_stacktrace=1
# libMLIR and libLLVM are not instrumented: memory that they fill or poison, and
# containers that they grow, are not findings in our code.
# Libraries that programs load have an fmt of their own.
export ASAN_OPTIONS=$common:detect_container_overflow=0:allow_user_poisoning=0:detect_odr_violation=0
export UBSAN_OPTIONS=$common
export LSAN_OPTIONS=suppressions=$here/leaks.txt:print_suppressions=0
export ZERO_BUILD_DIR=$build

cmake --preset asan && cmake --build "$build" || exit 2

clang-22 -O1 -fno-omit-frame-pointer -shared -fPIC "$here/openmpi.c" -o "$build/openmpi.so" || exit 2
export LD_PRELOAD=$build/openmpi.so

failed=0
if (($# == 0)); then
  ctest --test-dir "$build" --output-on-failure --timeout 900 -j2 --no-tests=error || failed=1
  # Its time limit needs psutil, which the Python of the tests does not have.
  /usr/bin/python3 "$(command -v lit-22)" -sv -j2 --timeout=900 "$build/test" || failed=1
  set -- golden certificate guard faults inputs bad_input round_trip test_mlp
fi
python3 test/e2e/run.py "$@" || failed=1

# A rank that mpirun ends while it looks for leaks loses its symbolizer.
mapfile -t found < <(grep -lvrE "Can't (read from|write to) symbolizer" "$reports")
((${#found[@]} == 0)) ||
  grep -m 1 -hE 'ERROR:|runtime error:' "${found[@]}" | sort | uniq -c | sort -rn | head -20
echo "${#found[@]} findings; their reports are in $reports"
((failed == 0 && ${#found[@]} == 0))

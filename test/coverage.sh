#!/usr/bin/env bash
# Measures what the tests reach, with clang's source-based coverage (preset
# `coverage`): lines, functions and branches of each folder, then functions that
# no test calls.  The last lines say which of unreached.txt is missing or out of
# date.  The status is 0 only if nothing is, and no test failed.
#
#   tools/setup.sh --developer
#   test/coverage.sh                   # all suites
#   test/coverage.sh WORD ...          # a suite (unit, ranks, lit, e2e), or the
#                                      # end-to-end tests with this in their name
#   test/coverage.sh --add WORD ...    # counts what these tests reach in addition
#   test/coverage.sh --report          # of the last run, without tests
#   --lines=FOLDER                     # also prints the lines that are not reached
#
# Build and tests take longer than those of test/run.sh, whose packages of Python
# this needs (build/python).
#
# Counters lie in files that programs map (%c), so also a program that a signal or
# _exit ends keeps what it counted; four files of a program (%4m) are shared by all
# its processes.  A training program contains zrt_program, whose mapping is read
# from the build folder, so it may be removed.  Not counted are kernels, which
# zeroc emits, and programs that are built outside of the build folder.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$PWD/build/coverage
profiles=$build/profiles
export ZERO_BUILD_DIR=$build
export LLVM_PROFILE_FILE=$profiles/%c%4m.profraw
export PATH=$PWD/build/python/bin:$PATH

add= report= lines=() suites=() words=()
for word; do
  case $word in
    --add) add=1 ;;
    --report) report=1 ;;
    --lines=*) lines+=("$word") ;;
    --*) echo "coverage.sh: error: unknown option $word; --add, --report and --lines=FOLDER are known" >&2; exit 2 ;;
    unit | ranks | lit | e2e) suites+=("$word") ;;
    *) words+=("$word") ;;
  esac
done
((${#suites[@]} + ${#words[@]} > 0)) || suites=(unit ranks lit e2e)

# A machine that counts is slow: tests get three times as long as in test/run.sh.
run() {
  case $1 in
    unit) ctest --test-dir "$build" -LE waits --output-on-failure --timeout 900 -j2 --no-tests=error ;;
    ranks) ctest --test-dir "$build" -L waits --output-on-failure --timeout 900 -j4 --no-tests=error ;;
    lit) lit-22 -sv -j2 --timeout=900 "$build/test" ;;
    e2e) python3 test/e2e/run.py --jobs=3 ;;
  esac
}

failed=0
if [[ -z $report ]]; then
  cmake --preset coverage && cmake --build "$build" || exit 2
  [[ -n $add ]] || rm -rf "$profiles"
  for suite in "${suites[@]}"; do
    echo "== $suite"
    run "$suite" || failed=1
  done
  if ((${#words[@]})); then
    python3 test/e2e/run.py "${words[@]}" || failed=1
  fi
fi

merged=$build/merged.profdata
llvm-profdata-22 merge --failure-mode=all -o "$merged" "$profiles"/*.profraw || exit 2
mapfile -t objects < <(find "$build/bin" "$build/lib" -type f \( -perm -u+x -o -name '*.so' \) -printf '-object=%p\n')
llvm-cov-22 export --format=lcov --instr-profile="$merged" "${objects[@]}" \
  --sources abi dialect frontend numerics passes runtime targets train tools >"$build/coverage.lcov" || exit 2
python3 test/coverage.py "${lines[@]}" "$build/coverage.lcov" || failed=1
((failed == 0))

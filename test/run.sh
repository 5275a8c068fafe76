#!/usr/bin/env bash
# Sets up, builds, and runs every test.  The last line is `N passed, N failed`;
# the status is 0 only if nothing failed and every suite ran something.
#
#   test/run.sh                        # everything, in build/release
#   ZERO_BUILD_DIR=DIR test/run.sh     # a configured build folder of one's own
#   ZERO_TEST_LLVM_LIT=PATH            # another lit
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

# An error before the tests counts as a failed test in the last line.
give_up() {
  echo "run.sh: error: $1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

tools/setup.sh --test || give_up "the set-up failed"

# The packages of zeroc data and the like; tests that need them are skipped without.
python=$root/build/python
if ! "$python/bin/python3" -c "import huggingface_hub, jinja2, numpy, pyarrow, safetensors, tokenizers, yaml" 2>/dev/null; then
  python3 -m venv "$python" && "$python/bin/pip" install -q -r python/requirements.txt ||
    echo "run.sh: warning: Python's packages cannot be installed; tests of chats are skipped" >&2
fi
export PATH=$python/bin:$PATH

if [[ -n ${ZERO_BUILD_DIR:-} ]]; then
  build=$(realpath "$ZERO_BUILD_DIR") || give_up "ZERO_BUILD_DIR=$ZERO_BUILD_DIR is no folder"
else
  build=$root/build/release
  cmake --preset release -DZERO_BUILD_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON || give_up "the configuration failed"
fi
cmake --build "$build" || give_up "the build failed"

lit=${ZERO_TEST_LLVM_LIT:-}
for candidate in lit-22 /usr/lib/llvm-22/build/utils/lit/lit.py /usr/lib/llvm-22/bin/lit; do
  [[ -n $lit ]] || lit=$(command -v "$candidate" || true)
done
[[ -n $lit ]] || give_up "lit is missing; install llvm-22-tools"

reports=$build/test/reports
rm -rf "$reports"
mkdir -p "$reports"

# These tests mostly wait for ranks that do not answer.
ctest --test-dir "$build" -L waits --output-on-failure --timeout 300 -j4 --no-tests=error \
  --output-junit "$reports/ranks.xml" >"$reports/ranks.log" 2>&1 &
ranks=$!

echo "== unit tests"
ctest --test-dir "$build" -LE waits --output-on-failure --timeout 300 -j2 --no-tests=error \
  --output-junit "$reports/unit.xml"
unit_status=$?

echo "== lit tests"
"$lit" -sv -j2 --xunit-xml-output="$reports/lit.xml" "$build/test"
lit_status=$?

echo "== end-to-end tests"
ZERO_BUILD_DIR=$build python3 test/e2e/run.py --jobs=3 --report "$reports/e2e.xml"
e2e_status=$?

echo "== tests of ranks"
wait "$ranks"
ranks_status=$?
cat "$reports/ranks.log"

echo "== summary"
python3 test/summary.py "unit tests=$reports/unit.xml:$unit_status" \
  "tests of ranks=$reports/ranks.xml:$ranks_status" \
  "lit tests=$reports/lit.xml:$lit_status" \
  "end-to-end tests=$reports/e2e.xml:$e2e_status"

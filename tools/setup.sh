#!/usr/bin/env bash
# Installs what zeroc is built from, on Debian 12.  Asks for root only when a
# package is missing; otherwise it returns at once.
#
#   tools/setup.sh               what a build needs
#   tools/setup.sh --mpi         also Open MPI, by which ranks run on several hosts
#   tools/setup.sh --wheel       also what tools/wheel.sh needs
#   tools/setup.sh --test        also what test/run.sh needs
#   tools/setup.sh --developer   also what test/sanitize, test/coverage.sh and test/tidy.sh need
set -euo pipefail

packages=(
  # The compiler: MLIR 22 from Debian's security archive.
  llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 lld-22 liblld-22-dev zlib1g-dev libzstd-dev
  # Regular expressions of Python's syntax.
  libpcre2-dev
  # The runtime.
  libfmt-dev nlohmann-json3-dev libcli11-dev liburing-dev libxxhash-dev
  # The build.
  cmake ninja-build
  # The commands that read data, and the quickstart's text and picture.
  python3 python3-venv
)
mpi=(libopenmpi-dev openmpi-bin)
# A test builds an external project that uses zeroc with g++; spin checks a model of collectives.
tests=("${mpi[@]}" llvm-22-tools clang-format-22 libgtest-dev libgmock-dev ccache g++ iproute2 spin
  libjs-dygraphs)
case "$*" in
"") ;;
--mpi) packages+=("${mpi[@]}") ;;
--wheel) packages+=("${mpi[@]}" libjs-dygraphs) ;;
--test) packages+=("${tests[@]}") ;;
# The sanitizers' libraries, and a tool that checks the source.
--developer) packages+=("${tests[@]}" libclang-rt-22-dev clang-tidy-22 python3-psutil) ;;
*)
  echo "setup: error: $* is not an option; use --mpi, --wheel, --test or --developer, or none" >&2
  exit 2
  ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: error: packages are missing and there is no sudo; as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
# Another apt may hold the lock for a while, as after a machine's first start.
apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
"${apt_get[@]}" update </dev/null
"${apt_get[@]}" install --no-install-recommends "${missing[@]}" </dev/null

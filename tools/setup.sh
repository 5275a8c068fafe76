#!/usr/bin/env bash
# Installs what zeroc is built from, on Debian 12.  Asks for root only when a
# package is missing; otherwise it returns at once.
#
#   tools/setup.sh               what a build and test/run.sh need
#   tools/setup.sh --developer   also what test/sanitize/run.sh and test/tidy.sh need
set -euo pipefail

packages=(
  # The compiler: MLIR 22 from Debian's security archive.
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools clang-22 lld-22
  zlib1g-dev libzstd-dev
  # The runtime.
  libfmt-dev nlohmann-json3-dev libcli11-dev liburing-dev
  libopenmpi-dev openmpi-bin
  # The build, the link of training binaries (g++), and the tests.
  cmake ninja-build ccache g++ libgtest-dev python3
)
case "$*" in
"") ;;
# The sanitizers' libraries, and two readers of the source.
--developer) packages+=(libclang-rt-22-dev clang-tidy-22 clang-format-22) ;;
*)
  echo "setup: error: $* is not --developer, the only option" >&2
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

#!/usr/bin/env bash
# Runs clang-tidy on all source files, or on those whose path contains one of
# the arguments; the checks are those of .clang-tidy.  The last line is the
# number of findings, and the status is 0 only if there are none.
#
#   tools/setup.sh --developer
#   test/tidy.sh                       # everything: a quarter of an hour on two cores
#   test/tidy.sh runtime/ dialect/
#
# Files are read by units of the build, several at a time: their headers take
# most of the time.  A unit is read whole if one of its files is wanted.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$PWD/build/tidy
cmake --preset release -B "$build" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null || exit 2
# Generated headers must exist.
mapfile -t generated < <(ninja -C "$build" -t targets all | grep -oE '^\w+IncGen')
cmake --build "$build" --target "${generated[@]}" >/dev/null || exit 2
if (($# == 0)); then
  set -- dialect/ frontend/ passes/ runtime/ targets/ train/ tools/
fi
mapfile -t units < <(grep -oE '"file": "[^"]+"' "$build/compile_commands.json" | cut -d '"' -f 4 | sort -u)
# A unit lists its files; a file that is a unit of its own is the one in its list.
mapfile -t wanted < <(for unit in "${units[@]}"; do
  case $unit in
    "$build"/*) grep -oE '^#include "[^"]+"' "$unit" | cut -d '"' -f 2 ;;
    *) echo "$unit" ;;
  esac | sed "s|^$PWD/||" | grep -E '^(dialect|frontend|passes|runtime|targets|train|tools)/' |
    grep -qF "$(printf '%s\n' "$@")" && echo "$unit"
done)
if ((${#wanted[@]} == 0)); then
  echo "tidy: error: no source file has $* in its path" >&2
  exit 2
fi
log=$build/tidy.log
printf '%s\0' "${wanted[@]}" |
  nice xargs -0 -n 1 -P 2 clang-tidy-22 --quiet -p "$build" --checks=-bugprone-suspicious-include 2>/dev/null | tee "$log"
failed=(${PIPESTATUS[@]})
# Many units include a header, so findings are deduplicated.
findings=$(grep -E '(error|warning): .*\[' "$log" | sort -u | wc -l)
echo "${#wanted[@]} units, $findings findings"
((findings == 0 && failed[1] == 0))

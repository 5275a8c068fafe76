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
cmake --preset release -B "$build" -DZERO_BUILD_TESTS=OFF >/dev/null || exit 2
# Generated and precompiled headers must exist.
mapfile -t generated < <(ninja -C "$build" -t targets all | grep -oE '^(\w+IncGen|.*cmake_pch\.hxx\.pch)')
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
tidy() { # DATABASE FILE ...
  printf '%s\0' "${@:2}" |
    nice xargs -0 -n 1 -P 2 clang-tidy-22 --quiet -p "$1" --checks=-bugprone-suspicious-include 2>/dev/null
}
tidy "$build" "${wanted[@]}" | tee "$log"
# In a unit this check takes MLIR's FailureOr for an optional, and knows nothing of
# failed(); of a file alone it is right.
optional=bugprone-unchecked-optional-access
mapfile -t again < <(grep -F "$optional" "$log" | cut -d : -f 1 | grep '\.cpp$' | sort -u)
if ((${#again[@]})); then
  echo "tidy: once more, of these files alone:"
  mkdir -p "$build/alone"
  python3 - "$build" <<'END'
import json, re, sys
from pathlib import Path
build = Path(sys.argv[1])
alone = [{**unit, "file": file, "command": unit["command"].replace(unit["file"], file)}
         for unit in json.loads((build / "compile_commands.json").read_text())
         for file in re.findall(r'^#include "(.*\.cpp)"', Path(unit["file"]).read_text(), re.M)]
(build / "alone" / "compile_commands.json").write_text(json.dumps(alone))
END
  tidy "$build/alone" "${again[@]}" | tee "$log.again"
  sed -i "/$optional/d" "$log"
  cat "$log.again" >>"$log"
fi
# Many units include a header, so findings are deduplicated.
findings=$(grep -E '(error|warning): .*\[' "$log" | sort -u | tee "$log.findings" | wc -l)
echo "${#wanted[@]} units, $findings findings"
((findings == 0))

#!/usr/bin/env bash
# Runs clang-tidy on all source files, or on those whose path contains one of
# the arguments; the checks are those of .clang-tidy.  The last line is the
# number of findings, and the status is 0 only if there are none.
#
#   tools/setup.sh --developer
#   test/tidy.sh                       # everything
#   test/tidy.sh runtime/ dialect/
#
# In build/tidy every file is compiled alone, with the headers that it includes.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/tidy
cmake --preset release -B "$build" -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null || exit 2
# Generated headers must exist.
mapfile -t generated < <(ninja -C "$build" -t targets all | grep -oE '^\w+IncGen')
cmake --build "$build" --target "${generated[@]}" >/dev/null || exit 2
mapfile -t files < <(find dialect frontend passes runtime train tools -name '*.cpp' | sort)
if (($#)); then
  mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -F "$(printf '%s\n' "$@")")
fi
if ((${#files[@]} == 0)); then
  echo "tidy: error: no source file has $* in its path" >&2
  exit 2
fi
log=$build/tidy.log
printf '%s\0' "${files[@]}" |
  nice xargs -0 -n 1 -P 2 clang-tidy-22 --quiet -p "$build" 2>/dev/null | tee "$log"
failed=(${PIPESTATUS[@]})
# Many files include a header, so findings are deduplicated.
findings=$(grep -E '(error|warning): .*\[' "$log" | sort -u | wc -l)
echo "${#files[@]} files, $findings findings"
((findings == 0 && failed[1] == 0))

#!/usr/bin/env bash
# clang-tidy over all source files, or those whose path has one of the given
# parts; the checks are those of .clang-tidy.  The last line is the number of
# findings, and the status is 0 only if there are none.
#
#   tools/setup.sh --developer
#   test/tidy.sh                       # everything, in build/release
#   test/tidy.sh runtime/ dialect/
#   ZERO_BUILD_DIR=DIR test/tidy.sh    # a built folder of one's own
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${ZERO_BUILD_DIR:-build/release}
# Headers that are generated must exist.
if [[ ! -f $build/compile_commands.json || ! -d $build/lib ]]; then
  echo "tidy: error: $build is not built; cmake --preset release && cmake --build build/release" >&2
  exit 2
fi
mapfile -t files < <(find dialect frontend passes runtime tools -name '*.cpp' | sort)
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
# A header is read by many files.
findings=$(grep -E '(error|warning): .*\[' "$log" | sort -u | wc -l)
echo "${#files[@]} files, $findings findings"
((findings == 0 && failed[1] == 0))

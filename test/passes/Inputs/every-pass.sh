#!/usr/bin/env bash
# Runs each pass of zeroc alone on each file: it may refuse what it is not made
# for, with an error, but not crash.
set -u
status=0
passes=$(zero-opt --help | grep -oE '^ +--zero-[a-z0-9-]+' | sort -u)
[[ $(wc -w <<<"$passes") -ge 40 ]] || { echo "too few passes: $passes"; exit 1; }
for pass in $passes; do
  for file; do
    zero-opt -split-input-file "$pass" "$file" -o /dev/null &>errors.txt
    if [[ $? -ge 124 ]]; then
      echo "$pass of $file crashes:"
      head -5 errors.txt
      status=1
    fi
  done
done
exit $status

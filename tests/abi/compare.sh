#!/bin/sh
# compare.sh OLD OLD_HEADERS NEW NEW_HEADERS: does a program for the old library run with the new one?
# As abidiff (Debian: abigail-tools) sees it: nothing gone, nothing changed of what headers declare.
set -eu
status=0
abidiff --headers-dir1 "$2" --headers-dir2 "$4" --drop-private-types --no-added-syms --no-show-locs \
  "$1" "$3" || status=$?
# Bits: 1 and 2 errors, 4 a change, 8 one that breaks programs for certain.
[ $((status & 3)) = 0 ] || { echo "FAILED: abidiff ended with $status"; exit 1; }
[ "$status" = 0 ] || { echo "FAILED: programs for the old library do not run with the new one"; exit 1; }

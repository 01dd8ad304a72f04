#!/bin/sh
# silent.sh COMMAND...: the command must say nothing and exit with 0.
output=$("$@" 2>&1)
code=$?
# Where there is no /sys, hwloc and UCX say so when MPI begins. ALLOWED_WORDS: of this MPI's end.
output=$(printf '%s\n' "$output" | grep -vE "^\[hwloc/|/sys/${ALLOWED_WORDS:+|$ALLOWED_WORDS}")
[ $code -eq 0 ] && [ -z "$output" ] && exit 0
[ $code -eq 77 ] && exit 77  # it cannot be tried here
printf '%s\n' "$output"
echo "FAILED: exit code $code"
exit 1

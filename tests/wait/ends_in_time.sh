#!/bin/sh
# ends_in_time.sh absent|killed SECONDS COMMAND...: the command must fail within so many seconds;
# if a rank stayed away, with one message that says so.
how=$1 limit=$2
shift 2
begin=$(date +%s)
output=$(timeout -k 5 "$limit" "$@" 2>&1)
code=$?
took=$(($(date +%s) - begin))  # a killed rank can make the launcher return what timeout would
printf '%s\n' "$output"
fail() { echo "FAILED: $1"; exit 1; }

[ "$took" -lt "$limit" ] || fail "still there after $limit s"
[ $code -ne 0 ] || fail "the job must end with a non-zero exit code"
case $output in *"went on without"*) fail "a rank went on without the lost one" ;; esac
[ "$how" = killed ] && exit 0
messages=$(printf '%s\n' "$output" | grep -c 'no progress for 1 s on rank [0-9]')
[ "$messages" -eq 1 ] || fail "one message was expected, not $messages"

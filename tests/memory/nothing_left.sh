#!/bin/sh
# nothing_left.sh COMMAND...: the command fails with one message, and leaves nothing in /dev/shm.
said=$("$@" 2>&1)
code=$?
printf '%s\n' "$said"
fail() { echo "FAILED: $1"; exit 1; }
[ $code -ne 0 ] || fail "it must fail"
[ "$(printf '%s\n' "$said" | grep -c 'rank [0-9]*: ')" -eq 1 ] || fail "one message was expected"
[ -z "$(ls /dev/shm)" ] || fail "/dev/shm has $(ls /dev/shm)"

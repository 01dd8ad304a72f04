#!/bin/sh
# says.sh WORDS COMMAND...: the command must succeed, and say these words.
words=$1
shift
output=$("$@" 2>&1) || { printf '%s\nFAILED: %s\n' "$output" "$*"; exit 1; }
printf '%s\n' "$output"
case $output in *"$words"*) ;; *) echo "FAILED: $* did not say: $words"; exit 1 ;; esac

#!/bin/sh
# says_once.sh TEXT COMMAND...: the command must fail with one error, which holds the text.
text=$1
shift
if output=$("$@" 2>&1); then echo "FAILED: it succeeded"; exit 1; fi
errors=$(printf '%s\n' "$output" | grep 'error:')
case $(printf '%s\n' "$errors" | wc -l):$errors in 1:*"$text"*) exit 0 ;; esac
printf '%s\nFAILED: one error was expected, with: %s\n' "$output" "$text"
exit 1

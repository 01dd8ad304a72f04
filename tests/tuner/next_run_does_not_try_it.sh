#!/bin/sh
# next_run_does_not_try_it.sh FOLDER COMMAND...: a run hangs in the first lap of mine:hangs and must
# end with a message that names it; the next one does not try it, and says so. The same where it is
# what a run begins with.
folder=$1
shift
rm -rf "$folder"
fail() { printf '%s\n' "$output"; echo "FAILED: $1"; exit 1; }

export HALOCLINE_TUNING_REGRET=0.9
output=$("$@" "$folder/tuning.json" 2>&1) && fail "the job must end with a non-zero exit code"
case $output in *"mine:hangs: "*"no progress for 2 s"*) ;; *) fail "the message must name the culprit" ;; esac

output=$("$@" "$folder/tuning.json" 2>&1) || fail "the next run must not hang"
case $output in *"mine:hangs is left out, since jobs ended while it was measured"*) ;;
  *) fail "the next run must say what it leaves out" ;; esac
case $output in *"not tried: mine:hangs: a job ended while it was measured"*) ;;
  *) fail "so must its report" ;; esac
output=$("$@" "$folder/tuning.json" 2>&1) || fail "nor must the third"

output=$("$@" "$folder/tuning.json" favourite 2>&1) && fail "a run that begins with it must end, too"
case $output in *"mine:hangs: "*"no progress for 2 s"*) ;; *) fail "its message must name it" ;; esac
output=$("$@" "$folder/tuning.json" 2>&1) || fail "the run after it must begin with another scheme"
case $output in *"mine:hangs is left out, since jobs ended while it was measured"*) ;;
  *) fail "and must say why" ;; esac
exit 0

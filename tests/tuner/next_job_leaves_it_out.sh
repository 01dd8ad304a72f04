#!/bin/sh
# next_job_leaves_it_out.sh FOLDER COMMAND...: two jobs hang while they measure shm:signal and must
# end with a message that names it; the one after the first says so, and the one after the second
# leaves it out and chooses something else.
folder=$1
shift
rm -rf "$folder"
fail() { echo "FAILED: $1"; exit 1; }

hang() {
  output=$("$@" "$folder/tuning.json" hang 2>&1) && fail "the job must end with a non-zero exit code"
  printf '%s\n' "$output"
  case $output in *"shm:signal: "*"no progress for 2 s"*) ;; *) fail "the message must name the culprit" ;; esac
}
hang "$@"
hang "$@"
case $output in *"a job ended while shm:signal was measured"*) ;; *) fail "it must be said once" ;; esac

output=$("$@" "$folder/tuning.json" 2>&1) || { printf '%s\n' "$output"; fail "the next job must run"; }
printf '%s\n' "$output"
case $output in *"shm:signal is left out, since jobs ended while it was measured"*) ;;
  *) fail "the next job must say what it leaves out" ;; esac
case $output in *"chosen shm:signal"*) fail "what hung must not be chosen" ;; esac
exit 0

#!/bin/sh
# next_run_finds_no_notes.sh FOLDER COMMAND...: a program ends MPI in the middle of a lap of a
# candidate. It has survived that: no note is left, and the next run blames nothing. What its laps
# have found is kept.
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
fail() { printf '%s\n' "$output"; echo "FAILED: $1"; exit 1; }

export HALOCLINE_TUNING_REGRET=0.9
for run in first next; do
  output=$("$@" "$folder/tuning.json" 2>&1) || fail "the $run run must end well"
  case $output in *"ends while a note is there"*) ;; *) fail "the $run run must end in the middle" ;; esac
  case $output in *"a job ended"* | *"left out"*) fail "nothing is to blame" ;; esac
  for note in "$folder"/*.measuring-*; do
    [ -e "$note" ] && fail "$note is left of the $run run"
  done
  grep -q 'auto+when=running' "$folder/tuning.json" || fail "what it has found must be kept"
done
grep -q unfinished "$folder/tuning.json" 2>/dev/null && fail "the file must blame nothing"
exit 0

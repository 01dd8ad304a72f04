#!/bin/sh
# libfuzzer.sh PROGRAM CORPUS FOUND: libFuzzer for ten minutes, or HALOCLINE_FUZZ_SECONDS. What it
# finds stays in FOUND/READER, and the input that has ended it as FOUND/READER-crash-*: that belongs
# into the corpus, as bad_NAME where it is to be refused. FOUND/READER.profraw says which lines were
# reached (measure.py). Nothing may ask for 2 MiB at once for a text of at most 64 KiB, or take 20 s;
# MPI takes 16 MiB for each file that it opens, whatever is in it.
set -eu
program=$1 corpus=$2 found=$3
name=${corpus##*/}
most=2
case $name in state | matrix) most=17 ;; esac
mkdir -p "$found/$name"
export LLVM_PROFILE_FILE="$found/$name.profraw"
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi  # where readers find their files, without a disk
exec "$program" -max_total_time="${HALOCLINE_FUZZ_SECONDS:-600}" -timeout=20 -malloc_limit_mb=$most \
  -max_len=65536 -artifact_prefix="$found/$name-" -print_final_stats=1 -verbosity=1 \
  "$found/$name" "$corpus"

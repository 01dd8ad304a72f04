#!/bin/sh
# example.sh MPIEXEC LINE PROGRAM ARGUMENTS...: on 1 to 4 ranks, through a scheme each, the program
# says this line and nothing else. (SCHEME stands for the scheme.) Under the sanitizers on 2 and 3, as
# other tests that run again.
mpiexec=$1 line=$2
shift 2
ranks=0
for scheme in p2p:nonblocking shm:signal neighbor:nonblocking p2p:persistent; do
  ranks=$((ranks + 1))
  case ${HALOCLINE_TEST_FEW-}$ranks in 11 | 14) continue ;; esac
  command=$(printf '%s ' "$@" | sed "s/SCHEME/$scheme/")
  # shellcheck disable=SC2086
  said=$("$mpiexec" -n $ranks $command 2>&1)
  code=$?
  # Where there is no /sys, hwloc and UCX say so when MPI begins.
  said=$(printf '%s\n' "$said" | grep -vE '^\[hwloc/|/sys/')
  if [ $code -ne 0 ] || [ "$said" != "$line" ]; then
    printf '%s\nFAILED (%s): %s on %s ranks should say: %s\n' "$said" $code "$command" $ranks "$line"
    exit 1
  fi
done

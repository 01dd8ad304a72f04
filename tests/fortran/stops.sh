#!/bin/sh
# stops.sh MPIEXEC... PROGRAM: all ranks end, not with success, and one line says why.
if said=$("$@" 2>&1); then
  printf '%s\nFAILED: it should not succeed\n' "$said"
  exit 1
fi
lines=$(printf '%s\n' "$said" | grep -c 'p2p:nonblokking')
case $said in
  *"it goes on"*) lines=0 ;;
  *"stops: rank 0: "*) ;;
  *) lines=0 ;;
esac
if [ "$lines" -ne 1 ]; then
  printf '%s\nFAILED: one line should say that there is no p2p:nonblokking\n' "$said"
  exit 1
fi

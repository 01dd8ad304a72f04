#!/bin/sh
# with_small_shm.sh SIZE COMMAND...: runs the command where /dev/shm has SIZE alone.
# Exits with 77 (left out) where that is not allowed.
size=$1
shift
unshare --mount true 2>/dev/null || { echo "left out: only root may unshare mounts"; exit 77; }
exec unshare --mount sh -c '
  mount -t tmpfs -o size='"$size"' tmpfs /dev/shm || { echo "left out: cannot mount /dev/shm"; exit 77; }
  exec "$@"' sh "$@"

#!/bin/sh
# method.sh LIBRARY BIN PYTHON MPIEXEC...: the programs in BIN run the method of a library that they do not
# know, under its name. Without PYTHON (empty) the command `halocline` is left out.
set -eu
export HALOCLINE_METHODS=$1
bin=$2 python=$3
shift 3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

says() { sh "$(dirname "$0")/says.sh" "$@"; }

says p2p:probed "$bin/halocheck" --list
says '"outcome":"sound"' "$@" -n 2 "$bin/halocheck" --schemes p2p:probed --cases 12
says '"outcome":"sound"' "$@" -n 3 "$bin/halocheck" --schemes p2p:probed+corners=forwarded,p2p:probed+heads=2 --cases 8
says receive "$bin/halosim" describe p2p:probed
printf '{"format": "halocline-tuning", "version": 1, "pin": "p2p:probed", "choices": []}' > "$here/tuning.json"
HALOCLINE_TUNING=$here/tuning.json HALOCLINE_TUNING_LOG=$here/choices says Residuum \
  "$@" -n 2 "$bin/partdiff" 1 2 20 1 2 20 --scheme auto
says '"scheme":"p2p:probed"' cat "$here/choices"
if [ -n "$python" ]; then
  says p2p:probed "$python" -c 'import halocline; print(halocline.schemes())'
  says p2p:probed "$python" -m halocline predict halo 32x32x32 --ranks 8 --machine supermuc2 --schemes p2p:probed,p2p:nonblocking
  says p2p:probed "$python" -m halocline compare partdiff 1 2 20 1 2 20 --ranks 2 --launches 2 \
    --schemes p2p:nonblocking,p2p:probed --output "$here/compared"
fi

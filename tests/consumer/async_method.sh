#!/bin/sh
# async_method.sh LIBRARIES BIN TEST MPIEXEC...: the programs in BIN, and the test of asynchronous exchanges, run the
# asynchronous method of a library that they do not know, under its name.
set -eu
first=$1/p2p_probed.so second=$1/async_probed.so bin=$2 test=$3
shift 3
says() { sh "$(dirname "$0")/says.sh" "$@"; }

HALOCLINE_METHODS=$second says 'register that one first' sh -c '! "$0" --list-schemes' "$bin/laplace"
export HALOCLINE_METHODS=$first:$second
says 'as MPI_Improbe finds them' "$bin/laplace" --list-schemes --mode async
says 'p2p:probed cannot be racy' sh -c '! "$0" "$@"' \
  "$@" -n 2 "$bin/laplace" --per-rank 10,10,10 --mode racy --scheme p2p:probed
says 'async, p2p:probed' "$@" -n 2 "$bin/laplace" --per-rank 10,10,10 --mode async --scheme p2p:probed
says 'async, p2p:probed' "$@" -n 3 "$bin/laplace" --per-rank 6,6,6 --mode async --scheme p2p:probed --buffers 3
for ranks in 2 3; do
  says 'PASSED' "$@" -n "$ranks" "$test" '--gtest_filter=*/p2p_probed_*:AsyncExchange.*'
done
request=$(mktemp)
trap 'rm -f "$request"' EXIT
printf '{"ranks": 2, "pattern": {"kind": "pair", "bytes": 4096, "exchange": "asynchronous"}}' > "$request"
says '"offer"' "$bin/halosim" describe p2p:probed --request "$request"

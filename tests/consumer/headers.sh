#!/bin/sh
# headers.sh INCLUDE FLAGS COMPILER...: each compiler takes all public headers without a warning.
# (device_each.hpp is for compilers that offload, with flags of their own.)
include=$1 flags=$2
shift 2
all=$(cd "$include" && find halocline -name '*.hpp' | grep -v device_each | sort | sed 's/.*/#include <&>/')
for compiler in "$@"; do
  command -v "$compiler" > /dev/null || continue
  printf '%s\n' "$all" | "$compiler" -std=c++20 -fsyntax-only -x c++ -I"$include" $flags \
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror - || exit 1
  echo "$compiler: no warning"
done

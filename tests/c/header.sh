#!/bin/sh
# header.sh SOURCES FLAGS CC CXX: compilers of C and of C++ take the C header without a warning, with
# mpi.h before it and without; and the tests as C++, and the examples as C.
cd "$1" || exit 1
flags=$2 c=$3 cxx=$4
strict="-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -Iinclude $flags"
more="-Wconversion -Wsign-conversion -Wcast-qual -Wundef -Wswitch-enum -Wredundant-decls -Wmissing-declarations"
header='#include <halocline/halocline.h>
int main(void) { return halocline_version() != HALOCLINE_VERSION; }'
# shellcheck disable=SC2086
for before in '' '#include <mpi.h>
'; do
  for compiler in "$c" gcc clang; do
    command -v "$compiler" > /dev/null || continue
    printf '%s%s\n' "$before" "$header" | $compiler -std=c99 $strict $more -Wstrict-prototypes \
      -x c - || exit 1
  done
  for compiler in "$cxx" g++ clang++; do
    command -v "$compiler" > /dev/null || continue
    printf '%s%s\n' "$before" "$header" | $compiler -std=c++11 $strict $more \
      -Wold-style-cast -Wzero-as-null-pointer-constant -x c++ - || exit 1
  done
done
# shellcheck disable=SC2086
for source in tests/c/*.c; do
  $cxx -std=c++11 $strict -x c++ "$source" || exit 1
done
# shellcheck disable=SC2086
for source in examples/c/*.c; do
  $c -std=c99 $strict "$source" || exit 1
done
echo "no warning"

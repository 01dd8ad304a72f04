#!/bin/sh
# headers.sh INCLUDE FLAGS COMPILER: it takes all public headers without a warning, and so does each
# GCC from 11 and each Clang from 13 on that the PATH leads to.
# (device_each.hpp is for compilers that offload, with flags of their own.)
include=$1 flags=$2
shift 2
all=$(cd "$include" && find halocline -name '*.hpp' | grep -v device_each | sort | sed 's/.*/#include <&>/')
found() {
  readlink -f "$(command -v "$1")"
  printf '%s\n' "$PATH" | tr : '\n' | while read -r folder; do
    for one in "$folder"/g++ "$folder"/g++-[1-9]* "$folder"/clang++ "$folder"/clang++-[1-9]*; do
      [ -x "$one" ] && readlink -f "$one"
    done
  done
}
is_new() {
  case $("$1" --version) in *clang*) oldest=13 ;; *) oldest=11 ;; esac
  version=$("$1" -dumpversion) && [ "${version%%.*}" -ge $oldest ]
}
for compiler in $(found "$1" | sort -u); do
  is_new "$compiler" || continue
  printf '%s\n' "$all" | "$compiler" -std=c++20 -fsyntax-only -x c++ -I"$include" $flags \
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror - || exit 1
  echo "$compiler: no warning"
done

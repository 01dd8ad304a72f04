#!/bin/sh
# headers.sh INCLUDE FLAGS COMPILER: it takes all public headers without a warning, and so does each
# GCC from 11 and each Clang from 13 on that the PATH leads to: with the warnings that projects switch
# on, without types at run time, and with Clang's own standard library. Of files that use the headers,
# here and among the examples, no warning is about a header.
# (device_each.hpp is for compilers that offload, with flags of their own.)
include=$1 flags=$2
shift 2
here=$(dirname "$(realpath "$0")")
all=$(cd "$include" && find halocline -name '*.hpp' | grep -v device_each | sort | sed 's/.*/#include <&>/')
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Weffc++ -Wswitch-enum -Wold-style-cast
  -Wdouble-promotion -Wnull-dereference -Wundef -Wcast-align -Wcast-qual -Wformat=2 -Wredundant-decls
  -Wnon-virtual-dtor -Woverloaded-virtual -Wmissing-declarations -Wfloat-equal -Wextra-semi
  -Wzero-as-null-pointer-constant -fno-rtti"
of_gcc="-Wuseless-cast -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wsuggest-override
  -Wctor-dtor-privacy -Wsign-promo -Wstrict-null-sentinel"
of_clang="-Wcomma -Wshadow-all -Wheader-hygiene -Wrange-loop-analysis"
found() {
  readlink -f "$(command -v "$1")"
  printf '%s\n' "$PATH" | tr : '\n' | while read -r folder; do
    for one in "$folder"/g++ "$folder"/g++-[1-9]* "$folder"/clang++ "$folder"/clang++-[1-9]*; do
      [ -x "$one" ] && readlink -f "$one"
    done
  done
}
is_new() {
  version=$("$1" -dumpversion) && [ "${version%%.*}" -ge "$2" ]
}
headers() {
  # shellcheck disable=SC2086
  printf '%s\n' "$all" | "$@" -std=c++20 -fsyntax-only -x c++ -I"$include" $flags $strict -Werror - || exit 1
  echo "$*: no warning"
}
# shellcheck disable=SC2086
for compiler in $(found "$1" | sort -u); do
  case $("$compiler" --version) in
    *clang*)
      is_new "$compiler" 13 || continue
      headers "$compiler" $of_clang
      if echo '#include <version>' | "$compiler" -stdlib=libc++ -std=c++20 -fsyntax-only -x c++ - 2> /dev/null; then
        headers "$compiler" $of_clang -stdlib=libc++
      fi
      ;;
    *)
      is_new "$compiler" 11 || continue
      headers "$compiler" $of_gcc
      headers "$compiler" $of_gcc -DMPI_ABI  # MPI 5's interface, where mpi.h has it: handles are pointers
      ;;
  esac
done
case $("$1" --version) in *clang*) strict="$strict $of_clang" ;; *) strict="$strict $of_gcc" ;; esac
for file in "$here"/*.cpp "$here"/../../examples/cpp/*.cpp; do
  # shellcheck disable=SC2086
  said=$("$1" -std=c++20 -fsyntax-only -I"$include" $flags $strict "$file" 2>&1) || { echo "$said"; exit 1; }
  if printf '%s\n' "$said" | grep -q "^$include/.*warning:"; then
    printf '%s\nFAILED: a header is warned of in %s\n' "$said" "$file"
    exit 1
  fi
done

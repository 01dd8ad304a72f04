#!/bin/sh
# c.sh PREFIX FOLDER HEAT CMAKE MPICC MPIEXEC...: what is installed there, used from C: each function
# of the header is in the library, and the program is built by CMake in a project without C++, and
# by the compiler and pkg-config.
sh "$(dirname "$0")/../../packaging/system/needed.sh" command nm pkg-config || exit 77
here=$(dirname "$0")/c
prefix=$1 folder=$2 heat=$3 cmake=$4 mpicc=$5
shift 5
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name halocline.pc)")
export PKG_CONFIG_PATH
rm -rf "$folder" && mkdir -p "$folder" || exit 1

there=$(nm -D --defined-only "$(find "$prefix" -name libhalocline.so)") || exit 1
# Those that convert an MPI_Comm are in the header itself.
for name in $(grep -oE '\bhalocline_[a-z0-9_]+\(' "$prefix/include/halocline/halocline.h" | tr -d '(' |
              grep -vE '^halocline_comm_(of|mpi)$' | sort -u); do
  case $there in *" T $name"*) ;; *) echo "FAILED: the library lacks $name" && exit 1 ;; esac
done

if ! { $cmake -S "$here" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix" -DHEAT="$heat" &&
       $cmake --build "$folder/build"; } > "$folder/log"; then
  cat "$folder/log"
  exit 1
fi
# shellcheck disable=SC2046
$mpicc -std=c99 -O2 "$heat" $(pkg-config --cflags --libs halocline) -lm -o "$folder/heat" \
  -Wl,-rpath,"$(pkg-config --variable=libdir halocline)" || exit 1
for program in "$folder/build/heat" "$folder/heat"; do
  said=$("$@" -n 2 "$program" p2p:nonblocking 40 300) || exit 1
  case $said in
    *"warmest cell of the lower half: 0.078296272653"*) ;;
    *) printf '%s\nFAILED: %s\n' "$said" "$program" && exit 1 ;;
  esac
done

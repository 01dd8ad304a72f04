#!/bin/sh
# fortran.sh PREFIX FOLDER FIRST CMAKE COMPILER MPIEXEC...: what is installed there, used from Fortran:
# the program is built by CMake in a project without C and C++, by the compiler and pkg-config, and
# with the module's source, also with options that make warnings errors and default kinds larger.
sh "$(dirname "$0")/../../packaging/system/needed.sh" command pkg-config || exit 77
here=$(dirname "$0")/fortran
prefix=$1 folder=$2 first=$3 cmake=$4 compiler=$5
shift 5
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name halocline_fortran.pc)")
export PKG_CONFIG_PATH
rm -rf "$folder" && mkdir -p "$folder/modules" || exit 1
if ! { $cmake -S "$here" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix" \
              -DCMAKE_Fortran_COMPILER="$compiler" -DFIRST="$first" &&
       $cmake --build "$folder/build"; } > "$folder/log" 2>&1; then
  cat "$folder/log"
  exit 1
fi
rpath=-Wl,-rpath,$(pkg-config --variable=libdir halocline)
cd "$folder" || exit 1
# shellcheck disable=SC2046
$compiler "$first" $(pkg-config --cflags --libs halocline_fortran) -o by_pkg_config "$rpath" || exit 1
cd modules || exit 1
strict= wide=
if $compiler --version | grep -q GNU; then
  strict='-Wall -Wextra -Wconversion -pedantic -Werror' wide='-fdefault-integer-8 -fdefault-real-8'
fi
for options in "-O0 $strict" "-O0 $wide"; do
  # shellcheck disable=SC2046,SC2086
  $compiler $options "$(pkg-config --variable=source halocline_fortran)" "$first" \
    $(pkg-config --libs halocline) -o ../by_source "$rpath" || exit 1
done
for program in build/first by_pkg_config by_source; do
  said=$("$@" -n 2 "$folder/$program") || exit 1
  case $said in
    *"halos are filled"*) ;;
    *) printf '%s\nFAILED: %s\n' "$said" "$program" && exit 1 ;;
  esac
done

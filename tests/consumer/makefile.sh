#!/bin/sh
# makefile.sh PREFIX FOLDER MPICXX MPIEXEC...: what is installed there, used by a plain Makefile in
# the folder: with the shared library, and where there is one with the static one, of which hidden
# names are no part.
sh "$(dirname "$0")/../../packaging/system/needed.sh" command ldd make pkg-config || exit 77
here=$(dirname "$0")/makefile
prefix=$1 folder=$2 mpicxx=$3
shift 3
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name halocline.pc)")
export PKG_CONFIG_PATH
rm -rf "$folder" && mkdir -p "$folder" && cp "$here"/* "$folder" && cd "$folder" || exit 1
for program in program program_static; do
  make -s MPICXX="$mpicxx" $program || exit 1
  "$@" -n 2 "./$program" || exit 1
done
ldd program | grep -q 'libhalocline\.so\.0\.2 => ' || {
  echo "FAILED: the program has not been linked with libhalocline.so.0.2"
  exit 1
}
if said=$($mpicxx -std=c++20 hidden.cpp $(pkg-config --libs halocline) -o hidden 2>&1); then
  echo "FAILED: a name that no public header declares has been linked with"
  exit 1
fi
for name in processor_quota detail::registry; do
  case $said in *"undefined reference to"*"$name"*) ;; *) echo "$said"; exit 1 ;; esac
done

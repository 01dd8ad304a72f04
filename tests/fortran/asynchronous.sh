#!/bin/sh
# asynchronous.sh COMPILER SOURCES MODULES LIBRARY_FORTRAN LIBRARY MPIEXEC...: without ASYNCHRONOUS the test
# of it fails where the compiler does what it may, at -O3.
compiler=$1 sources=$2 modules=$3 fortran=$4 library=$5
shift 5
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
sed 's/, asynchronous//' "$sources/asynchronous.f90" > without.f90
printf '%s\n' 'program main' '  use asynchronous_module' '  call halocline_begin()' \
  '  world = halocline_world()' '  me = halocline_rank(world)' '  ranks = halocline_size(world)' \
  '  call test_asynchronous()' '  if (failures > 0) error stop 1' '  call halocline_end()' \
  'end program' > main.f90
for source in "$sources/asynchronous.f90" without.f90; do
  $compiler -O3 -I"$modules" "$sources/check.f90" "$source" main.f90 "$fortran" "$library" \
    -Wl,-rpath,"$(dirname "$library")" -o "$(basename "$source" .f90)" || exit 1
done
"$@" -n 2 ./asynchronous || exit 1
if "$@" -n 2 ./without > log 2>&1; then
  echo "SKIPPED: this compiler keeps nothing across a step, although it may"
  exit 77
fi
grep -q 'not true' log || { cat log; exit 1; }

#!/bin/sh
# mpi_f08.sh MPIFORT SOURCE MODULES LIBRARY_FORTRAN LIBRARY MPIEXEC...: with the module mpi_f08 of this
# MPI, if it has one that this compiler reads. (PyPI's MPICH and Open MPI have none.)
mpifort=$1 source=$2 modules=$3 fortran=$4 library=$5
shift 5
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
printf 'use mpi_f08\nend\n' > has.f90
if ! $mpifort has.f90 -o has 2> /dev/null; then
  echo "SKIPPED: no module mpi_f08 by $mpifort"
  exit 77
fi
$mpifort -I"$modules" "$source" "$fortran" "$library" -Wl,-rpath,"$(dirname "$library")" -o program || exit 1
"$@" -n 4 ./program

#!/bin/sh
# binds.sh SOURCE LIBRARY: the Fortran source binds every function of C that the library shows, and no
# other.
nm -D --defined-only "$2" | sed -n 's/.* T \(halocline_[a-z0-9_]*\).*/\1/p' | sort > fortran_shown
sed -n 's/.*bind(c, name="\(halocline_[a-z0-9_]*\)").*/\1/p' "$1" | sort > fortran_bound
if ! [ -s fortran_shown ] || ! diff fortran_shown fortran_bound; then
  echo 'FAILED: < is not bound, > is not in the library'
  exit 1
fi

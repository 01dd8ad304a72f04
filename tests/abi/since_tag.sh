#!/bin/sh
# since_tag.sh BUILD MPICXX [COMMIT]: programs for the last tag of this minor version, or for any commit,
# run with the library of the sources here. Both are compiled below BUILD, with what abidiff reads. A new
# minor version has another SONAME, and may change what it likes.
set -eu
sh "$(dirname "$0")/../../packaging/system/needed.sh" command abidiff git || exit 77
here=$(dirname "$(realpath "$0")")
root=$here/../..
minor=$(sed -n 's/^#define HALOCLINE_VERSION_TEXT "\([0-9]*\.[0-9]*\)\..*/\1/p' "$root/include/halocline/version.hpp")
tag=${3:-$(git -C "$root" tag --list "v$minor.*" --sort=-version:refname | head -n 1)}
[ -n "$tag" ] || { echo "no tag v$minor.*: nothing to compare with, unless you name a commit"; exit 0; }
mpicxx=$2
mkdir -p "$1/old"
git -C "$root" archive "$tag" | tar -x -C "$1/old"

# library SOURCE FOLDER
library() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O0 -g' \
    -DMPI_CXX_COMPILER="$mpicxx" -DHALOCLINE_PROGRAMS=OFF -DHALOCLINE_TESTS=OFF -DHALOCLINE_BATCH=15 >"$2.log" 2>&1 &&
    cmake --build "$2" --target halocline_shared >>"$2.log" 2>&1 || { tail -n 20 "$2.log"; exit 1; }
}
library "$1/old" "$1/old-build"
library "$root" "$1/new-build"
sh "$here/compare.sh" "$1/old-build/libhalocline.so" "$1/old/include" \
  "$1/new-build/libhalocline.so" "$root/include"
echo "programs for $tag run with the library as it is"

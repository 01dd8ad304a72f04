#!/bin/sh
# finds_changes.sh CXX FOLDER: compare.sh accepts a library with more, and none with less or another.
set -eu
sh "$(dirname "$0")/../../packaging/system/needed.sh" command abidiff || exit 77
here=$(dirname "$(realpath "$0")")
rm -rf "$2"
for one in old more less other; do mkdir -p "$2/$one"; done
cd "$2"
echo 'struct Size { int rows; int columns; }; int area(Size size); int rank();' >old/a.hpp
echo 'struct Size { int rows; int columns; }; int area(Size size); int rank(); int ranks();' >more/a.hpp
echo 'struct Size { int rows; int columns; }; int area(Size size);' >less/a.hpp
echo 'struct Size { long rows; int columns; }; int area(Size size); int rank();' >other/a.hpp
for one in old more less other; do
  {
    echo '#include "a.hpp"'
    echo 'int area(Size size) { return static_cast<int>(size.rows) * size.columns; }'
    [ $one = less ] || echo 'int rank() { return 0; }'
    [ $one != more ] || echo 'int ranks() { return 1; }'
  } >$one/a.cpp
  "$1" -g -shared -fPIC -o $one/liba.so $one/a.cpp
done
sh "$here/compare.sh" old/liba.so old more/liba.so more
for one in less other; do
  if sh "$here/compare.sh" old/liba.so old $one/liba.so $one; then
    echo "FAILED: the library $one has passed"
    exit 1
  fi
done

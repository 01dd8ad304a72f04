#!/bin/sh
# folders.sh FOLDER CMAKE: what pkg-config says is there, wherever an installation lies: in folders
# several deep, in absolute ones, with a blank in their names, moved to another place.
here=$(dirname "$(realpath "$0")")/pkgconfig
folder=$1 cmake=$2
rm -rf "$folder" && mkdir -p "$folder" || exit 1

# are_there PKGCONFIG: all folders that pkg-config names.
are_there() {
  export PKG_CONFIG_PATH="$1"
  pkg-config --static --libs halocline | grep -q -- '-lhalocline -lalone .*-lprivate' ||
    { echo "FAILED: $(pkg-config --static --libs halocline)"; exit 1; }
  eval "set -- $(pkg-config --cflags --libs halocline_fortran)" \
    "-I$(dirname "$(pkg-config --variable=source halocline_fortran)")"
  [ $# -ge 7 ] || { echo "FAILED: pkg-config says $*"; exit 1; }
  for word in "$@"; do
    case $word in -I* | -L*) ;; *) continue ;; esac
    [ -f "${word#-?}/here" ] || { echo "FAILED: there is no ${word#-?}"; exit 1; }
  done
}

# installs NAME LIBDIR INCLUDEDIR [PREFIX]
installs() {
  if ! { $cmake -S "$here" -B "$folder/build-$1" -DCMAKE_INSTALL_LIBDIR="$2" -DCMAKE_INSTALL_INCLUDEDIR="$3" \
           -DCMAKE_INSTALL_DATADIR=share -DCMAKE_INSTALL_PREFIX="${4:-$folder/elsewhere}" &&
         $cmake --install "$folder/build-$1" --prefix "${4:-$folder/$1}"; } > "$folder/log"; then
    cat "$folder/log"
    exit 1
  fi
}

installs plain lib include
are_there "$folder/plain/lib/pkgconfig"
installs multiarch lib/x86_64-linux-gnu include/deep
are_there "$folder/multiarch/lib/x86_64-linux-gnu/pkgconfig"
installs 'with a blank' lib64 include
are_there "$folder/with a blank/lib64/pkgconfig"
mv "$folder/multiarch" "$folder/moved"
are_there "$folder/moved/lib/x86_64-linux-gnu/pkgconfig"
installs absolute "$folder/one/lib" "$folder/two/include" "$folder/one"
are_there "$folder/one/lib/pkgconfig"
installs 'absolute and blank' "$folder/a blank/lib" "$folder/more blanks/include" "$folder/a blank"
are_there "$folder/a blank/lib/pkgconfig"
installs headers lib "$folder/three/include"
are_there "$folder/headers/lib/pkgconfig"
export DESTDIR="$folder/staged"
installs staged lib/deep include /prefix
unset DESTDIR
are_there "$folder/staged/prefix/lib/deep/pkgconfig"

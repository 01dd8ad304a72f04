#!/bin/sh
# try.sh FOLDER: in a Debian with the build dependencies, lintian and autopkgtest, as root: makes the
# packages of the commit that is checked out, in FOLDER, lets lintian look at them, installs them and
# tests them as autopkgtest does.
set -eu
root=$(realpath "$(dirname "$0")/../..")
folder=$1
version=$(dpkg-parsechangelog -l "$root/packaging/debian/changelog" -S Version)
upstream=${version%-*}
rm -rf "$folder"
mkdir -p "$folder/halocline-$upstream"
git -c safe.directory="$root" -C "$root" archive HEAD | gzip -n >"$folder/halocline_$upstream.orig.tar.gz"
cd "$folder/halocline-$upstream"
tar -xzf ../halocline_*.orig.tar.gz
cp -r packaging/debian debian
rm debian/try.sh
dpkg-buildpackage -us -uc
cd ..
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,changelog-file-missing-explicit-entry \
  halocline_*.changes
autopkgtest libhalocline*.deb halocline_*.dsc -- null

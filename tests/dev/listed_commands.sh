#!/bin/sh
# listed_commands.sh SOURCE FOLDER: tests find the commands that packaging/system/needed.txt lists, and
# no others: this one by its PATH, and any by what needed.sh makes of a list.
set -eu
folder=$2
fail() { echo "FAILED: $1"; exit 1; }
[ "$PATH" = "${HALOCLINE_TEST_PATH-}" ] || fail "this test has a PATH of its own: $PATH"
for name in tac yes; do
  ! command -v $name || fail "nobody has listed $name, and it is found"
done

rm -rf "$folder"
mkdir -p "$folder/here" "$folder/own" "$folder/links"
for name in listed other unlisted and-me; do
  printf '#!/bin/sh\necho %s\n' $name >"$folder/here/$name"
  chmod +x "$folder/here/$name"
done
mv "$folder/here/and-me" "$folder/own"
ln -s nowhere "$folder/links/gone-1"  # as if they had been there
ln -s ../here/unlisted "$folder/links/unlisted"
cp "$1/packaging/system/needed.sh" "$folder"
cat >"$folder/needed.txt" <<'END'
# PACKAGE WHEN WHAT...
one  test,docs  listed gone-1
two  test       gone-2|other
six  docs       gone-3|gone-4 <iostream>
END
path=$(PATH=$folder/here:$PATH sh "$folder/needed.sh" path "$folder/links" "$folder/own" /usr/bin)
[ "$path" = "$folder/own:$folder/links" ] || fail "the PATH is $path"
found=$(ls "$folder/links")
[ "$(echo $found)" = "listed other" ] || fail "the commands are $found"
[ "$(PATH=$path listed)$(PATH=$path and-me)" = listedand-me ] || fail "they are not those"

# expect STATUS TEXT WORDS...: of needed.sh.
expect() {
  status=$1 text=$2
  shift 2
  got=0
  said=$(PATH=$folder/here:$PATH sh "$folder/needed.sh" "$@" 2>&1) || got=$?
  [ "$got-$said" = "$status-$text" ] || fail "$*: $got, $said"
}
expect 0 "" command listed gone-2
expect 1 "left out: no gone-1: sudo apt-get install one" command listed gone-1
expect 1 "left out: no gone-4: sudo apt-get install six" command gone-4
expect 2 "unlisted: add it to packaging/system/needed.txt" command unlisted
expect 0 " one six" missing docs
expect 0 " one" missing test
expect 0 "" missing quick

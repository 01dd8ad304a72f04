#!/bin/sh
# without_apt.sh SOURCE FOLDER: ./dev says what it can do, what is missing, and how to get it.
set -eu
rm -rf "$2"
mkdir -p "$2/bin"
for tool in sh cat date dirname grep id mkdir nproc readlink rm sed; do
  ln -s "$(command -v $tool)" "$2/bin/$tool"
done
mkdir -p "$2/packaging"
cp "$1/dev" "$2"
cp -r "$1/packaging/system" "$2/packaging"

# expect STATUS TEXT ARGUMENTS...
expect() {
  status=$1 text=$2
  shift 2
  got=0
  output=$(env -i PATH="$folder/bin" HOME="$folder" "$folder/dev" "$@" 2>&1) || got=$?
  [ "$got" = "$status" ] || { echo "./dev $*: exit $got, not $status: $output"; exit 1; }
  case $output in
    *"$text"*) ;;
    *) echo "./dev $*: no '$text' in: $output"; exit 1 ;;
  esac
}

folder=$2
expect 0 "usage: ./dev VERB"
expect 0 "HALOCLINE_MPI=NAME" help
expect 1 "unknown verb 'nonsense'" nonsense
for verb in setup build test demo lint; do
  expect 1 "sudo apt-get update && sudo apt-get install -y g++ python3 libcli11-dev" $verb
done
expect 1 "the site: missing: sudo apt-get update && sudo apt-get install -y doxygen" docs
expect 0 "" clean
expect 1 "clean takes nothing or 'all'" clean everything

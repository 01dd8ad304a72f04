#!/bin/sh
# needed.sh missing WHEN...       the packages in needed.txt for these of which something is not there
# needed.sh command NAME...       fails where one of these commands is not there, and names its package
# needed.sh path FOLDER BIN...    a PATH that leads to the folders BIN..., but the system's own, and to
#                                 the commands in needed.txt, as links in FOLDER, and to no other
set -eu
search=$PATH:/usr/sbin:/sbin  # where Debian keeps daemons, and not everybody looks

# find_command NAME: sets $found. (`command -v` finds what is built into the shell first.)
find_command() {
  IFS=:
  for found in $search; do
    found=$found/$1
    if [ -f "$found" ] && [ -x "$found" ]; then unset IFS; return 0; fi
  done
  unset IFS
  return 1
}

# is_here WHAT: as needed.txt writes it.
is_here() {
  case $1 in
    '<'*) find_command g++ && echo "#include $1" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
    # Debian keeps its headers where only pkg-config finds them.
    *.pc) find_command pkg-config && pkg-config --exists "${1%.pc}" ;;
    /*) [ -e "$1" ] ;;
    *'|'*) is_here "${1%%|*}" || is_here "${1#*|}" ;;
    *) find_command "$1" ;;
  esac </dev/null
}

# for_each_line FUNCTION...: calls it with each line's package, and sets $when and $what.
for_each_line() {
  while read -r package when what; do
    case $package in '' | '#'*) ;; *) "$@" "$package" ;; esac
  done <"${0%/*}/needed.txt"
}

missing() {  # PACKAGE, for one of $wanted
  for one in $wanted; do
    case ,$when, in *",$one,"*) ;; *) continue ;; esac
    for one in $what; do
      is_here "$one" || { printf ' %s' "$1"; return 0; }
    done
  done
}

look_up() {  # COMMAND PACKAGE: also by another one's name, where either will do
  for one in $what; do
    case "|$one|" in
      *"|$1|"*) if is_here "$one"; then echo "here"; else echo "$2"; fi ;;
    esac
  done
}

link() {
  IFS=' |'
  for name in $what; do
    unset IFS
    case $name in '<'* | *.pc | /*) continue ;; esac
    names=$names$name/
    find_command "$name" || continue
    [ "$folder/$name" -ef "$found" ] || ln -sfn "$found" "$folder/$name"
  done
  unset IFS
}

verb=$1
shift
case $verb in
  missing)
    wanted=$*
    for_each_line missing ;;
  command)
    for name in "$@"; do
      found_in=$(for_each_line look_up "$name")
      case $found_in in
        here) ;;
        '') echo "$name: add it to packaging/system/needed.txt" >&2; exit 2 ;;
        *) echo "left out: no $name: sudo apt-get install $found_in"; exit 1 ;;
      esac
    done ;;
  path)
    folder=$1 names=/
    shift
    mkdir -p "$folder"
    search=:$search:  # a folder BIN leads to its commands itself, also where the system has others
    for bin in "$@"; do
      while case $search in *":$bin:"*) ;; *) false ;; esac; do
        search=${search%%":$bin:"*}:${search#*":$bin:"}
      done
    done
    for_each_line link
    for name in "$folder"/*; do
      case $names in *"/${name##*/}/"*) [ -e "$name" ] || rm -f "$name" ;; *) rm -f "$name" ;; esac
    done
    path=
    for bin in "$@"; do
      if [ -d "$bin" ] && ! [ -e "$bin/ls" ]; then path=$path$bin:; fi
    done
    echo "$path$folder" ;;
esac

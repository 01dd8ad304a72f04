#!/bin/sh
# says_each.sh FILE COMMAND...: `COMMAND FILE` must fail with as many errors as FILE has lines with
# `; // error`, each at its line; what follows as in `; // error: TEXT` must be said.
file=$1
shift
if output=$("$@" "$file" 2>&1); then echo "FAILED: it compiles"; exit 1; fi
fail() { printf '%s\nFAILED: %s\n' "$output" "$1"; exit 1; }

wanted=$(grep -c '; *// error' "$file")
errors=$(printf '%s\n' "$output" | grep ': error: ')
count=$(printf '%s\n' "$errors" | wc -l)
[ "$count" = "$wanted" ] || fail "$count errors, not $wanted"
while IFS=: read -r number line; do
  case $line in *';'*'// error'*) ;; *) continue ;; esac
  case $output in *"${file##*/}:$number:"*) ;; *) fail "nothing is said of line $number" ;; esac
  text=${line#*// error}
  text=${text#: }
  case $errors in *"$text"*) ;; *) fail "nothing says: $text" ;; esac
done <<END
$(grep -n '' "$file")
END

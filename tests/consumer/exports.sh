#!/bin/sh
# exports.sh PREFIX NODE: the shared libraries there that programs are linked with export Halocline's
# names alone, each with the version NODE.
sh "$(dirname "$0")/../../packaging/system/needed.sh" command nm || exit 77
status=0
libraries=$(find "$1" -name libhalocline.so -o -name libhalocline_style.so)
[ -n "$libraries" ] || { echo "FAILED: no shared library in $1"; exit 1; }
for library in $libraries; do
  names=$(nm -D --defined-only --with-symbol-versions "$library") || exit 1
  [ "$(echo "$names" | grep -c halocline)" -gt 20 ] || { echo "FAILED: $library exports nothing"; status=1; }
  others=$(echo "$names" | grep -vE "(halocline|MPIX_).*@@$2\$" | grep -v " A $2")
  [ -z "$others" ] || { printf 'FAILED: %s exports what it should not:\n%s\n' "$library" "$others"; status=1; }
done
exit $status

#!/bin/sh
# refused.sh COMPILER MODULES: a compiler takes no array for a field whose elements it would have to
# copy, so that none arrives in a copy. And it takes those that it need not.
compiler=$1 modules=$2
failed=0
compile() {
  printf '%s\n' 'subroutine s(u, v, p, n)' '  use halocline' '  real, target :: u(:, :)' \
    '  real, intent(in), target :: v(:)' '  real, pointer :: p(:, :)' '  integer :: n(:)' \
    '  type(halocline_field) :: f' '  type(halocline_exchange) :: e' '  integer :: l(2, 2, 2, 2, 2)' \
    "  $1" 'end subroutine' > refused_source.f90
  $compiler -fsyntax-only -I"$modules" refused_source.f90 > refused_log 2>&1
}
for right in 'f = halocline_field(u)' 'f = halocline_field(u(2:, ::2))' 'f = halocline_field(p)' \
             'f = halocline_field(p(:, 3))' 'call e%start(halocline_field(u))'; do
  compile "$right" || { cat refused_log; echo "FAILED: refused: $right"; failed=1; }
done
for wrong in 'f = halocline_field(u(n, :))' 'f = halocline_field(2 * u)' 'f = halocline_field((u))' \
             'f = halocline_field(v)' 'f = halocline_field(l)' 'call e%start(u)'; do
  compile "$wrong" && { echo "FAILED: taken: $wrong"; failed=1; }
done
rm -f refused_source.f90 refused_log
exit $failed

#!/bin/sh
# refused.sh COMPILER MODULES: a compiler takes no array for a field whose elements it would have to
# copy, so that none arrives in a copy. And it takes those that it need not, and makes none of them.
compiler=$1 modules=$2
failed=0
compile() {
  printf '%s\n' 'subroutine s(u, v, w, x, p, n)' '  use halocline' \
    '  use, intrinsic :: iso_fortran_env, only: real128' '  type :: cell' \
    '    real :: p' '    complex :: z' '  end type' '  real, target :: u(:, :)' \
    '  real, intent(in), target :: v(:)' '  real :: w(:)' '  real, target :: x(4, *)' \
    '  real, pointer :: p(:, :)' '  integer :: n(:)' \
    '  type(cell), target, allocatable :: c(:, :)' \
    '  type(halocline_field) :: f' '  type(halocline_exchange) :: e' '  allocate (c(4, 4))' \
    "  block" "    $1" '  end block' 'end subroutine' > refused_source.f90
  shift
  $compiler "$@" -I"$modules" refused_source.f90 > refused_log 2>&1
}
for right in 'f = halocline_field(u)' 'f = halocline_field(u(2:, ::2))' 'f = halocline_field(p)' \
             'f = halocline_field(p(:, 3))' 'call e%start(halocline_field(u))' \
             'f = halocline_field(v)' 'f = halocline_field(x(:, :3))' 'f = halocline_field(c%p)' \
             'f = halocline_field(c(::2, 3)%z%im)'; do
  compile "$right" -c -o refused_source.o -Warray-temporaries -Werror || { cat refused_log; echo "FAILED: refused: $right"; failed=1; }
done
for wrong in 'f = halocline_field(u(n, :))' 'f = halocline_field(2 * u)' 'f = halocline_field((u))' \
             'f = halocline_field(w)' 'f = halocline_field(x)' 'f = halocline_field(c)' \
             'f = halocline_field(transpose(u))' \
             'associate (a => u + 1); f = halocline_field(a); end associate' \
             'real, target :: l(2, 2, 2, 2, 2, 2, 2); f = halocline_field(l)' \
             'real(real128), target :: l(2); f = halocline_field(l)' \
             'character(8), target :: l(2); f = halocline_field(l)'; do
  compile "$wrong" -fsyntax-only && { echo "FAILED: taken: $wrong"; failed=1; }
  case $wrong in *u\(n*) continue ;; esac  # which has reasons of its own
  grep -q 'needs_a_target_of_rank_1_to_6_of_a_known_kind' refused_log ||
    { cat refused_log; echo "FAILED: without reason: $wrong"; failed=1; }
done
compile 'call e%start(u)' -fsyntax-only && { echo "FAILED: taken: start(u)"; failed=1; }
rm -f refused_source.f90 refused_source.o refused_log
exit $failed

! Checks that go on after a failure, and numbers that are the same on all ranks.
module check_module
  use, intrinsic :: iso_c_binding
  use halocline
  implicit none
  integer :: failures = 0, me = 0, ranks = 1, world = 0
  integer, private :: state = 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print "(a, i0, 3a)", "[rank ", me, "] not true: ", what, ""
    failures = failures + 1
  end subroutine

  !> The call has failed with this code, and its text contains the words.
  subroutine check_fails(stat, errmsg, code, words)
    integer, intent(in) :: stat, code
    character(*), intent(in) :: errmsg, words
    call check(stat == code .and. index(errmsg, words) > 0, words // " -- but: " // trim(errmsg))
  end subroutine

  subroutine seed(number)
    integer, intent(in) :: number
    state = number
  end subroutine

  !> The next of numbers from 0 on, below `below`.
  integer function any_below(below)
    integer, intent(in) :: below
    state = int(modulo(int(state, c_int64_t) * 48271 + 11, 2147483647_c_int64_t))
    any_below = modulo(state / 7, below)
  end function

end module

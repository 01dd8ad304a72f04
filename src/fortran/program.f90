! The program: its beginning and end, its limits; the schemes that there are, and the version.
module halocline_program
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
  use halocline_c
  use halocline_errors
  implicit none
  private
  public :: halocline_begin, halocline_end, halocline_set_time_limit, halocline_set_spin
  public :: halocline_scheme_str, halocline_scheme_matches
  public :: halocline_known_schemes, halocline_known_scheme
  public :: halocline_version, halocline_version_text

  type(c_ptr), save :: environment = c_null_ptr

contains

  !> Begins MPI unless the program has. One that calls MPI_Init itself needs neither this nor
  !> halocline_end. Collective over all ranks, as is the end.
  subroutine halocline_begin(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: argc
    argc = 0
    if (present(stat)) stat = 0
    if (.not. c_associated(environment)) &
      call check(c_environment_create(argc, c_null_ptr, 1_c_int, environment), stat, errmsg)
  end subroutine

  !> Ends MPI if halocline_begin has begun it.
  subroutine halocline_end()
    call check(c_environment_free(environment))
  end subroutine

  !> How many seconds this process waits without progress before halocline_error_timeout; without
  !> `seconds` for ever, as it does at first.
  subroutine halocline_set_time_limit(seconds, stat, errmsg)
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_patience) :: patience
    call check(c_patience_get(patience))
    patience%timeout = ieee_value(patience%timeout, ieee_positive_inf)
    if (present(seconds)) patience%timeout = seconds
    call check(c_patience_set(patience), stat, errmsg)
  end subroutine

  !> For how many seconds a wait polls before it gives its core away between polls; 0: it does so
  !> from the beginning.
  subroutine halocline_set_spin(seconds, stat, errmsg)
    real(c_double), intent(in) :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_patience) :: patience
    call check(c_patience_get(patience))
    patience%spin = seconds
    call check(c_patience_set(patience), stat, errmsg)
  end subroutine

  !> Canonical: options in the method's order, defaults left out. Fails naming what does not fit.
  function halocline_scheme_str(scheme, stat, errmsg) result(text)
    character(*), intent(in) :: scheme
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: there
    there = c_null_ptr
    call check(c_scheme_str(string(scheme), there), stat, errmsg)
    text = text_at(there)
  end function

  !> Whether a glob (with * and ?) fits a scheme.
  logical function halocline_scheme_matches(scheme, glob, stat, errmsg)
    character(*), intent(in) :: scheme, glob
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: matches
    matches = 0
    call check(c_scheme_matches(string(scheme), string(glob), matches), stat, errmsg)
    halocline_scheme_matches = matches /= 0
  end function

  !> How many methods there are, available or not, without `auto`.
  integer function halocline_known_schemes()
    integer(c_int) :: count
    count = 0
    call check(c_known_schemes(count))
    halocline_known_schemes = count
  end function

  !> Of method `number`, from 1 on: the scheme with its default options, what it does in one line,
  !> and why this MPI cannot run it ("" if it can).
  subroutine halocline_known_scheme(number, scheme, summary, unavailable)
    integer, intent(in) :: number
    character(:), allocatable, intent(out), optional :: scheme, summary, unavailable
    type(c_ptr) :: texts(3)
    texts = c_null_ptr
    call check(c_known_scheme(int(number - 1, c_int), texts(1), texts(2), texts(3)))
    if (present(scheme)) scheme = text_at(texts(1))
    if (present(summary)) summary = text_at(texts(2))
    if (present(unavailable)) unavailable = text_at(texts(3))
  end subroutine

  !> Of the library that runs: 200 for 0.2.0.
  integer function halocline_version()
    halocline_version = c_version()
  end function

  !> The same for people: "0.2.0".
  function halocline_version_text() result(text)
    character(:), allocatable :: text
    text = text_at(c_version_text())
  end function

end module

! What becomes of an error: `stat` and `errmsg` have it, or the job ends with its line.
module halocline_errors
  use halocline_c
  implicit none
  private
  public :: check, fail, refuse, string, text_at, word

  !> What `stat` holds: 0, or the kind of an error.
  integer, parameter, public :: halocline_success = 0
  integer, parameter, public :: halocline_error = 1           !< something does not fit
  integer, parameter, public :: halocline_error_timeout = 2   !< nothing moved for too long
  integer, parameter, public :: halocline_error_mpi = 3       !< an MPI function failed
  integer, parameter, public :: halocline_error_memory = 4    !< this rank is out of memory
  integer, parameter, public :: halocline_error_argument = 5  !< no object, a number below 0
  integer, parameter, public :: halocline_error_unknown = 6   !< any other

contains

  !> Hands on what a function of C has returned.
  subroutine check(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (code == 0) then
      if (present(stat)) stat = 0
    else
      call fail(text_at(c_last_error()), stat, errmsg, code)
    end if
  end subroutine

  !> An error with this text.
  subroutine fail(text, stat, errmsg, code)
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: code
    if (.not. present(stat)) call refuse(text)
    if (present(errmsg)) errmsg = text
    if (present(stat)) stat = halocline_error
    if (present(stat) .and. present(code)) stat = code
  end subroutine

  !> Ends all ranks with one message.
  subroutine refuse(text)
    character(*), intent(in) :: text
    character(256) :: path
    integer :: length
    call get_command_argument(0, path, length)
    length = min(length, len(path))
    call c_end_job(string(path(index(path(:length), "/", back=.true.) + 1:length)), string(text))
  end subroutine

  !> As C has it.
  pure function string(text)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: string
    string = trim(text) // c_null_char
  end function

  !> As Fortran has it.
  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i, length
    interface
      pure integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
        import
        type(c_ptr), value :: text
      end function
    end interface
    text = ""
    if (.not. c_associated(address)) return
    length = int(c_strlen(address))
    call c_f_pointer(address, letters, [length])
    deallocate (text)
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function

  !> A scheme, which is the default where none is given.
  pure function word(scheme)
    character(*), intent(in), optional :: scheme
    character(:, c_char), allocatable :: word
    if (present(scheme)) then
      word = string(scheme)
    else
      word = string("p2p:nonblocking")
    end if
  end function

end module

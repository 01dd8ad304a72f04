! The heat equation on a square, in Fortran: Jacobi's method with a halo of one cell, whose exchange
! is hidden behind the cells that need no halo. heat SCHEME CELLS STEPS
program heat
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  implicit none
  type :: array
    real(real64), pointer, contiguous :: at(:, :)
  end type
  type(array) :: u(2)
  type(halocline_grid) :: grid
  type(halocline_exchange) :: halos(2)
  type(halocline_gather_scatter) :: most
  real(real64), asynchronous, target :: warmest(1)
  character(80) :: scheme
  integer :: cells, steps, step, i, nx, ny

  scheme = word(1, "auto")
  cells = number(2, 64)
  steps = number(3, 500)
  call halocline_begin()
  call grid%create(halocline_world(), [cells, cells])
  nx = int(grid%owned(1))
  ny = int(grid%owned(2))
  do i = 1, 2
    call grid%allocate(u(i)%at, scheme=scheme)  ! at(0:nx + 1, 0:ny + 1), zeroed
    call halos(i)%create(grid, halocline_field(u(i)%at), scheme)
    if (grid%first(2) == 1) u(i)%at(:, 0) = 1  ! one edge is hot
  end do

  do step = 0, steps - 1
    i = 1 + mod(step, 2)
    call one_step(halos(i), u(i)%at, u(3 - i)%at)
  end do

  warmest = 0  ! of the lower half
  i = max(1, cells / 2 + 1 - int(grid%first(2)) + 1)
  if (.not. grid%idle() .and. i <= ny) warmest = maxval(u(1 + mod(steps, 2))%at(1:nx, i:ny))
  call most%create(halocline_world(), [0], [halocline_field(warmest)], combine=halocline_max)
  call most%run()
  if (halocline_rank(halocline_world()) == 0) &
    print "(a, f0.16)", "warmest cell of the lower half: 0", warmest
  call halocline_end()

contains

  ! Between start and finish the library writes `from`, which the compiler cannot see. That `from`
  ! is ASYNCHRONOUS says so, and that nothing of it may be kept in registers across these calls.
  subroutine one_step(halos, from, to)
    type(halocline_exchange), intent(inout) :: halos
    real(real64), intent(inout), contiguous, asynchronous :: from(0:, 0:)
    real(real64), intent(inout), contiguous :: to(0:, 0:)
    call halos%start()
    call sweep(from, to, 2, nx - 1, 2, ny - 1)
    call halos%finish()
    call sweep(from, to, 1, nx, 1, 1)
    call sweep(from, to, 1, nx, ny, ny)
    call sweep(from, to, 1, 1, 2, ny - 1)
    call sweep(from, to, nx, nx, 2, ny - 1)
  end subroutine

  ! Updates a box of cells.
  subroutine sweep(from, to, first, last, first_row, last_row)
    real(real64), intent(in), contiguous, asynchronous :: from(0:, 0:)
    real(real64), intent(inout), contiguous :: to(0:, 0:)
    integer, intent(in) :: first, last, first_row, last_row
    integer :: i, j
    do j = first_row, last_row
      do i = first, last
        to(i, j) = 0.25_real64 * (from(i, j - 1) + from(i, j + 1) + from(i - 1, j) + from(i + 1, j))
      end do
    end do
  end subroutine

  function word(argument, default)
    integer, intent(in) :: argument
    character(*), intent(in) :: default
    character(80) :: word
    call get_command_argument(argument, word)
    if (word == "") word = default
  end function

  integer function number(argument, default)
    integer, intent(in) :: argument, default
    character(80) :: digits
    digits = word(argument, "")
    number = default
    if (digits /= "") read (digits, *) number
  end function

end program

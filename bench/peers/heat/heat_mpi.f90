! examples/fortran/heat.f90 by MPI alone: mpifort heat_mpi.f90, mpiexec -n RANKS a.out CELLS STEPS
program heat
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  implicit none
  type :: array
    real(real64), allocatable :: at(:, :)
  end type
  type(array), asynchronous :: u(2)
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: column
  real(real64) :: warmest
  integer :: cells, steps, step, i, nx, ny, first, ranks, rank, left, right, lower, upper
  integer :: dims(2), at(2)

  cells = number(1)
  steps = number(2)
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Cart_coords(comm, rank, 2, at)
  call MPI_Cart_shift(comm, 0, 1, left, right)
  call MPI_Cart_shift(comm, 1, 1, lower, upper)
  nx = begin(at(1) + 1, dims(1)) - begin(at(1), dims(1))
  ny = begin(at(2) + 1, dims(2)) - begin(at(2), dims(2))
  first = begin(at(2), dims(2))
  call MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)
  do i = 1, 2
    allocate (u(i)%at(0:nx + 1, 0:ny + 1), source=0._real64)
    if (first == 1) u(i)%at(:, 0) = 1  ! one edge is hot
  end do

  do step = 0, steps - 1
    i = 1 + mod(step, 2)
    call one_step(u(i)%at, u(3 - i)%at)
  end do

  warmest = 0  ! of the lower half
  i = max(1, cells / 2 + 1 - first + 1)
  if (i <= ny) warmest = maxval(u(1 + mod(steps, 2))%at(1:nx, i:ny))
  call MPI_Allreduce(MPI_IN_PLACE, warmest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm)
  if (rank == 0) print "(a, f0.16)", "warmest cell of the lower half: 0", warmest
  call MPI_Type_free(column)
  call MPI_Finalize()

contains

  ! The first cell of a part, of cells that are cut into as many.
  integer function begin(part, parts)
    integer, intent(in) :: part, parts
    begin = 1 + part * (cells / parts) + min(part, mod(cells, parts))
  end function

  subroutine one_step(from, to)
    real(real64), intent(inout), contiguous, asynchronous :: from(0:, 0:)
    real(real64), intent(inout), contiguous :: to(0:, 0:)
    type(MPI_Request) :: requests(8)
    call MPI_Irecv(from(0, 1), 1, column, left, 0, comm, requests(1))
    call MPI_Irecv(from(nx + 1, 1), 1, column, right, 0, comm, requests(2))
    call MPI_Irecv(from(1, 0), nx, MPI_DOUBLE_PRECISION, lower, 0, comm, requests(3))
    call MPI_Irecv(from(1, ny + 1), nx, MPI_DOUBLE_PRECISION, upper, 0, comm, requests(4))
    call MPI_Isend(from(1, 1), 1, column, left, 0, comm, requests(5))
    call MPI_Isend(from(nx, 1), 1, column, right, 0, comm, requests(6))
    call MPI_Isend(from(1, 1), nx, MPI_DOUBLE_PRECISION, lower, 0, comm, requests(7))
    call MPI_Isend(from(1, ny), nx, MPI_DOUBLE_PRECISION, upper, 0, comm, requests(8))
    call sweep(from, to, 2, nx - 1, 2, ny - 1)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
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

  integer function number(argument)
    integer, intent(in) :: argument
    character(80) :: digits
    call get_command_argument(argument, digits)
    read (digits, *) number
  end function

end program

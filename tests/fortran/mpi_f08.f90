! With an MPI that has Fortran: communicators of mpi_f08, and the program begins and ends MPI.
program mpi_f08_program
  use mpi_f08
  use halocline
  implicit none
  type(MPI_Comm) :: half
  type(halocline_grid) :: grid
  type(halocline_exchange) :: halos
  integer, target, asynchronous :: u(0:3)
  integer :: me, ranks, sum
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, half)
  call MPI_Comm_rank(half, me)
  call MPI_Comm_size(half, ranks)
  call grid%create(half, [2 * ranks], periodic=[.true.])
  call halos%create(grid, halocline_field(u), "p2p:nonblocking")
  u = me
  call halos%run()
  call MPI_Allreduce(u(0), sum, 1, MPI_INTEGER, MPI_SUM, half)
  if (u(0) /= modulo(me - 1, ranks) .or. u(3) /= modulo(me + 1, ranks) .or. &
      sum /= ranks * (ranks - 1) / 2) then
    print "(a)", "FAILED: these are not my neighbours' cells"
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end if
  call halos%free()
  call grid%free()
  call MPI_Comm_free(half)
  call MPI_Finalize()
end program

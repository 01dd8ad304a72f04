program first
  use halocline
  implicit none
  type(halocline_grid) :: grid
  type(halocline_exchange) :: halos
  real, pointer, asynchronous :: u(:, :)

  call halocline_begin()                       ! or MPI_Init
  call grid%create(halocline_world(), [64, 48], halo=1, periodic=[.true., .false.])
  call grid%allocate(u)                        ! u(0:nx + 1, 0:ny + 1)
  call halos%create(grid, halocline_field(u))

  u = halocline_rank(grid%comm())
  call halos%run()                             ! now the halos are filled
  if (nint(u(0, 1)) /= grid%neighbour([-1, 0])) error stop "this is not my neighbour's"
  if (halocline_rank(grid%comm()) == 0) print "(a)", "halos are filled"
  call halocline_end()
end program

! An error without `stat` ends all ranks with one line.
program stops
  use halocline
  implicit none
  type(halocline_grid) :: grid
  type(halocline_exchange) :: halos
  real, pointer :: u(:, :)
  call halocline_begin()
  call grid%create(halocline_world(), [8, 8])
  call grid%allocate(u)
  call halos%create(grid, halocline_field(u), "p2p:nonblokking")
  print "(a)", "FAILED: it goes on"
end program

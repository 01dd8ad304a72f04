! The Fortran module over the library, of which C++ says what is right.
program main
  use check_module
  use arrays_module, only: test_arrays
  use asynchronous_module
  use grids_module
  use exchanges_module
  use others_module
  use sections_module
  use errors_module
  use objects_module
  use communicators_module
  use languages_module
  implicit none
  type(halocline_gather_scatter) :: sum
  integer, target, asynchronous :: all(1)
  call halocline_begin()
  world = halocline_world()
  me = halocline_rank(world)
  ranks = halocline_size(world)
  call test_asynchronous()
  call test_arrays()
  call test_grids()
  call test_exchanges()
  call test_others()
  call test_program_sections()
  call test_errors()
  call test_objects()
  call test_communicators()
  call test_languages()
  call test_coming_from()
  all = failures
  call sum%create(world, [1], [halocline_field(all)], "p2p:nonblocking")
  call sum%run()
  if (me == 0) print "(i0, a, i0, a)", all, " failures on ", ranks, " ranks"
  call halocline_end()
  if (all(1) > 0) error stop 1
end program

! A module of MPI's own, as mpi_f08 has its handles.
module handles
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  type, bind(c) :: MPI_Comm
    integer(c_int) :: MPI_VAL
  end type
end module

! Everything that is given a communicator takes one of mpi_f08.
module communicators_module
  use handles, only: MPI_Comm
  use check_module
  implicit none

contains

  subroutine test_communicators()
    type(MPI_Comm) :: all
    type(halocline_grid) :: grid
    type(halocline_pattern) :: halo
    type(halocline_exchange) :: halos, parts, several(1)
    type(halocline_ragged_exchange) :: ragged
    type(halocline_gather_scatter) :: sums
    type(halocline_async_exchange) :: news
    type(halocline_section) :: step
    real(c_double), pointer, asynchronous :: u(:)
    integer :: stat
    all = MPI_Comm(world)
    call check(halocline_rank(all) == me .and. halocline_size(all) == ranks, "of mpi_f08: ranks")
    call grid%create(all, [ranks], periodic=[.true.])
    call grid%create(all, [int(ranks, c_int64_t)], periodic=[.true.])
    call grid%halo(halo)
    call halocline_allocate(all, u, [3], scheme="p2p:nonblocking")
    call halos%create(all, halo, halocline_field(u), scheme="p2p:nonblocking")
    call halos%create(all, halo, [halocline_field(u)], scheme="p2p:nonblocking")
    u = me
    call halos%run()
    call check(nint(u(1)) == modulo(me - 1, ranks), "of mpi_f08: an exchange")
    call parts%create_parts(all, [halo], [halocline_field(u)], [1], scheme="p2p:nonblocking")
    call parts%run()
    call check(nint(u(3)) == modulo(me + 1, ranks), "of mpi_f08: parts")
    call ragged%create(all, [me], [me], 8, scheme="p2p:nonblocking")
    call sums%create(all, [0, 1, 2], [halocline_field(u)], scheme="p2p:nonblocking")
    call sums%create(all, [0_c_int64_t], [halocline_field(u(:1))], scheme="p2p:nonblocking")
    call news%create(all, halo, 8, "p2p:nonblocking", stat=stat)
    call check(stat == halocline_success, "of mpi_f08: an asynchronous exchange")
    call halos%create(all, halo, halocline_field(u), scheme="auto+when=running")
    call step%create(all, halos, stat=stat)
    call check(stat == halocline_success, "of mpi_f08: a section")
    call step%free()
    call several(1)%create(all, halo, halocline_field(u), scheme="auto+when=running")
    call step%create(all, several, stat)
    call check(stat == halocline_success, "of mpi_f08: a section of an array")
    call halocline_deallocate(u)
  end subroutine

end module

! What compilers may keep in registers across start and finish, at -O3: nothing that is
! ASYNCHRONOUS.
module asynchronous_module
  use check_module
  implicit none

contains

  subroutine larger(here, arrived, count, context) bind(c)
    type(c_ptr), value :: here, arrived, context
    integer(c_int64_t), value :: count
    integer(c_int16_t), pointer :: mine(:), theirs(:)
    integer, pointer :: calls
    call c_f_pointer(here, mine, [count])
    call c_f_pointer(arrived, theirs, [count])
    call c_f_pointer(context, calls)
    where (abs(theirs) > abs(mine)) mine = theirs
    calls = calls + int(count)
  end subroutine

  !> All send to all others, which keep the largest. Without the attribute gfortran takes `calls`
  !> for 0 at the end, from -O1 on.
  subroutine test_combining()
    type(halocline_pattern) :: all_to_all
    type(halocline_exchange) :: halos
    integer(c_int16_t), target, asynchronous :: x(2)
    integer, target, asynchronous :: calls
    integer :: peer
    type(c_funptr) :: function
    function = c_funloc(larger)
    call all_to_all%create()
    do peer = 0, ranks - 1
      if (peer == me) cycle
      call all_to_all%send(peer, [1])
      call all_to_all%receive(peer, [2])
    end do
    calls = 0
    call halos%create(world, all_to_all, halocline_field(x), &
                      scheme="p2p:nonblocking", &
                      combine=halocline_combine_by(function, 2, c_loc(calls)))
    x = [-10_c_int16_t * int(me, c_int16_t), 0_c_int16_t]
    call halos%run()
    peer = merge(ranks - 2, ranks - 1, me == ranks - 1)  ! who has the largest
    call check(x(2) == -10 * max(peer, 0), "combined by a function")
    call check(calls == ranks - 1, "which is called for each element")
  end subroutine

  !> A halo that is read before the exchange, and after it.
  subroutine step(halos, u, before, after)
    type(halocline_exchange), intent(inout) :: halos
    integer, intent(inout), asynchronous :: u(0:2)
    integer, intent(out) :: before, after
    u(1) = 100 + me
    before = u(0)
    call halos%start()
    call halos%finish()
    after = u(0)
  end subroutine

  subroutine test_asynchronous()
    integer, target, asynchronous :: u(0:2)
    type(halocline_grid) :: grid
    type(halocline_exchange) :: halos
    integer :: before, after
    call grid%create(world, [ranks], periodic=[.true.])
    call halos%create(grid, halocline_field(u), "p2p:nonblocking")
    u = -1
    call step(halos, u, before, after)
    call check(before == -1 .and. after == 100 + modulo(me - 1, ranks), &
               "the halo after finish is new")
    call test_combining()
  end subroutine

end module

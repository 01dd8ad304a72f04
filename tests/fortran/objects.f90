! Objects: they end with their scope, are allocated and moved, and end in any order.
module objects_module
  use check_module
  implicit none

  type :: model
    type(halocline_grid) :: grid
    type(halocline_exchange), allocatable :: halos(:)
    real(c_double), allocatable :: u(:, :)
  end type

contains

  !> What it has made ends with it.
  subroutine make_and_forget()
    type(halocline_grid) :: grid
    type(halocline_pattern) :: halo, same
    type(halocline_exchange) :: halos
    real(c_double), target, asynchronous :: u(3)
    call grid%create(world, [ranks], periodic=[.true.])
    call grid%halo(halo)
    same = halo
    call halo%free()
    call halos%create(world, same, halocline_field(u), scheme="p2p:persistent")
    call same%free()
    call grid%free()
    u = me
    call halos%run()
    call check(nint(u(1)) == modulo(me - 1, ranks), "an exchange keeps what it needs")
  end subroutine

  !> The most memory that this process has had, in kB; 0 where Linux does not say.
  integer function most_memory()
    character(80) :: line
    integer :: file, end
    most_memory = 0
    open (newunit=file, file="/proc/self/status", action="read", iostat=end)
    if (end /= 0) return
    do while (end == 0)
      read (file, "(a)", iostat=end) line
      if (end == 0 .and. line(:6) == "VmHWM:") read (line(7:), *) most_memory
    end do
    close (file)
  end function

  subroutine make_large_patterns(n)
    integer, intent(in) :: n
    type(halocline_pattern) :: several(2), back
    type(halocline_pattern), allocatable :: one
    integer :: i
    allocate (one)
    call one%send(0, [(2 * i, i = 1, n)])
    several(1) = one
    several(2) = several(1)
    call several(2)%reversed(back)
    call check(back%elements_sent() == 0 .and. several(2)%elements_sent() == n, &
               "patterns that are copied")
  end subroutine

  !> What ends gives its memory back: variables, arrays, what is allocated.
  subroutine test_memory()
    integer :: before, i, sanitizers
    call get_environment_variable("HALOCLINE_TEST_FEW", length=sanitizers)
    if (me > 0 .or. sanitizers > 0) return  ! which keep what is freed
    call make_large_patterns(50000)
    before = most_memory()
    do i = 1, 10
      call make_large_patterns(50000)
    end do
    call check(most_memory() - before < 20000, "memory is given back")
  end subroutine

  subroutine set_up(it, n)
    type(model), intent(out), target :: it
    integer, intent(in) :: n
    integer :: i
    call it%grid%create(world, [4 * ranks, 4], dims=[ranks, 1], periodic=[.true., .true.])
    allocate (it%u(6, 6), it%halos(n))
    do i = 1, n
      call it%halos(i)%create(it%grid, halocline_field(it%u), "p2p:nonblocking")
    end do
  end subroutine

  !> Each rank frees exchanges in another order.
  subroutine test_order_of_ends()
    type(halocline_exchange) :: all(8)
    type(halocline_grid) :: grid
    character(16), parameter :: schemes(4) = [character(16) :: &
                                              "p2p:nonblocking", "rma:put:fence", "shm:signal", &
                                              "rma:get:flush"]
    real(c_double), target, asynchronous :: u(3, size(all))
    integer :: i
    call grid%create(world, [ranks], periodic=[.true.])
    do i = 1, size(all)
      call all(i)%create(grid, halocline_field(u(:, i)), trim(schemes(modulo(i, 4) + 1)))
      u(:, i) = me
      call all(i)%run()
      call check(nint(u(1, i)) == modulo(me - 1, ranks), "an exchange among many")
    end do
    do i = 1, size(all)
      call all(merge(i, size(all) + 1 - i, modulo(me, 2) == 0))%free()
    end do
  end subroutine

  subroutine test_objects()
    type(model), allocatable, target :: one
    type(halocline_exchange), allocatable :: moved(:)
    integer :: i
    do i = 1, 3
      call make_and_forget()
    end do
    call test_memory()
    call test_order_of_ends()
    allocate (one)
    do i = 1, 3
      call set_up(one, i)
      one%u = me
      call one%halos(i)%run()
      call check(nint(one%u(1, 3)) == modulo(me - 1, ranks), "an exchange of a model")
    end do
    call move_alloc(one%halos, moved)
    one%u = me
    call moved(2)%run()
    call check(nint(one%u(6, 3)) == modulo(me + 1, ranks), "an exchange that was moved")
    call moved(3)%start()
    deallocate (moved)
    call halocline_begin()  ! it has begun
  end subroutine

end module

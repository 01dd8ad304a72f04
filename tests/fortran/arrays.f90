! What an exchange is bound to: the caller's very array, or an error, of whatever kind and rank.
module arrays_module
  use, intrinsic :: iso_fortran_env, only: real64
  use check_module
  implicit none

  type :: cell
    complex(real64) :: z
    real(real64) :: v(3) = 7
    integer :: flag = 7
    real(c_float) :: small = 7
    real(real64) :: last = 7
  end type

  type :: model
    type(cell) :: cells(6, 6)
    real(real64), allocatable :: u(:, :)
  end type

  type(halocline_grid) :: grid
  real(real64), target :: right(6, 6)  !< what an exchange of `start` makes of it

contains

  pure function start()
    real(real64) :: start(6, 6)
    integer :: i
    start = -1
    start(2:5, 2:5) = 1000 * (me + 1) + reshape([(i, i = 1, 16)], [4, 4])
  end function

  subroutine run(field)
    type(halocline_field), intent(in) :: field
    type(halocline_exchange) :: halos
    call halos%create(grid, field, "p2p:nonblocking")
    call halos%run()
    call halos%create(grid, field, "shm:signal")
    call halos%run(field)  ! it lies where it lay
  end subroutine

  logical function is_right(u)
    real(real64), intent(in) :: u(:, :)
    is_right = all(nint(u) == nint(right))
  end function

  !> Components, and pointers to them. A compiler that cannot give their addresses says so.
  subroutine test_components()
    type(cell), allocatable, target :: a(:, :)
    type(cell), target :: one(6, 6)
    complex(real64), allocatable, target :: z(:, :)
    real(real64), pointer :: p(:, :)
    type(halocline_field) :: field
    type(halocline_exchange) :: halos
    character(300) :: text
    integer :: which, stat
    allocate (a(6, 6), z(6, 6))
    do which = 1, 12
      a%z = cmplx(start(), -start(), real64)
      a%v(2) = start()
      one = a
      z = a%z
      p => a%v(2)
      select case (which)
      case (1)
        field = halocline_field(a%v(2), stat=stat, errmsg=text)
      case (2)
        field = halocline_field(a%z%re, stat=stat, errmsg=text)
      case (3)
        field = halocline_field(a%z, stat=stat, errmsg=text)
      case (4)
        field = halocline_field(one%v(2), stat=stat, errmsg=text)
      case (5)
        field = halocline_field(z%re, stat=stat, errmsg=text)
      case (6)
        field = halocline_field(p, stat=stat, errmsg=text)
      case (7)
        field = halocline_field(p(:, :), stat=stat, errmsg=text)
      case (8)
        field = halocline_field(a(:, 6:1:-1)%v(2), stat=stat, errmsg=text)
      case (9)
        stat = 0
        field = by_places(c_loc(a(1, 1)%v(2)), c_loc(a(2, 1)%v(2)), c_loc(a(1, 2)%v(2)))
      case (10)
        stat = 0
        field = by_places(c_loc(z(1, 1)%re), c_loc(z(2, 1)%re), c_loc(z(1, 2)%re))
      case (11)  ! elements of 16 bytes, 56 bytes apart
        stat = 0
        field = halocline_field([c_loc(a(1, 1)%z), c_loc(a(2, 1)%z), c_loc(a(1, 2)%z)], &
                                halocline_complex_real64, shape(a))
      case (12)  ! once more, backwards
        stat = 0
        field = by_places(c_loc(a(6, 1)%v(2)), c_loc(a(5, 1)%v(2)), c_loc(a(6, 2)%v(2)))
      end select
      if (stat /= 0) then
        call check_fails(stat, text, halocline_error, "this compiler does not give the address of")
        cycle
      end if
      call run(field)
      select case (which)
      case (1, 6, 7, 9)
        call check(is_right(a%v(2)) .and. is_right_of(cmplx(start(), -start(), real64), a%z), "a%v")
      case (2)
        call check(is_right(real(a%z)) .and. all(nint(aimag(a%z)) == nint(-start())), "a%z%re")
      case (3, 11)
        call check(is_right(real(a%z)) .and. is_right(-aimag(a%z)), "a%z")
        call check(all(nint(a%v(2)) == nint(start())), "beside a%z")
      case (4)
        call check(is_right(one%v(2)), "one%v")
      case (5, 10)
        call check(is_right(real(z)) .and. all(nint(aimag(z)) == nint(-start())), "z%re")
      case (8)
        call check(all(a(2:5, 2:5)%v(2) > 0) .and. all(a%v(2) > 0), "a backwards")
      case (12)
        call check(all(nint(a(2:5, 2:5)%v(2)) == nint(right(2:5, 2:5))) .and. all(a%v(2) > 0), &
                   "addresses backwards")
      end select
      call check(all(a%flag == 7) .and. all(nint(a%v(1)) == 7) .and. all(nint(a%v(3)) == 7) .and. &
                 all(nint(a%small) == 7) .and. all(nint(a%last) == 7), "the other components")
    end do
    call halos%create(world, ring(), halocline_unbound(halocline_real64), scheme="p2p:nonblocking")
    call halos%run(by_places(c_loc(a(1, 1)%v(2)), c_loc(a(2, 1)%v(2)), c_loc(a(1, 2)%v(2))), &
                   stat, text)
    call check_fails(stat, text, halocline_error, "other axes or strides")
  end subroutine

  logical function is_right_of(before, now)
    complex(real64), intent(in) :: before(:, :), now(:, :)
    is_right_of = all(nint(real(before)) == nint(real(now))) .and. &
                  all(nint(aimag(before)) == nint(aimag(now)))
  end function

  type(halocline_field) function by_places(first, below, beside)
    type(c_ptr), intent(in) :: first, below, beside
    by_places = halocline_field([first, below, beside], halocline_real64, [6, 6])
  end function

  function ring() result(pattern)
    type(halocline_pattern) :: pattern
    if (ranks == 1) then
      call pattern%copy([2], [1])
    else
      call pattern%send(modulo(me + 1, ranks), [2])
      call pattern%receive(modulo(me - 1, ranks), [1])
    end if
  end function

  !> Sections, arrays of structures and of other kinds, and of many axes.
  subroutine test_kinds()
    type(model), target :: it
    real(real64), target :: w(13, 0:6, 2)
    real(real64), pointer :: p(:, :)
    integer(c_int16_t), target :: few(6, 6)
    logical, target :: l(6, 6)
    logical(c_bool), target :: b(6, 6)
    real(c_float), target :: six(2, 6, 6, 1, 1, 1)
    real(real64), pointer :: five(:, :, :, :, :)
    type(halocline_grid) :: cube
    type(halocline_exchange) :: halos
    type(halocline_field) :: field
    character(200) :: text
    integer :: stat
    w = -7
    w(1:11:2, 1:6, 2) = start()
    call run(halocline_field(w(1:11:2, 1:6, 2)))
    call check(is_right(w(1:11:2, 1:6, 2)) .and. all(w(2::2, :, :) < -6), "a section")
    w(13:3:-2, 6:1:-1, 1) = start()
    p(0:, 0:) => w(13:3:-2, 6:1:-1, 1)
    call run(halocline_field(p))
    call check(is_right(w(13:3:-2, 6:1:-1, 1)), "a pointer to a section")
    it%u = start()
    call run(halocline_field(it%u))
    call check(is_right(it%u), "an allocatable component")
    l = start() > 0
    b = l
    call run(halocline_field(l))
    call run(halocline_field(b))
    call check(all(l) .and. all(b), "logical")
    call cube%create(world, [4 * ranks, 4, 1, 1, 1], below=[1, 1, 0, 0, 0], &
                     above=[1, 1, 0, 0, 0], dims=[ranks, 1, 1, 1, 1], &
                     periodic=[.true., .true., .false., .false., .false.])
    six(1, :, :, 1, 1, 1) = real(start())
    six(2, :, :, 1, 1, 1) = -real(start())
    call halos%create(cube, halocline_field(six, components=1), "p2p:nonblocking")
    call halos%run()
    call check(is_right(real(six(1, :, :, 1, 1, 1), real64)) .and. &
               is_right(real(-six(2, :, :, 1, 1, 1), real64)), "six axes")
    call cube%allocate(five)
    five(0:, 0:, 1, 1, 1) = start()
    call halos%create(cube, halocline_field(five), "p2p:nonblocking")
    call halos%run()
    call check(is_right(five(:, :, 1, 1, 1)), "five axes")
    call halos%free()
    call halocline_deallocate(five)
    field = halocline_field(six, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "a field has 1 to 5 axes")
    call halos%create(grid, halocline_field(few), "p2p:nonblocking", combine=halocline_sum, &
                      stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, &
                     "knows real, complex and integer numbers of 4 and 8")
  end subroutine

  subroutine test_no_array()
    real, allocatable, target :: none(:, :)
    real, pointer :: nowhere(:)
    real, target :: empty(0, 5)
    type(halocline_field) :: field
    type(halocline_exchange) :: halos
    type(halocline_pattern) :: links
    character(200) :: text
    integer :: stat
    nullify (nowhere)
    field = halocline_field(none, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "the array is not allocated")
    field = halocline_field(nowhere, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "the pointer is not associated")
    field = halocline_field([c_null_ptr], halocline_real64, [2], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "the addresses of the first element and of the")
    call halos%create(world, links, halocline_field(empty), scheme="p2p:nonblocking")
    call halos%run(halocline_field(empty))
  end subroutine

  !> The compiler copies a section to the dummy argument before this sees it.
  subroutine bind_to(halos, n, u)
    type(halocline_exchange), intent(inout) :: halos
    integer, intent(in) :: n
    real(real64), intent(inout), target :: u(n, n)
    call halos%create(grid, halocline_field(u), "p2p:nonblocking")
  end subroutine

  subroutine test_copies()
    real(real64), target :: w(12, 6)
    type(halocline_exchange) :: halos
    character(300) :: text
    integer :: stat
    w = 0
    call bind_to(halos, 6, w(::2, :))
    call halos%run(halocline_field(w(::2, :)), stat, text)
    call check_fails(stat, text, halocline_error, &
                     "lies elsewhere than the one that this exchange is")
    call bind_to(halos, 6, w(:6, :))
    call halos%run(halocline_field(w(:6, :)), stat, text)
    call check_fails(stat, text, halocline_error, &
                     "lies elsewhere than the one that this exchange is")
  end subroutine

  subroutine test_arrays()
    call grid%create(world, [4 * ranks, 4], dims=[ranks, 1], periodic=[.true., .true.])
    right = start()
    call run(halocline_field(right))
    call check(all(right > 0), "a whole array")
    call test_components()
    call test_kinds()
    call test_no_array()
    call test_copies()
    call grid%free()
  end subroutine

end module

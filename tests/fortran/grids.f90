! Grids of 1 to 4 axes, and their memory: bounds, order of axes, halos.
module grids_module
  use check_module
  implicit none

contains

  !> What belongs in the cell with these indices of the whole grid, which is periodic.
  integer function content(index, cells)
    integer, intent(in) :: index(:), cells(:)
    integer :: axis
    content = 0
    do axis = size(cells), 1, -1
      content = 11 * content + modulo(index(axis) - 1, cells(axis))
    end do
  end function

  logical function is_owned(grid, index)
    type(halocline_grid), intent(in) :: grid
    integer, intent(in) :: index(:)
    integer :: axis
    is_owned = .true.
    do axis = 1, size(index)
      is_owned = is_owned .and. index(axis) >= grid%first(axis) .and. index(axis) <= grid%last(axis)
    end do
  end function

  subroutine test_one_axis()
    type(halocline_grid) :: grid
    type(halocline_exchange) :: halos
    integer(c_int16_t), pointer, contiguous :: u(:)
    integer, parameter :: cells(1) = [13]
    integer :: i
    call grid%create(world, cells, below=[2], above=[1], periodic=[.true.])
    call grid%allocate(u, global=.true.)
    call check(lbound(u, 1) == grid%first(1) - 2 .and. ubound(u, 1) == grid%last(1) + 1, &
               "bounds, 1 axis")
    call halos%create(grid, halocline_field(u), "p2p:nonblocking")
    u = -1
    do i = int(grid%first(1)), int(grid%last(1))
      u(i) = int(content([i], cells), c_int16_t)
    end do
    call halos%run()
    call check(all(u == [(content([i], cells), i = lbound(u, 1), ubound(u, 1))]), "halo of 1 axis")
    call halocline_deallocate(u)
    call check(.not. associated(u), "a pointer is null once its memory is given back")
    call halos%run()
  end subroutine

  !> Of different widths, on arrays of the library and of the caller's, with corners.
  subroutine test_two_axes(scheme)
    character(*), intent(in) :: scheme
    type(halocline_grid) :: grid
    type(halocline_exchange) :: halos
    real, pointer, asynchronous :: u(:, :)
    complex(c_double), allocatable, target, asynchronous :: v(:, :)
    integer, parameter :: cells(2) = [9, 10]
    integer :: i, j, nx, ny
    call grid%create(world, cells, below=[1, 2], above=[2, 1], periodic=[.true., .true.], &
                     dims=[ranks, 1])
    call check(grid%axes() == 2 .and. grid%dims(1) == ranks .and. grid%dims(2) == 1, "dims")
    call check(grid%coordinate(1) == me .and. grid%neighbour([1, 0]) == modulo(me + 1, ranks), &
               "neighbours along the first axis")
    call grid%allocate(u, scheme=scheme)
    nx = int(grid%owned(1))
    ny = int(grid%owned(2))
    call check(all(lbound(u) == [0, -1]) .and. all(ubound(u) == [nx + 2, ny + 1]), "bounds, 2 axes")
    call check(all(abs(u) < tiny(u)), "memory of the library is zeroed")
    allocate (v(0:nx + 2, -1:ny + 1))
    call halos%create(grid, [halocline_field(u), halocline_field(v)], scheme)
    call check(halos%memory_hint() == "" .or. scheme /= "p2p:nonblocking", "an explanation")
    u = -1
    v = -1
    do j = 1, ny
      do i = 1, nx
        u(i, j) = content([i + int(grid%first(1)) - 1, j], cells)
        v(i, j) = cmplx(u(i, j), i, c_double)
      end do
    end do
    call halos%start()
    call halos%finish()
    do j = -1, ny + 1
      do i = 0, nx + 2
        call check(nint(u(i, j)) == content([i + int(grid%first(1)) - 1, j], cells) .and. &
                   nint(real(v(i, j))) == nint(u(i, j)), "halo of 2 axes by " // scheme)
      end do
    end do
    call halocline_deallocate(u)
  end subroutine

  !> Sections of an array with more axes and wider bounds, of any stride; one of them backwards.
  subroutine test_sections()
    type(halocline_grid) :: grid
    type(halocline_exchange) :: halos
    real(c_double), allocatable, target, asynchronous :: w(:, :, :, :)
    integer, parameter :: cells(3) = [6, 5, 8]
    integer :: i, j, k, n(3)
    call grid%create(world, cells, periodic=[.true., .true., .true.], corners=.false.)
    n = [(int(grid%extent(i)), i = 1, 3)]
    allocate (w(2 * n(1), -3:n(2) + 3, n(3), 2))
    w = -1
    call halos%create(grid, [halocline_field(w(1:2 * n(1):2, -2:n(2) - 3, :, 2)), &
                             halocline_field(w(2 * n(1):1:-2, 1:n(2), :, 1))], "p2p:nonblocking")
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          if (.not. inner([i, j, k])) cycle
          w(2 * i - 1, j - 3, k, 2) = content(number([i, j, k]), cells)
          w(2 * n(1) - 2 * i + 2, j, k, 1) = content(number([i, j, k]), cells)
        end do
      end do
    end do
    call halos%run()
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          if (count([i, j, k] == 1 .or. [i, j, k] == n) > 1) then  ! an edge, which is no halo here
            call check(nint(w(2 * i - 1, j - 3, k, 2)) == -1, "edges stay")
          else
            call check(nint(w(2 * i - 1, j - 3, k, 2)) == content(number([i, j, k]), cells), &
                       "a section")
            call check(nint(w(2 * n(1) - 2 * i + 2, j, k, 1)) == content(number([i, j, k]), &
                cells), "a section that runs backwards")
          end if
        end do
      end do
    end do
    call check(all(nint(w(2::2, :, :, 2)) == -1) .and. all(nint(w(:, n(2) + 1:, :, 1)) == -1), &
               "what is outside of a section stays")

  contains

    logical function inner(index)
      integer, intent(in) :: index(3)
      inner = all(index > 1 .and. index < n)
    end function

    function number(index)
      integer, intent(in) :: index(3)
      integer :: number(3), axis
      number = index - 2 + [(int(grid%first(axis)), axis = 1, 3)]
    end function

  end subroutine

  !> Several numbers a cell; and so many axes as there may be.
  subroutine test_components()
    type(halocline_grid) :: grid
    type(halocline_exchange) :: halos
    integer(c_int64_t), pointer :: v(:, :, :)
    integer(c_int8_t), pointer :: b(:, :, :, :)
    integer, parameter :: cells(2) = [7, 12], four(4) = [3, 4, 2, 5]
    integer :: i, j, k, l, c, n(4)
    call grid%create(world, cells, periodic=[.true., .true.])
    call grid%allocate(v, components=3, global=.true., scheme="shm:signal")
    call check(all(lbound(v) == [1, int(grid%first(1)) - 1, int(grid%first(2)) - 1]), &
               "bounds, components")
    call halos%create(grid, halocline_field(v, components=1), "shm:signal")
    v = -1
    do j = int(grid%first(2)), int(grid%last(2))
      do i = int(grid%first(1)), int(grid%last(1))
        v(:, i, j) = [(c + 10 * content([i, j], cells), c = 1, 3)]
      end do
    end do
    call halos%run()
    do j = lbound(v, 3), ubound(v, 3)
      do i = lbound(v, 2), ubound(v, 2)
        call check(all(v(:, i, j) == [(c + 10 * content([i, j], cells), c = 1, 3)]), "components")
      end do
    end do

    call grid%create(world, four, periodic=[.true., .true., .true., .true.], dims=[1, 1, 1, ranks])
    call grid%allocate(b, global=.true.)
    call halos%create(grid, halocline_field(b), "p2p:nonblocking")
    n = [(int(grid%first(i)), i = 1, 4)]
    do l = lbound(b, 4), ubound(b, 4)
      do k = lbound(b, 3), ubound(b, 3)
        do j = lbound(b, 2), ubound(b, 2)
          do i = lbound(b, 1), ubound(b, 1)
            b(i, j, k, l) = -1
            if (is_owned(grid, [i, j, k, l])) b(i, j, k, l) = byte([i, j, k, l])
          end do
        end do
      end do
    end do
    call halos%run()
    do l = lbound(b, 4), ubound(b, 4)
      do k = lbound(b, 3), ubound(b, 3)
        do j = lbound(b, 2), ubound(b, 2)
          do i = lbound(b, 1), ubound(b, 1)
            call check(b(i, j, k, l) == byte([i, j, k, l]), "halo of 4 axes")
          end do
        end do
      end do
    end do
    call halocline_deallocate(v)
    call halocline_deallocate(b)

  contains

    integer(c_int8_t) function byte(index)
      integer, intent(in) :: index(4)
      byte = int(modulo(content(index, four), 127), c_int8_t)
    end function

  end subroutine

  !> More ranks than cells, and faces.
  subroutine test_idle()
    type(halocline_grid) :: grid, faces
    type(halocline_exchange) :: halos
    real(c_double), pointer :: u(:, :)
    call grid%create(world, [3, 3], dims=[1, 1])
    call check(grid%idle() .eqv. me > 0, "idle ranks")
    call grid%allocate(u)
    call check(size(u) == merge(0, 25, me > 0), "memory of an idle rank")
    call halos%create(grid, halocline_field(u), "p2p:nonblocking")
    call halos%run()
    call grid%faces(1, faces)
    call check(me > 0 .or. faces%owned(1) == 4, "faces")
    call halocline_deallocate(u)
  end subroutine

  !> What each rank has, of a grid and of any number of ranks.
  subroutine test_cuts()
    type(halocline_grid) :: grid
    type(halocline_cut) :: cut, whole, faces
    type(halocline_pattern) :: halo, same
    type(halocline_distribution) :: parts
    integer, parameter :: cells(2) = [17, 12]
    integer :: rank, axis, owned, stat
    character(120) :: text
    call grid%create(world, cells, below=[1, 2], above=[1, 2], periodic=[.false., .true.])
    call grid%cut(cut)
    call whole%create(ranks, cells, below=[1, 2], above=[1, 2], periodic=[.false., .true.])
    call check(cut%axes() == 2 .and. cut%ranks() == ranks .and. cut%parts() == whole%parts(), &
               "numbers of a cut")
    do axis = 1, 2
      call check(cut%dims(axis) == grid%dims(axis) .and. &
                 cut%coordinate(me, axis) == grid%coordinate(axis) .and. &
                 cut%first(me, axis) == grid%first(axis) .and. &
                 whole%last(me, axis) == grid%last(axis) .and. &
                 whole%extent(me, axis) == grid%extent(axis), "a cut is the grid's")
    end do
    call check(cut%neighbour(me, [1, 0]) == max(grid%neighbour([1, 0]), -1) .and. &
               .not. cut%idle(me), &
               "neighbours of a cut")
    call cut%halo(me, halo)
    call grid%halo(same)
    call check(halo%elements_sent() == same%elements_sent(), "the halo of a cut")
    call cut%faces(1, faces)
    call check(faces%last(ranks - 1, 2) == 12, "faces of a cut")
    call cut%distribution(parts)
    call check(parts%elements(me) == grid%extent(1) * grid%extent(2), "the distribution of a cut")
    call whole%create(24, [60, 40])
    owned = 0
    do rank = 0, 23
      owned = owned + int(whole%owned(rank, 1) * whole%owned(rank, 2))
    end do
    call check(owned == 2400, "parts of 24 ranks")
    call whole%create(2, [4, 4], halo=9, periodic=[.true., .true.], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "halo")
    call whole%create(2, [4, 4], dims=[1], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "cut%create: below, above")
  end subroutine

  subroutine test_grids()
    call test_one_axis()
    call test_two_axes("p2p:nonblocking")
    call test_two_axes("shm:signal")
    call test_two_axes("auto")
    call test_sections()
    call test_components()
    call test_idle()
    call test_cuts()
  end subroutine

end module

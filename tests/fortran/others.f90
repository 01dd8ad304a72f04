! Ragged and asynchronous exchanges, gather-scatter, arrays that are spread in another way; schemes,
! limits and the version.
module others_module
  use check_module
  implicit none

  type, bind(c) :: particle
    real(c_double) :: position
    integer(c_int) :: number
  end type

contains

  subroutine test_ragged()
    type(halocline_ragged_exchange) :: migration
    type(particle), target :: leaving(2)
    type(particle), pointer :: came(:), going(:)
    type(c_ptr) :: there
    integer :: before, step, n
    before = modulo(me - 1, ranks)
    call migration%create(world, [modulo(me + 1, ranks)], [before], storage_size(leaving) / 8, &
                          scheme="p2p:nonblocking")
    do step = 0, 2
      leaving = [particle(me + 0.5_c_double, step), particle(me, -step)]
      if (step < 2) then
        call migration%send(1, c_loc(leaving), modulo(me + step, 3))
      else
        call migration%outgoing(1, 1, there)
        call c_f_pointer(there, going, [1])
        going = leaving(2)
      end if
      call migration%run()
      call migration%received(1, there, n)
      call check(n == merge(modulo(before + step, 3), 1, step < 2), "as many as were sent")
      if (n == 0) cycle
      call c_f_pointer(there, came, [n])
      call check(came(n)%number == merge(step, -step, n == 1 .and. step < 2), "what was sent")
      call check(int(came(1)%position) == before, "from whom it was sent")
    end do
    call check(len(migration%scheme()) > 0, "the scheme of a ragged exchange")
  end subroutine

  subroutine test_gather_scatter()
    type(halocline_gather_scatter) :: sums
    real(c_double), target, asynchronous :: mass(3), other(3)
    character(300) :: text
    integer :: stat
    mass = [1, 2, 3]
    ! The last node is the next rank's first; around a ring.
    call sums%create(world, [2 * me, 2 * me + 1, modulo(2 * me + 2, 2 * ranks)], &
                     [halocline_field(mass)], "p2p:nonblocking")
    call sums%run()
    call check(all(nint(mass) == [4, 2, 4]), "sums over shared nodes")
    call sums%run([halocline_field(other)], stat, text)
    call check_fails(stat, text, halocline_error, &
                     "lies elsewhere than the one that this exchange is")
    call sums%create(world, [2 * me, 2 * me + 1, modulo(2 * me + 2, 2 * ranks)], &
                     [halocline_unbound(halocline_real64)], combine=halocline_max)
    other = [1, 2, 3]
    call sums%run([halocline_field(other)])
    call check(all(nint(other) == [3, 2, 3]), "the largest of shared nodes")
    call check(ranks == 1 .or. sums%bytes_sent() > 0, "bytes sent by a gather-scatter")
  end subroutine

  subroutine test_async()
    type(halocline_async_exchange) :: news
    type(halocline_pattern) :: ring
    real(c_double), target, asynchronous :: x(2)
    integer(c_int64_t) :: sent
    integer :: before, fresh
    if (ranks == 1) return
    before = modulo(me - 1, ranks)
    call ring%send(modulo(me + 1, ranks), [1])
    call ring%receive(before, [2])
    call news%create(world, ring, 8, "p2p:nonblocking")
    x = [me, -1]
    call news%send(halocline_field(x), 1)
    call news%receive(halocline_field(x), fresh)
    call news%drain(halocline_field(x))
    call check(nint(x(2)) == before .and. news%iteration_of(1) == 1, "the newest data")
    call news%counts(sent=sent)
    call check(sent == 1 .and. fresh <= 1, "counts")
  end subroutine

  !> From columns to rows.
  subroutine test_between()
    type(halocline_distribution) :: columns, rows
    type(halocline_pattern) :: pattern
    type(halocline_exchange) :: move
    integer, allocatable, target, asynchronous :: a(:, :), b(:, :)
    integer :: i, j
    call columns%create([6, 8], [1, ranks])
    call rows%create([6, 8], [ranks, 1], below=[1, 0], above=[0, 0])
    call pattern%create_between(columns, rows, me)
    allocate (a(6, int(columns%elements(me)) / 6), b(0:int(rows%elements(me)) / 8 - 1, 8))
    do j = 1, size(a, 2)
      a(:, j) = [(10 * i + before(8, j), i = 1, 6)]
    end do
    b = -1
    call move%create(world, pattern, halocline_field(a), to=halocline_field(b), &
                     scheme="p2p:nonblocking")
    call move%run()
    do j = 1, 8
      call check(all(b(1:, j) == [(10 * before(6, i) + j, i = 1, ubound(b, 1))]), "rows of columns")
    end do
    call check(all(b(0, :) == -1), "beside them")

  contains

    integer function before(cells, mine)
      integer, intent(in) :: cells, mine
      before = me * (cells / ranks) + min(me, modulo(cells, ranks)) + mine
    end function

  end subroutine

  !> Each rank has two boxes of its rows, which lie in one array.
  subroutine test_blocks()
    type(halocline_distribution) :: blocks
    type(halocline_pattern) :: halo
    type(halocline_exchange) :: halos
    integer, allocatable, target, asynchronous :: x(:)
    integer, pointer :: block(:, :)
    integer :: first(2), last(2), begin, number, i, j, way, boxes, stat
    character(100) :: text
    call blocks%create_of_boxes([(2, i = 1, ranks)], &
                                reshape([(1, 4 * i + 1, 3, 4 * i + 1, i = 0, ranks - 1)], &
                                        [2, 2 * ranks]), &
                                reshape([(2, 4 * i + 4, 6, 4 * i + 4, i = 0, ranks - 1)], &
                                        [2, 2 * ranks]), below=[1, 1], above=[1, 1])
    call halo%create_halo_of(blocks, me, periodic=[.true., .true.], cells=[6, 4 * ranks])
    allocate (x(blocks%elements(me)))
    call halos%create(world, halo, halocline_field(x), scheme="p2p:nonblocking")
    boxes = blocks%parts(me)
    call check(boxes == 2, "two boxes a rank")
    do way = 1, 2
      do number = 1, boxes
        call blocks%part(me, number, first, last, begin)
        block(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1) => x(begin:)
        do j = lbound(block, 2), ubound(block, 2)
          do i = lbound(block, 1), ubound(block, 1)
            if (way == 2) then
              call check(block(i, j) == 1 + modulo(i - 1, 6) + 100 * modulo(j - 1, 4 * ranks), &
                         "the halo of a box")
            else if (all([i, j] >= first .and. [i, j] <= last)) then
              block(i, j) = i + 100 * (j - 1)
            end if
          end do
        end do
      end do
      if (way == 1) call halos%run()
    end do
    call halo%create_halo_of(blocks, me, periodic=[.true.], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "an entry for each axis")
  end subroutine

  subroutine test_the_program()
    character(:), allocatable :: scheme, summary, unavailable
    integer :: i, available
    available = 0
    do i = 1, halocline_known_schemes()
      call halocline_known_scheme(i, scheme, summary, unavailable)
      if (scheme == "p2p:nonblocking" .and. summary /= "" .and. unavailable == "") available = 1
    end do
    call check(available == 1, "a scheme that there is")
    call check(halocline_scheme_str("p2p:nonblocking") == "p2p:nonblocking", "its string")
    call check(halocline_scheme_matches("p2p:nonblocking", "p2p:*"), "a glob that fits")
    call check(.not. halocline_scheme_matches("p2p:nonblocking", "shm:*"), "a glob that does not")
    call check(halocline_version() >= 200 .and. scan(halocline_version_text(), ".") > 0, &
               "the version")
  end subroutine

  subroutine test_others()
    call test_ragged()
    call test_gather_scatter()
    call test_async()
    call test_between()
    call test_blocks()
    call test_the_program()
  end subroutine

end module

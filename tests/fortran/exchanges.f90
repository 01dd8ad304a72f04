! Exchanges: the same bytes as by C++ over random patterns, kinds and ranks of arrays; and all ways
! to make and to run one.
module exchanges_module
  use check_module
  implicit none

  interface
    subroutine exchange_by_cpp(move, moves, data, element_bytes, elements) bind(c)
      import
      integer(c_int), intent(in) :: move(4, *)
      integer(c_int), value :: moves
      type(c_ptr), value :: data
      integer(c_int64_t), value :: element_bytes, elements
    end subroutine
  end interface

  integer, parameter :: owned = 30, most = 96

contains

  !> Random moves between all ranks, from the first `owned` elements to those behind.
  subroutine random_moves(move, moves)
    integer, intent(out) :: move(:, :), moves
    integer :: next(0:ranks - 1), from, to, i
    next = owned
    moves = 0
    do from = 0, ranks - 1
      do to = 0, ranks - 1
        do i = 1, any_below(5)
          if (next(to) + 2 >= most) cycle
          next(to) = next(to) + any_below(2)
          moves = moves + 1
          move(:, moves) = [from, to, any_below(owned), next(to)]
          next(to) = next(to) + 1
        end do
      end do
    end do
  end subroutine

  !> By lists of indices for each peer, or element by element.
  subroutine make_pattern(move, moves, lists, pattern)
    integer, intent(in) :: move(:, :), moves
    logical, intent(in) :: lists
    type(halocline_pattern), intent(inout) :: pattern
    integer :: i, peer
    integer, allocatable :: peers(:), sent(:), received(:), counts(:, :)
    logical :: out(moves), in(moves)
    if (lists) then
      peers = pack([(i, i = 0, ranks - 1)], [(i /= me, i = 0, ranks - 1)])
      allocate (sent(0), received(0), counts(2, size(peers)))
      do i = 1, size(peers)
        out = move(1, :moves) == me .and. move(2, :moves) == peers(i)
        in = move(2, :moves) == me .and. move(1, :moves) == peers(i)
        sent = [sent, pack(move(3, :moves) + 1, out)]
        received = [received, pack(move(4, :moves) + 1, in)]
        counts(:, i) = [count(out), count(in)]
      end do
      call pattern%create_from_indices(peers, counts(1, :), sent, peers, counts(2, :), received)
      in = move(1, :moves) == me .and. move(2, :moves) == me
      call pattern%copy(pack(move(3, :moves), in), pack(move(4, :moves), in), first=0)
      return
    end if
    call pattern%create()
    do i = 1, moves
      peer = merge(move(2, i), move(1, i), move(1, i) == me)
      if (all(move(1:2, i) == me)) then
        call pattern%copy([move(3, i) - 4], [move(4, i) - 4], first=-4)
      else if (move(1, i) == me) then
        call pattern%send(peer, [move(3, i) + 1])
      else if (move(2, i) == me) then
        call pattern%receive(peer, halocline_block([1], [most], [move(4, i) + 1], [move(4, i) + 1]))
      end if
    end do
  end subroutine

  function bytes_of(field, bytes) result(all)
    type(c_ptr), intent(in) :: field
    integer, intent(in) :: bytes
    integer(c_int8_t), pointer :: all(:)
    call c_f_pointer(field, all, [bytes])
  end function

  subroutine fill(data)
    integer(c_int8_t), intent(out) :: data(:)
    integer :: i
    data = [(int(modulo(i * 7 + me * 31 + any_below(2), 127), c_int8_t), i = 1, size(data))]
  end subroutine

  !> The same three steps on `data`, which the field is of, and by C++ on a copy.
  subroutine test_steps(halos, at, bytes, element_bytes, move, moves, what)
    type(halocline_exchange), intent(inout) :: halos
    type(c_ptr), intent(in) :: at
    integer, intent(in) :: bytes, element_bytes, move(:, :), moves
    character(*), intent(in) :: what
    integer(c_int8_t), pointer :: data(:)
    integer(c_int8_t), target :: right(bytes)
    integer :: step
    data => bytes_of(at, bytes)
    do step = 1, 2
      call fill(data)
      right = data
      call exchange_by_cpp(move, moves, c_loc(right), int(element_bytes, c_int64_t), &
                           int(bytes / element_bytes, c_int64_t))
      if (step == 1) then
        call halos%run()
      else
        call halos%start()
        call halos%finish()
      end if
      call check(all(data == right), "the bytes of C++: " // what)
    end do
  end subroutine

  subroutine test_random(scheme, round)
    character(*), intent(in) :: scheme
    integer, intent(in) :: round
    integer :: move(4, 20 * ranks**2), moves
    type(halocline_pattern) :: pattern
    type(halocline_exchange) :: halos
    real(c_float), target, asynchronous :: r4(most)
    real(c_double), target, asynchronous :: r8(8, 12), r8_4(2, 3, 4, 4)
    complex(c_float), target, asynchronous :: c8(4, 4, 6)
    complex(c_double), target, asynchronous :: c16(3, most)
    integer(c_int8_t), target, asynchronous :: i1(2, 48)
    integer(c_int16_t), target, asynchronous :: i2(most)
    integer(c_int32_t), target, asynchronous :: i4(12, 2, 4)
    integer(c_int64_t), pointer, asynchronous :: i8(:, :)
    call random_moves(move, moves)
    call make_pattern(move, moves, round == 1, pattern)
    call check(pattern%elements_sent() == &
               count(move(1, :moves) == me .and. move(2, :moves) /= me), "elements sent")
    select case (round)
    case (1)
      call halos%create(world, pattern, halocline_field(r4), scheme=scheme)
      call test_steps(halos, c_loc(r4), most * 4, 4, move, moves, "real32, " // scheme)
      call halos%create(world, pattern, halocline_field(r8), scheme=scheme)
      call test_steps(halos, c_loc(r8), most * 8, 8, move, moves, "real64, " // scheme)
      call halos%create(world, pattern, halocline_field(r8_4), scheme=scheme)
      call test_steps(halos, c_loc(r8_4), most * 8, 8, move, moves, "real64 of 4 axes, " // scheme)
    case (2)
      call halos%create(world, pattern, halocline_field(c8), scheme=scheme)
      call test_steps(halos, c_loc(c8), most * 8, 8, move, moves, "complex of real32, " // scheme)
      call halos%create(world, pattern, halocline_field(c16, components=1), scheme=scheme)
      call test_steps(halos, c_loc(c16), most * 48, 48, move, moves, "three complex, " // scheme)
      call halos%create(world, pattern, halocline_field(c_loc(i1), 1, most), scheme=scheme)
      call test_steps(halos, c_loc(i1), most, 1, move, moves, "structures, " // scheme)
    case (3)
      call halos%create(world, pattern, halocline_field(i1), scheme=scheme)
      call test_steps(halos, c_loc(i1), most, 1, move, moves, "int8, " // scheme)
      call halos%create(world, pattern, halocline_field(i2), scheme=scheme)
      call test_steps(halos, c_loc(i2), most * 2, 2, move, moves, "int16, " // scheme)
      call halos%create(world, pattern, halocline_field(i4), scheme=scheme)
      call test_steps(halos, c_loc(i4), most * 4, 4, move, moves, "int32, " // scheme)
      call halocline_allocate(world, i8, [16, 6], scheme)
      call halos%create(world, pattern, halocline_field(i8), scheme=scheme)
      call check(halos%scheme() == scheme .and. halos%memory_hint() == "", &
                 "memory of the library is known")
      call test_steps(halos, c_loc(i8), most * 8, 8, move, moves, &
                      "int64 of the library, " // scheme)
      call halocline_deallocate(i8)
    end select
  end subroutine

  !> Element i of each rank goes to the next one's n + i, for i = 1 to n.
  subroutine make_ring(n, pattern)
    integer, intent(in) :: n
    type(halocline_pattern), intent(inout) :: pattern
    integer :: i
    call pattern%create()
    if (ranks == 1) then
      call pattern%copy([(i, i = 1, n)], [(n + i, i = 1, n)])
    else
      call pattern%send(modulo(me + 1, ranks), [(i, i = 1, n)])
      call pattern%receive(modulo(me - 1, ranks), [(n + i, i = 1, n)])
    end if
  end subroutine

  subroutine test_other_arrays()
    type(halocline_pattern) :: ring, back
    type(halocline_exchange) :: halos
    real(c_double), target, asynchronous :: u(4), v(3, 4), from(2), to(4)
    integer :: before, i
    logical :: there
    before = modulo(me - 1, ranks)
    call make_ring(2, ring)
    call halos%create(world, ring, halocline_unbound(halocline_real64), &
                      scheme="p2p:nonblocking")
    u = me + [0.25_c_double, 0.5_c_double, -1._c_double, -1._c_double]
    v = -1
    v(2, :) = u
    call halos%run(halocline_field(u))
    call check(all(abs(u(3:) - before - [0.25_c_double, 0.5_c_double]) < 1e-9), &
               "an array at each step")
    u(3:) = -1
    call halos%open([halocline_field(u)])
    do i = 1, ring%sends()
      call halos%ready(i, 2, 1)
      call halos%ready(i, 1, 1)
    end do
    if (ring%receives() > 0) call halos%await(1, 1, 1, there)
    call halos%finish()
    call check(all(abs(u(3:) - before - [0.25_c_double, 0.5_c_double]) < 1e-9), &
               "parts that are ready")

    call halos%create(world, ring, halocline_unbound(halocline_field(v(1, :))), &
                      scheme="p2p:nonblocking")
    v(2, 3:) = -1
    call halos%start(halocline_field(v(2, :)))
    call halos%finish()
    call check(all(abs(v(2, :) - u) < 1e-9) .and. all(v(1::2, :) < 0), "a section at a step")

    from = me
    to = -1
    call halos%create(world, ring, halocline_field(from), to=halocline_field(to), &
                      scheme="p2p:nonblocking")
    call halos%run()
    call check(all(nint(to) == [-1, -1, before, before]), "from an array into another")

    ! Back, and added.
    call ring%reversed(back)
    call halos%create(world, back, halocline_field(u), combine=halocline_sum, scheme="shm:signal")
    u = [1, 2, 10 + me, 20 + me]
    call halos%run()
    call check(all(nint(u(:2)) == [11, 22] + modulo(me + 1, ranks)), "the way back, added")
  end subroutine

  subroutine test_parts_and_changes()
    type(halocline_pattern) :: rings(2), empty
    type(halocline_exchange) :: halos
    integer, target, asynchronous :: i(2)
    real, target, asynchronous :: x(6), y(6)
    integer :: before
    before = modulo(me - 1, ranks)
    call make_ring(1, rings(1))
    call make_ring(3, rings(2))
    i = [me, -1]
    x = me
    y = me + 0.5
    call halos%create_parts(world, rings, [halocline_field(i), halocline_field(x), &
                            halocline_field(y)], [1, 2], "p2p:nonblocking")
    call halos%run()
    call check(i(2) == before .and. all(nint(x(4:)) == before) .and. &
               all(nint(2 * y(4:)) == 2 * before + 1), "two parts")
    call check(ranks == 1 .or. halos%bytes_sent() == 4 + 3 * 4 * 2, "bytes sent")

    if (ranks > 1) then
      call empty%send_nothing(modulo(me + 1, ranks))
      call empty%receive_nothing(before)
    end if
    call halos%create(world, empty, halocline_field(x), changes=.true., capacity=3, &
                      scheme="p2p:nonblocking")
    x(4:) = -1
    call halos%run()
    call check(all(nint(x(4:)) == -1), "nothing yet")
    call make_ring(2, rings(1))
    call halos%change(rings(1), [halocline_field(y)])
    y = me
    call halos%run()
    call check(all(nint(y(3:4)) == before), "a pattern and a field that have changed")
    call check(rings(1)%elements_sent() == 0, "the old links are left in the pattern")
  end subroutine

  !> Halos that are read where they lie, in an arena; and times.
  subroutine test_views()
    type(halocline_arena) :: arena
    type(halocline_pattern) :: ring, same
    type(halocline_exchange) :: halos
    type(halocline_exchange_times) :: took
    type(c_ptr) :: place, first
    integer(c_int64_t) :: strides(3), all
    real(c_double), pointer, asynchronous :: x(:)
    real(c_double), pointer :: there(:)
    integer :: before, stat
    character(120) :: text
    before = modulo(me - 1, ranks)
    call arena%create(world, 4096_c_int64_t, "shm:signal+access=direct")
    all = arena%bytes_free()
    call arena%allocate(32_c_int64_t, place)
    call c_f_pointer(place, x, [4])
    x = [me + 0.5_c_double, me + 0.75_c_double, -1._c_double, -1._c_double]
    call make_ring(2, ring)
    call halos%create(world, ring, halocline_field(x), &
                      scheme="shm:signal+access=direct", in_place=.true.)
    call check(halos%memory_hint() == "", "memory of an arena is known")
    call halos%measure(.true.)
    call halos%run()
    if (ring%receives() > 0) then
      call halos%view(1, 1, first, strides)
      call check(strides(1) == 8, "the elements follow each other")
      call c_f_pointer(first, there, [2])
      call check(all_near(there, before + [0.5_c_double, 0.75_c_double]), "a view")
      call check(.not. halos%direct() .or. x(3) < 0, "nothing was copied")
      call halos%view(1, 2, first, strides, stat=stat, errmsg=text)
      call check(stat /= 0, "there is one block")
    end if
    call check(halocline_size(halos%comm()) == ranks, "the communicator of an exchange")
    call halos%pattern(same)
    call check(same%elements_sent() == ring%elements_sent(), "the pattern of an exchange")
    call halos%fill_halos()
    call check(all_near(x(3:), before + [0.5_c_double, 0.75_c_double]), "the halos, filled")
    took = halos%times()
    call check(took%pack >= 0 .and. took%wait >= 0, "times")
    call halos%free()
    call arena%allocate(2 * all, first, stat, text)
    call check_fails(stat, text, halocline_error, "rena")
    call arena%deallocate(place)
    call check(arena%bytes_free() == all, "all is free again")
    call arena%deallocate(place, stat, text)
    call check_fails(stat, text, halocline_error, "given back already")
  end subroutine

  logical function all_near(x, y)
    real(c_double), intent(in) :: x(:), y(:)
    all_near = all(abs(x - y) < 1e-9)
  end function

  subroutine test_exchanges()
    integer :: round
    do round = 1, 3
      call seed(round)
      call test_random("p2p:nonblocking", round)
      call test_random("shm:signal", round)
      call test_random("neighbor:nonblocking", round)
    end do
    call test_other_arrays()
    call test_parts_and_changes()
    call test_views()
  end subroutine

end module

! Random but valid calls of MPI from Fortran, with a plain log, as random_calls in C does it: for mpif.h
! (-DINTERFACE=1), `use mpi` (2) and `use mpi_f08` (3). With -DWITHOUT_INDICES nothing is called that tells
! which request is complete.
!
!     mpiexec -n 4 random_calls_fortran SEED PHASES [LOG]
#if INTERFACE == 3
#define OF_COMM type(MPI_Comm)
#define OF_REQUEST type(MPI_Request)
#define OF_TYPE type(MPI_Datatype)
#define OF_WIN type(MPI_Win)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#else
#define OF_COMM integer
#define OF_REQUEST integer
#define OF_TYPE integer
#define OF_WIN integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#endif

#if INTERFACE == 1
#define USE_MPI
#define INCLUDE_MPI include "mpif.h"
#elif INTERFACE == 2
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#endif

!> Random numbers, times and the log.
module plain
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: most = 64
  integer(int64) :: state = 1, own_state = 1
  integer :: me = 0, ranks = 1, unit = -1, requests = 0
  double precision :: before = 0, after = 0

  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  interface
    integer(c_int) function clock_gettime(which, time) bind(c)
      import
      integer(c_int), value :: which
      type(timespec), intent(out) :: time
    end function
  end interface

contains

  double precision function now()
    type(timespec) :: time
    integer(c_int) :: outcome
    outcome = clock_gettime(1_c_int, time)
    now = dble(time%seconds) + 1d-9 * dble(time%nanoseconds)
  end function

  !> The next number below `below`, the same on all ranks.
  integer function any_below(below)
    integer, intent(in) :: below
    state = modulo(state * 48271_int64 + 11_int64, 2147483647_int64)
    any_below = int(modulo(state / 7, int(below, int64)))
  end function

  !> The same for this rank alone.
  integer function mine_below(below)
    integer, intent(in) :: below
    own_state = modulo(own_state * 48271_int64 + 13_int64, 2147483647_int64)
    mine_below = int(modulo(own_state / 7, int(below, int64)))
  end function

  integer function new_request()
    new_request = requests
    requests = requests + 1
  end function

  subroutine say(function_name, words)
    character(*), intent(in) :: function_name, words
    if (unit /= -1) write(unit, "(a, 2(1x, f0.9), 1x, a)") function_name, before, after, words
  end subroutine

  subroutine say_fact(words)
    character(*), intent(in) :: words
    if (unit /= -1) write(unit, "(a)") words
  end subroutine

  !> ` name=number`
  function word(name, number) result(text)
    character(*), intent(in) :: name
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(16) :: digits
    write(digits, "(i0)") number
    text = " " // name // "=" // trim(digits)
  end function

  function digits_of(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(16) :: digits
    write(digits, "(i0)") number
    text = trim(digits)
  end function
end module

!> What is exchanged.
module calls
  use plain
  USE_MPI
  implicit none
  INCLUDE_MPI
  OF_TYPE :: row
  integer, parameter :: width = 7, height = 5, row_length = 6

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    integer :: error
    if (holds) return
    write(error_unit, "(a, i0, 2a)") "[rank ", me, "] wrong: ", what
    if (unit /= -1) flush(unit)
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine

  function arguments(name, peer, tag, count, kind) result(text)
    integer, intent(in) :: name, peer, tag, count
    character(*), intent(in) :: kind
    character(:), allocatable :: text
    text = "comm=c" // digits_of(name) // word("peer", peer) // word("tag", tag) // &
           word("count", count) // " type=" // kind
  end function

  subroutine make_row()
    integer :: error, i
    character(:), allocatable :: blocks
    call MPI_Type_vector(row_length, 1, width, MPI_INTEGER, row, error)
    call MPI_Type_commit(row, error)
    blocks = "0:4"
    do i = 1, row_length - 1
      blocks = blocks // "," // digits_of(4 * width * i) // ":4"
    end do
    call say_fact("type name=t0 bytes=4 extent=4 blocks=0:4")
    call say_fact("type name=t1 bytes=8 extent=8 blocks=0:8")
    call say_fact("type name=t2" // word("bytes", 4 * row_length) // &
                  word("extent", 4 * (width * (row_length - 1) + 1)) // " blocks=" // blocks)
  end subroutine

  subroutine barrier(comm, name)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name
    integer :: error
    before = now()
    call MPI_Barrier(comm, error)
    after = now()
    call say("MPI_Barrier", "comm=c" // digits_of(name))
  end subroutine

  !> Every rank sends to some others, and completes by one of all ways. Wildcards where `wild`.
  subroutine nonblocking(comm, name, own, size, wild)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, own, size
    logical, intent(in) :: wild
    integer, parameter :: length = 40
    integer :: count, i, from(most), to(most), tag(most), numbers(most), key(most), n, way, left, at
    integer :: out(length, most), in(length, most), peer(most), request_number(most), error, got
    integer :: indices(most), elements(most), sent_to, tag_asked
    logical :: flag, receives(most), landed(most)
    OF_REQUEST :: request(most)
    STATUS(one)
    STATUSES(statuses, most)
    character(:), allocatable :: done
    count = 1 + any_below(min(4 * size, most / 2))
    n = 0
    do i = 1, count
      from(i) = any_below(size)
      to(i) = any_below(size)
      tag(i) = any_below(4)
      numbers(i) = 1 + any_below(length)
      key(i) = any_below(100000)
      ! Each receive meets one message, whichever: they are told apart by their first number.
      if (to(i) == own) then
        n = n + 1
        receives(n) = .true.
        in(:, n) = -1
        elements(n) = i
        request_number(n) = new_request()
        sent_to = from(i)
        tag_asked = tag(i)
        if (wild) then
          sent_to = MPI_ANY_SOURCE
          tag_asked = MPI_ANY_TAG
        end if
        before = now()
        call MPI_Irecv(in(1, n), length, MPI_INTEGER, sent_to, tag_asked, comm, request(n), error)
        after = now()
        call say("MPI_Irecv", arguments(name, sent_to, tag_asked, length, "t0") // &
                 word("request", request_number(n)))
      end if
      if (from(i) == own) then
        n = n + 1
        receives(n) = .false.
        out(:, n) = key(i)
        out(1, n) = i
        request_number(n) = new_request()
        before = now()
        if (modulo(key(i), 3) == 0) then
          call MPI_Issend(out(1, n), numbers(i), MPI_INTEGER, to(i), tag(i), comm, request(n), error)
        else
          call MPI_Isend(out(1, n), numbers(i), MPI_INTEGER, to(i), tag(i), comm, request(n), error)
        end if
        after = now()
        call say(merge("MPI_Issend", "MPI_Isend ", modulo(key(i), 3) == 0), &
                 arguments(name, to(i), tag(i), numbers(i), "t0") // word("request", request_number(n)))
      end if
    end do
    landed = .false.
    left = n
    way = mine_below(7)
#ifdef WITHOUT_INDICES
    way = modulo(way, 2)  ! Debian's MPICH 4.0 counts from 0 in Waitany and its like of mpi_f08
#endif
    do
      if (n == 0) exit  ! of which Open MPI's Fortran does not tell its C
      done = ""
      before = now()
      select case (way)
      case (0)
        call MPI_Waitall(n, request, MPI_STATUSES_IGNORE, error)
        after = now()
        do i = 1, n
          call arrived(i, 0)
        end do
        left = 0
        call say("MPI_Waitall", words(n))
      case (1)
        at = n - left + 1
        call MPI_Wait(request(at), MPI_STATUS_IGNORE, error)
        after = now()
        call arrived(at, 0)
        call say("MPI_Wait", words(1))
      case (2)
        call MPI_Waitany(n, request, at, one, error)
        after = now()
        call arrived(at, SOURCE_OF(one) + 1)
        call say("MPI_Waitany", words(n))
      case (3)
        call MPI_Waitsome(n, request, got, indices, MPI_STATUSES_IGNORE, error)
        after = now()
        do i = 1, got
          call arrived(indices(i), 0)
        end do
        call say("MPI_Waitsome", words(n))
      case (4)
        call MPI_Testall(n, request, flag, statuses, error)
        after = now()
        if (flag) then
          do i = 1, n
            call arrived(i, 0)
          end do
        end if
        call say("MPI_Testall", words(n))
      case (5)
        call MPI_Testany(n, request, at, flag, MPI_STATUS_IGNORE, error)
        after = now()
        if (flag) call arrived(at, 0)
        call say("MPI_Testany", words(n))
      case default
        call MPI_Testsome(n, request, got, indices, statuses, error)
        after = now()
        do i = 1, got
          call arrived(indices(i), 0)
        end do
        call say("MPI_Testsome", words(n))
      end select
      if (left <= 0) exit
    end do
    if (wild) call barrier(comm, name)

  contains

    function words(number) result(text)
      integer, intent(in) :: number
      character(:), allocatable :: text
      text = "requests=" // digits_of(number) // " done=" // done
    end function

    !> Looks at what has come; `source` is one more than the status says, or 0.
    subroutine arrived(which, source)
      integer, intent(in) :: which, source
      integer :: message
      if (landed(which)) return
      landed(which) = .true.
      left = left - 1
      if (len(done) > 0) done = done // ","
      done = done // digits_of(request_number(which))
      if (.not. receives(which)) return
      message = elements(which)
      if (wild) message = in(1, which)
      call check(message >= 1 .and. message <= count, "nobody has sent this")
      if (message < 1 .or. message > count) return
      call check(to(message) == own, "it was sent to another")
      call check(in(1, which) == message, "another message has come")
      call check(all(in(2:numbers(message), which) == key(message)), "its numbers are others")
      call check(all(in(numbers(message) + 1:, which) == -1), "there is more of it")
      call check(source == 0 .or. source == from(message) + 1, "the status tells of another")
      done = done // ":" // digits_of(from(message)) // ":" // digits_of(tag(message))
    end subroutine
  end subroutine

  !> Messages in an order that all keep, by the calls that block.
  subroutine blocking(comm, name, own, size)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, own, size
    integer :: turn, from, to, tag, key, error, way, matrix(width, height + 2), got(row_length), asked
    STATUS(status)
    do turn = 1, 1 + any_below(8)
      from = any_below(size)
      to = modulo(from + 1 + any_below(max(size - 1, 1)), size)
      tag = any_below(4)
      key = any_below(100000)
      if (from == to) then
        from = MPI_PROC_NULL
        if (any_below(2) == 0) then
          to = MPI_PROC_NULL
          from = 0
        end if
      end if
      if (from == own) then
        matrix = key
        way = mine_below(2)
        before = now()
        if (way == 0) then
          call MPI_Send(matrix(2, 1), 1, row, to, tag, comm, error)
        else
          call MPI_Ssend(matrix(2, 1), 1, row, to, tag, comm, error)
        end if
        after = now()
        call say(merge("MPI_Send ", "MPI_Ssend", way == 0), arguments(name, to, tag, 1, "t2"))
      end if
      if (to == own) then
        got = -1
        asked = tag
        if (mine_below(2) == 0 .and. from /= MPI_PROC_NULL) asked = MPI_ANY_TAG
        if (mine_below(2) == 0 .and. from /= MPI_PROC_NULL) then
          before = now()
          call MPI_Probe(from, asked, comm, status, error)
          after = now()
          call say("MPI_Probe", "comm=c" // digits_of(name) // word("peer", from) // word("tag", asked) // &
                   " met=" // digits_of(from) // ":" // digits_of(tag))
          call check(TAG_OF(status) == tag, "another tag was probed")
        end if
        before = now()
        call MPI_Recv(got, row_length, MPI_INTEGER, from, asked, comm, MPI_STATUS_IGNORE, error)
        after = now()
        if (from == MPI_PROC_NULL) then
          call say("MPI_Recv", arguments(name, from, asked, row_length, "t0"))
        else
          call say("MPI_Recv", arguments(name, from, asked, row_length, "t0") // &
                   " met=" // digits_of(from) // ":" // digits_of(tag))
          call check(all(got == key), "what was received is not what was sent")
        end if
      end if
    end do
  end subroutine

  subroutine shifts(comm, name, own, size)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, own, size
    integer :: far, left, right, error, out(3), in(3), both(2)
    far = any_below(size)
    right = modulo(own + far, size)
    left = modulo(own - far, size)
    out = own
    in = -1
    before = now()
    call MPI_Sendrecv(out, 3, MPI_INTEGER, right, 1, in, 3, MPI_INTEGER, left, 1, comm, MPI_STATUS_IGNORE, error)
    after = now()
    call say("MPI_Sendrecv", arguments(name, right, 1, 3, "t0") // word("other_peer", left) // &
             word("other_tag", 1) // word("other_count", 3) // " other_type=t0 met=" // &
             digits_of(left) // ":1")
    call check(all(in == left), "a shift is wrong")
    both = own
    before = now()
    call MPI_Sendrecv_replace(both, 2, MPI_INTEGER, right, 2, left, 2, comm, MPI_STATUS_IGNORE, error)
    after = now()
    call say("MPI_Sendrecv_replace", arguments(name, right, 2, 2, "t0") // word("other_peer", left) // &
             word("other_tag", 2) // " met=" // digits_of(left) // ":2")
    call check(all(both == left), "a replacing shift is wrong")
  end subroutine

  subroutine persistent(comm, name, own, size)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, own, size
    integer :: far, left, right, error, turn, sends, receives
    double precision :: out(9), in(9)
    OF_REQUEST :: request(2)
    character(:), allocatable :: both
    far = any_below(size)
    right = modulo(own + far, size)
    left = modulo(own - far, size)
    sends = new_request()
    receives = new_request()
    both = digits_of(sends) // "," // digits_of(receives)
    before = now()
    call MPI_Send_init(out, 9, MPI_DOUBLE_PRECISION, right, 3, comm, request(1), error)
    after = now()
    call say("MPI_Send_init", arguments(name, right, 3, 9, "t1") // word("request", sends))
    before = now()
    call MPI_Recv_init(in, 9, MPI_DOUBLE_PRECISION, left, 3, comm, request(2), error)
    after = now()
    call say("MPI_Recv_init", arguments(name, left, 3, 9, "t1") // word("request", receives))
    do turn = 1, 1 + any_below(20)
      out = own + turn
      before = now()
      call MPI_Startall(2, request, error)
      after = now()
      call say("MPI_Startall", "requests=2 start=" // both)
      before = now()
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, error)
      after = now()
      call say("MPI_Waitall", "requests=2 done=" // both // ":" // digits_of(left) // ":3")
      call check(all(nint(in) == left + turn), "a persistent message is wrong")
    end do
    before = now()
    call MPI_Request_free(request(1), error)
    after = now()
    call say("MPI_Request_free", "request=" // digits_of(sends))
    before = now()
    call MPI_Request_free(request(2), error)
    after = now()
    call say("MPI_Request_free", "request=" // digits_of(receives))
  end subroutine

  subroutine collectives(comm, name, own, size)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, own, size
    integer :: root, error, values(4), gathered(4 * most), turn
    do turn = 1, 1 + any_below(3)
      root = any_below(size)
      values = own
      select case (any_below(4))
      case (0)
        before = now()
        call MPI_Bcast(values, 4, MPI_INTEGER, root, comm, error)
        after = now()
        call say("MPI_Bcast", "comm=c" // digits_of(name) // word("root", root) // word("count", 4) // " type=t0")
        call check(all(values == root), "a broadcast is wrong")
      case (1)
        before = now()
        call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_MAX, comm, error)
        after = now()
        call say("MPI_Allreduce", "comm=c" // digits_of(name) // word("count", 4) // " type=t0")
        call check(all(values == size - 1), "a reduction is wrong")
      case (2)
        before = now()
        call MPI_Allgather(values, 4, MPI_INTEGER, gathered, 4, MPI_INTEGER, comm, error)
        after = now()
        call say("MPI_Allgather", "comm=c" // digits_of(name))
        call check(gathered(1) == 0 .and. gathered(4 * size) == size - 1, "what was gathered is wrong")
      case default
        call barrier(comm, name)
      end select
    end do
  end subroutine

  !> A grid, exchanged with its neighbours, and freed.
  subroutine grid(comm, name, number, size)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, number, size
    integer :: error, out(4), in(4), own, r
    logical :: periods(1)
    OF_COMM :: ring
    character(:), allocatable :: members
    periods = .true.
    before = now()
    call MPI_Cart_create(comm, 1, (/size/), periods, .false., ring, error)
    after = now()
    call say("MPI_Cart_create", "comm=c" // digits_of(name))
    members = "0"
    do r = 1, size - 1
      members = members // "," // digits_of(r)
    end do
    call MPI_Comm_rank(ring, own, error)
    call say_fact("comm name=c" // digits_of(number) // " parent=c" // digits_of(name) // &
                  word("rank", own) // " members=" // members)
    out = own
    before = now()
    call MPI_Neighbor_alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, error)
    after = now()
    call say("MPI_Neighbor_alltoall", "comm=c" // digits_of(number))
    call check(in(1) == modulo(own - 1, size) .and. in(4) == modulo(own + 1, size), "neighbours are wrong")
    before = now()
    call MPI_Comm_free(ring, error)
    after = now()
    call say("MPI_Comm_free", "comm=c" // digits_of(number))
  end subroutine

  !> A window on an array of the program's, with fences.
  subroutine window(comm, name, number, own, size)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name, number, own, size
    integer :: error, memory(16), out(4), in(4), right
    OF_WIN :: win
    memory = -own
    memory(9:16) = own
    right = modulo(own + 1, size)
    before = now()
    call MPI_Win_create(memory, int(64, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, comm, win, error)
    after = now()
    call say("MPI_Win_create", "comm=c" // digits_of(name))
    call say_fact("window name=w" // digits_of(number) // " comm=c" // digits_of(name) // " flavour=create bytes=64")
    call fence()
    out = own
    before = now()
    call MPI_Put(out, 4, MPI_INTEGER, right, int(0, MPI_ADDRESS_KIND), 4, MPI_INTEGER, win, error)
    after = now()
    call say("MPI_Put", "window=w" // digits_of(number) // word("peer", right) // word("count", 4) // " type=t0")
    before = now()
    call MPI_Get(in, 4, MPI_INTEGER, right, int(8, MPI_ADDRESS_KIND), 4, MPI_INTEGER, win, error)
    after = now()
    call say("MPI_Get", "window=w" // digits_of(number) // word("peer", right) // word("count", 4) // " type=t0")
    call fence()
    call check(all(memory(1:4) == modulo(own - 1, size)), "a put is wrong")
    call check(all(in == right), "a get is wrong")
    before = now()
    call MPI_Win_free(win, error)
    after = now()
    call say("MPI_Win_free", "window=w" // digits_of(number))

  contains

    subroutine fence()
      before = now()
      call MPI_Win_fence(0, win, error)
      after = now()
      call say("MPI_Win_fence", "window=w" // digits_of(number))
    end subroutine
  end subroutine
end module

program random_calls
  use calls
  implicit none
  integer :: error, turn, phases, seed, other_rank, other_size, named
  double precision :: begin
  character(512) :: argument
  OF_COMM :: other
  call MPI_Init(error)
  begin = now()
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, argument)
  read(argument, *) seed
  call get_command_argument(2, argument)
  read(argument, *) phases
  call get_command_argument(3, argument)
  if (argument /= "") open(newunit=unit, file=trim(argument) // "." // digits_of(me), action="write", &
                           status="replace", recl=65536)
  state = 7919 + 104729_int64 * seed
  own_state = state + me
  call say_fact("constants" // word("proc_null", MPI_PROC_NULL) // word("any_source", MPI_ANY_SOURCE) // &
                word("any_tag", MPI_ANY_TAG))
  argument = "0"
  do turn = 1, ranks - 1
    argument = trim(argument) // "," // digits_of(turn)
  end do
  call say_fact("comm name=c0" // word("rank", me) // " members=" // trim(argument))
  call make_row()
  before = now()
  call MPI_Comm_dup(MPI_COMM_WORLD, other, error)
  after = now()
  call say("MPI_Comm_dup", "comm=c0")
  call say_fact("comm name=c1 parent=c0" // word("rank", me) // " members=" // trim(argument))
  do turn = 1, phases
    named = any_below(2)
    if (named == 0) then
      call phase(MPI_COMM_WORLD, 0)
    else
      call phase(other, 1)
    end if
  end do
  before = now()
  call MPI_Comm_free(other, error)
  after = now()
  call say("MPI_Comm_free", "comm=c1")
  call MPI_Type_free(row, error)
  write(argument, "(a, f0.9, a, f0.9)") "run begin=", begin, " end=", now()
  call say_fact(trim(argument))
  if (unit /= -1) close(unit)
  if (me == 0) print "(a, i0)", "all data are right: seed ", seed
  call MPI_Finalize(error)

contains

  subroutine phase(comm, name)
    OF_COMM, intent(in) :: comm
    integer, intent(in) :: name
    select case (any_below(9))
    case (0, 1); call nonblocking(comm, name, me, ranks, .false.)
    case (2); call nonblocking(comm, name, me, ranks, .true.)
    case (3); call blocking(comm, name, me, ranks)
    case (4); call shifts(comm, name, me, ranks)
    case (5); call persistent(comm, name, me, ranks)
    case (6); call collectives(comm, name, me, ranks)
    case (7); call grid(comm, name, 1000 + turn, ranks)
    case default; call window(comm, name, turn, me, ranks)
    end select
  end subroutine
end program

! Exchanges: a pattern bound to fields and to a scheme.
module halocline_exchanges
  use halocline_c
  use halocline_errors
  use halocline_fields
  use halocline_patterns
  use halocline_grids
  implicit none
  private
  public :: halocline_combine, halocline_combine_by, halocline_exchange, as_c_combine

  !> What an exchange does with arriving elements.
  type :: halocline_combine
    private
    type(c_combine) :: c
  end type
  type(halocline_combine), parameter, public :: halocline_replace = halocline_combine(c_combine(0))
  type(halocline_combine), parameter, public :: halocline_sum = halocline_combine(c_combine(1))
  type(halocline_combine), parameter, public :: halocline_min = halocline_combine(c_combine(2))
  type(halocline_combine), parameter, public :: halocline_max = halocline_combine(c_combine(3))

  !> Set up once, run many times. All are collective, in the same order on all ranks.
  !>
  !> Between start and finish read all that this rank owns, and write what the pattern does not
  !> send. Do not touch halos, which are all elements that the pattern receives. Arrays must have
  !> the attribute ASYNCHRONOUS in each scope that has both calls, or touches them in between.
  type :: halocline_exchange
    type(c_ptr) :: handle = c_null_ptr  !< of C
  contains
    procedure, private :: on_grid, on_grid_one, on_comm, on_comm_one, assign_exchange
    procedure, private :: start_bound, start_one, start_several
    procedure, private :: run_bound, run_one, run_several
    procedure, private :: open_bound, open_one, open_several
    !> create(grid, fields, ...): my halo of the grid, of one field or of several, which travel in
    !> the same messages. create(comm, pattern, fields, to=, ...): any pattern; from these fields
    !> into others, if there are any. More: scheme="auto", combine=halocline_replace,
    !> changes=.false. (exchange%change may replace the pattern), capacity= (the most elements that
    !> you expect on a link then, a hint), stat=, errmsg=. Fails, on all ranks alike, unless each
    !> send has a receive of the same size, and each field holds what the pattern names.
    generic :: create => on_grid, on_grid_one, on_comm, on_comm_one
    procedure :: create_parts
    !> start(), or of an exchange of unbound fields: start(fields), first those sent from, then
    !> those received in. The cells sent must stay as they are until finish.
    generic :: start => start_bound, start_one, start_several
    procedure :: finish
    !> start and finish.
    generic :: run => run_bound, run_one, run_several
    !> In place of start: the caller marks elements ready part by part.
    generic :: open => open_bound, open_one, open_several
    procedure :: ready
    procedure :: await
    procedure :: change
    procedure :: scheme => exchange_scheme
    procedure :: explain
    procedure :: bytes_sent
    procedure :: free => exchange_free
    generic :: assignment(=) => assign_exchange
    final :: exchange_final
  end type

contains

  !> By a function of C's kind: subroutine f(here, arrived, count, context) bind(c), of two c_ptr, a
  !> c_int64_t and a c_ptr, all by value; it combines `count` elements at `arrived` with those at
  !> `here`. `function` is c_funloc(f); `bytes` is the size of what it takes.
  function halocline_combine_by(function, bytes, context) result(combine)
    type(c_funptr), intent(in) :: function
    integer, intent(in) :: bytes
    type(c_ptr), intent(in), optional :: context
    type(halocline_combine) :: combine
    combine%c%how = 4
    combine%c%function = function
    combine%c%bytes = bytes
    if (present(context)) combine%c%context = context
  end function

  function as_c_combine(combine) result(c)
    type(halocline_combine), intent(in), optional :: combine
    type(c_combine) :: c
    if (present(combine)) c = combine%c
  end function

  function options_of(combine, changes, capacity) result(options)
    type(halocline_combine), intent(in), optional :: combine
    logical, intent(in), optional :: changes
    integer, intent(in), optional :: capacity
    type(c_exchange_options) :: options
    options%combine = as_c_combine(combine)
    if (present(changes)) options%changes = merge(1, 0, changes)
    if (present(capacity)) options%capacity = capacity
  end function

  subroutine on_comm(exchange, comm, pattern, fields, to, scheme, combine, changes, capacity, &
                     stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(in) :: comm
    type(halocline_pattern), intent(in) :: pattern
    type(halocline_field), intent(in) :: fields(:)
    type(halocline_field), intent(in), optional :: to(:)
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    logical, intent(in), optional :: changes
    integer, intent(in), optional :: capacity
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_exchange_options) :: options
    type(c_field), allocatable :: into(:)
    type(halocline_pattern) :: none
    call exchange%free()
    options = options_of(combine, changes, capacity)
    if (present(to)) then
      into = to%as_c()
      if (size(into) /= size(fields)) then
        call fail("exchange%create: there are not as many fields in `to`", stat, errmsg)
        return
      end if
      call check(c_exchange_create_between(one_comm(comm), links_of(pattern, none), &
                                           fields%as_c(), into, &
                                           size(fields), word(scheme), options, exchange%handle), &
                 stat, errmsg)
    else
      call check(c_exchange_create(one_comm(comm), links_of(pattern, none), fields%as_c(), &
                                   size(fields), &
                                   word(scheme), options, exchange%handle), stat, errmsg)
    end if
  end subroutine

  subroutine on_comm_one(exchange, comm, pattern, field, to, scheme, combine, changes, capacity, &
                         stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(in) :: comm
    type(halocline_pattern), intent(in) :: pattern
    type(halocline_field), intent(in) :: field
    type(halocline_field), intent(in), optional :: to
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    logical, intent(in), optional :: changes
    integer, intent(in), optional :: capacity
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(to)) then
      call exchange%on_comm(comm, pattern, [field], [to], scheme, combine, changes, capacity, &
                            stat, errmsg)
    else
      call exchange%on_comm(comm, pattern, [field], scheme=scheme, combine=combine, &
                            changes=changes, capacity=capacity, stat=stat, errmsg=errmsg)
    end if
  end subroutine

  subroutine on_grid(exchange, grid, fields, scheme, combine, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_grid), intent(in) :: grid
    type(halocline_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halocline_pattern) :: pattern
    type(c_field) :: c_fields(size(fields))
    integer(c_int64_t) :: extents(grid%axes())
    integer(c_int) :: code
    integer :: axis, i, wrong
    call exchange%free()
    call grid%halo(pattern, stat, errmsg)
    if (.not. c_associated(pattern%handle)) return
    extents = [(grid%extent(axis), axis = 1, grid%axes())]
    c_fields = fields%as_c()
    wrong = 0
    do i = 1, size(fields)
      if (fields(i)%has_shape(extents)) cycle
      ! The other ranks learn that it does not fit by what they make together.
      c_fields(i)%axes = 0
      c_fields(i)%elements = 0
      wrong = i
    end do
    code = c_exchange_create(one_comm(grid%comm()), pattern%handle, c_fields, size(fields), &
                             word(scheme), options_of(combine), exchange%handle)
    if (wrong == 0) then
      call check(code, stat, errmsg)
    else
      call exchange%free()
      call fail("exchange%create: field " // decimal(int(wrong, c_int64_t)) // &
                " has not the extents of the grid's local array with its halos: " // &
                listed(extents), stat, errmsg)
    end if
  end subroutine

  function decimal(number)
    integer(c_int64_t), intent(in) :: number
    character(:), allocatable :: decimal
    character(24) :: digits
    write (digits, "(i0)") number
    decimal = trim(digits)
  end function

  function listed(extents)
    integer(c_int64_t), intent(in) :: extents(:)
    character(:), allocatable :: listed
    integer :: axis
    listed = decimal(extents(1))
    do axis = 2, size(extents)
      listed = listed // " x " // decimal(extents(axis))
    end do
  end function

  subroutine on_grid_one(exchange, grid, field, scheme, combine, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_grid), intent(in) :: grid
    type(halocline_field), intent(in) :: field
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call exchange%on_grid(grid, [field], scheme, combine, stat, errmsg)
  end subroutine

  !> Several patterns, each of fields of its own, with one message to a peer for all of them: the
  !> first counts(1) fields are those of patterns(1), and so on.
  subroutine create_parts(exchange, comm, patterns, fields, counts, scheme, combine, changes, &
                          capacity, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(in) :: comm, counts(:)
    type(halocline_pattern), intent(in) :: patterns(:)
    type(halocline_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    logical, intent(in), optional :: changes
    integer, intent(in), optional :: capacity
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_field), target :: all(size(fields))
    type(c_exchange_part) :: parts(size(patterns))
    type(halocline_pattern) :: none
    integer :: i, first
    call exchange%free()
    if (size(counts) /= size(patterns) .or. sum(counts) /= size(fields) .or. any(counts < 1)) then
      call fail("exchange%create_parts: counts say how many of the fields each pattern has", &
                stat, errmsg)
      return
    end if
    all = fields%as_c()
    first = 1
    do i = 1, size(patterns)
      parts(i)%pattern = links_of(patterns(i), none)
      parts(i)%fields = c_loc(all(first))
      parts(i)%count = counts(i)
      first = first + counts(i)
    end do
    call check(c_exchange_create_parts(one_comm(comm), parts, size(patterns), word(scheme), &
                                       options_of(combine, changes, capacity), exchange%handle), &
               stat, errmsg)
  end subroutine

  subroutine start_bound(exchange, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_start(exchange%handle), stat, errmsg)
  end subroutine

  subroutine start_one(exchange, field, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_start_fields(exchange%handle, [field%as_c()], 1_c_int), stat, errmsg)
  end subroutine

  subroutine start_several(exchange, fields, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_start_fields(exchange%handle, fields%as_c(), size(fields)), stat, errmsg)
  end subroutine

  subroutine run_bound(exchange, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_run(exchange%handle), stat, errmsg)
  end subroutine

  subroutine run_one(exchange, field, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_run_fields(exchange%handle, [field%as_c()], 1_c_int), stat, errmsg)
  end subroutine

  subroutine run_several(exchange, fields, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_run_fields(exchange%handle, fields%as_c(), size(fields)), stat, errmsg)
  end subroutine

  subroutine open_bound(exchange, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_open(exchange%handle), stat, errmsg)
  end subroutine

  subroutine open_one(exchange, field, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_open_fields(exchange%handle, [field%as_c()], 1_c_int), stat, errmsg)
  end subroutine

  subroutine open_several(exchange, fields, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_open_fields(exchange%handle, fields%as_c(), size(fields)), stat, errmsg)
  end subroutine

  !> Waits: afterwards the halos are this step's. Fails with halocline_error_timeout when nothing
  !> moves for longer than the limit, if there is one.
  subroutine finish(exchange, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_finish(exchange%handle), stat, errmsg)
  end subroutine

  !> Elements first, first + 1, ... of send link `link` are ready, `count` of them; both count from
  !> 1, elements in message order. Each once in a step.
  subroutine ready(exchange, link, first, count, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(in) :: link, first, count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_exchange_ready(exchange%handle, link - 1, first - 1_c_int64_t, &
                                int(count, c_int64_t)), stat, errmsg)
  end subroutine

  !> If the method can distinguish parts, waits until these elements of receive link `link` are in
  !> the halo, and `there` is true. Else they are there after finish.
  subroutine await(exchange, link, first, count, there, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    integer, intent(in) :: link, first, count
    logical, intent(out) :: there
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: really
    really = 0
    call check(c_exchange_await(exchange%handle, link - 1, first - 1_c_int64_t, &
                                int(count, c_int64_t), really), stat, errmsg)
    there = really /= 0
  end subroutine

  !> From the next step on exchanges other blocks with the same peers, and other fields if arrays
  !> have moved. Takes the links out of `pattern` and leaves the old ones there. Local. Fails if the
  !> exchange was not made with `changes`, or does not know a peer.
  subroutine change(exchange, pattern, fields, stat, errmsg)
    class(halocline_exchange), intent(inout) :: exchange
    type(halocline_pattern), intent(inout) :: pattern
    type(halocline_field), intent(in), optional :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_field), allocatable :: moved(:)
    allocate (moved(0))
    if (present(fields)) moved = fields%as_c()
    call check(c_exchange_change(exchange%handle, pattern%handle, moved, size(moved)), stat, errmsg)
  end subroutine

  !> Of `auto`: what it has become.
  function exchange_scheme(exchange) result(scheme)
    class(halocline_exchange), intent(in) :: exchange
    character(:), allocatable :: scheme
    type(c_ptr) :: text
    text = c_null_ptr
    call check(c_exchange_scheme(exchange%handle, text))
    scheme = text_at(text)
  end function

  !> What memory that the library allocates would gain, as a sentence; "" where it would gain
  !> nothing.
  function explain(exchange) result(sentence)
    class(halocline_exchange), intent(in) :: exchange
    character(:), allocatable :: sentence
    type(c_ptr) :: text
    text = c_null_ptr
    call check(c_exchange_explain(exchange%handle, text))
    sentence = text_at(text)
  end function

  !> By this rank in a step.
  integer(c_int64_t) function bytes_sent(exchange)
    class(halocline_exchange), intent(in) :: exchange
    bytes_sent = 0
    call check(c_exchange_bytes_sent(exchange%handle, bytes_sent))
  end function

  subroutine assign_exchange(to, from)
    class(halocline_exchange), intent(inout) :: to
    type(halocline_exchange), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      call refuse("a halocline_exchange cannot be copied; use move_alloc or a pointer")
  end subroutine

  !> Also between start and finish, and after MPI_Finalize. Does not wait.
  subroutine exchange_free(exchange)
    class(halocline_exchange), intent(inout) :: exchange
    call check(c_exchange_free(exchange%handle))
  end subroutine

  impure elemental subroutine exchange_final(exchange)
    type(halocline_exchange), intent(inout) :: exchange
    call exchange%free()
  end subroutine

end module

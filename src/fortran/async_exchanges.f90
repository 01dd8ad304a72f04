! Asynchronous exchanges: a halo holds the newest data that have arrived, and no rank waits.
module halocline_async_exchanges
  use halocline_c
  use halocline_errors
  use halocline_fields
  use halocline_patterns
  implicit none
  private
  public :: halocline_async_exchange

  !> Fields are contiguous. Links count from 1.
  type :: halocline_async_exchange
    type(c_ptr) :: handle = c_null_ptr  !< of C
  contains
    procedure :: create => async_create
    procedure :: send => async_send
    procedure :: receive => async_receive
    procedure :: drain => async_drain
    procedure :: iteration_of => async_iteration_of
    procedure :: counts => async_counts
    procedure :: scheme => async_scheme
    procedure :: free => async_free
    procedure, private :: async_assign
    generic :: assignment(=) => async_assign
    final :: async_final
  end type

contains

  !> Of elements of so many bytes. `buffers`: messages of a link for which each side has a buffer
  !> (1). `racy`: a halo holds the cells that have arrived so far. Fails, on all ranks alike, for a
  !> scheme that cannot be asynchronous, naming those that can. Collective, as are drain and free.
  subroutine async_create(exchange, comm, pattern, element_bytes, scheme, buffers, racy, stat, &
                          errmsg)
    class(halocline_async_exchange), intent(inout) :: exchange
    integer, intent(in) :: comm, element_bytes
    type(halocline_pattern), intent(in) :: pattern
    character(*), intent(in) :: scheme
    integer, intent(in), optional :: buffers
    logical, intent(in), optional :: racy
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_async_options) :: options
    type(halocline_pattern) :: none
    call exchange%free()
    if (present(buffers)) options%buffers = buffers
    if (present(racy)) options%racy = merge(1, 0, racy)
    call check(c_async_exchange_create(one_comm(comm), links_of(pattern, none), &
                                       int(element_bytes, c_int64_t), &
                                       word(scheme), options, exchange%handle), stat, errmsg)
  end subroutine

  !> The address of a field, which must be contiguous.
  type(c_ptr) function cells_of(field, stat, errmsg)
    type(halocline_field), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = 0
    cells_of = field%data_of_dense()
    if (.not. c_associated(cells_of)) &
      call fail("an asynchronous exchange needs an array whose elements follow each other", stat, &
                errmsg)
  end function

  !> Sends this iteration's cells to every target for which there is a free buffer. They may be
  !> overwritten at once. Iterations count from 1 and never fall.
  subroutine async_send(exchange, field, iteration, stat, errmsg)
    class(halocline_async_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: field
    integer, intent(in) :: iteration
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: cells
    cells = cells_of(field, stat, errmsg)
    if (c_associated(cells)) &
      call check(c_async_exchange_send(exchange%handle, cells, int(iteration, c_int64_t)), stat, &
                 errmsg)
  end subroutine

  !> Puts the newest data of every source that has news into the halo; `fresh`: how many had.
  subroutine async_receive(exchange, field, fresh, stat, errmsg)
    class(halocline_async_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: field
    integer, intent(out), optional :: fresh, stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: cells
    integer(c_int64_t) :: news
    news = 0
    cells = cells_of(field, stat, errmsg)
    if (c_associated(cells)) &
      call check(c_async_exchange_receive(exchange%handle, cells, c_null_ptr, news), stat, errmsg)
    if (present(fresh)) fresh = int(news)
  end subroutine

  !> Receives all messages that have been sent, newest last.
  subroutine async_drain(exchange, field, stat, errmsg)
    class(halocline_async_exchange), intent(inout) :: exchange
    type(halocline_field), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: cells
    cells = cells_of(field, stat, errmsg)
    if (c_associated(cells)) &
      call check(c_async_exchange_drain(exchange%handle, cells, c_null_ptr), stat, errmsg)
  end subroutine

  !> The iteration of its source whose cells of receive link `link` the halo holds; 0 at first.
  integer(c_int64_t) function async_iteration_of(exchange, link)
    class(halocline_async_exchange), intent(in) :: exchange
    integer, intent(in) :: link
    async_iteration_of = 0
    call check(c_async_exchange_iteration_of(exchange%handle, link - 1, async_iteration_of))
  end function

  !> Messages of this rank since the exchange was made.
  subroutine async_counts(exchange, sent, skipped, received, superseded)
    class(halocline_async_exchange), intent(in) :: exchange
    integer(c_int64_t), intent(out), optional :: sent, skipped, received, superseded
    type(c_async_counts) :: counts
    call check(c_async_exchange_counts(exchange%handle, counts))
    if (present(sent)) sent = counts%sent
    if (present(skipped)) skipped = counts%skipped
    if (present(received)) received = counts%received
    if (present(superseded)) superseded = counts%superseded
  end subroutine

  !> Of `auto`: what it has become.
  function async_scheme(exchange) result(scheme)
    class(halocline_async_exchange), intent(in) :: exchange
    character(:), allocatable :: scheme
    type(c_ptr) :: text
    text = c_null_ptr
    call check(c_async_exchange_scheme(exchange%handle, text))
    scheme = text_at(text)
  end function

  subroutine async_assign(to, from)
    class(halocline_async_exchange), intent(inout) :: to
    type(halocline_async_exchange), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      call refuse("a halocline_async_exchange cannot be copied; use move_alloc or a pointer")
  end subroutine

  subroutine async_free(exchange)
    class(halocline_async_exchange), intent(inout) :: exchange
    call check(c_async_exchange_free(exchange%handle))
  end subroutine

  impure elemental subroutine async_final(exchange)
    type(halocline_async_exchange), intent(inout) :: exchange
    call exchange%free()
  end subroutine

end module

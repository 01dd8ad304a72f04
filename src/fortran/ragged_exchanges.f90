! Ragged exchanges: links that carry another number of elements at each step.
module halocline_ragged_exchanges
  use halocline_c
  use halocline_errors
  implicit none
  private
  public :: halocline_ragged_exchange

  !> Elements are of any type, and are given by their address: c_loc(particles). Links count from 1,
  !> in the order of `targets` and of `sources`.
  type :: halocline_ragged_exchange
    type(c_ptr) :: handle = c_null_ptr  !< of C
  contains
    procedure :: create => ragged_create
    procedure :: send => ragged_send
    procedure :: outgoing => ragged_outgoing
    procedure :: start => ragged_start
    procedure :: finish => ragged_finish
    procedure :: run => ragged_run
    procedure :: received => ragged_received
    procedure :: scheme => ragged_scheme
    procedure :: free => ragged_free
    procedure, private :: ragged_assign
    generic :: assignment(=) => ragged_assign
    final :: ragged_final
  end type

contains

  !> Sends to `targets` and receives from `sources`: ranks, of which one may be named several times
  !> or be this one; negative ones exchange nothing. `capacity` is the expected most elements on a
  !> link, a hint. Fails, on all ranks alike, unless each link has its other end. Collective, as are
  !> start, finish and run.
  subroutine ragged_create(exchange, comm, targets, sources, element_bytes, capacity, scheme, &
                           stat, errmsg)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    integer, intent(in) :: comm, targets(:), sources(:), element_bytes
    integer, intent(in), optional :: capacity
    character(*), intent(in), optional :: scheme
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: most
    call exchange%free()
    most = 0
    if (present(capacity)) most = capacity
    call check(c_ragged_exchange_create(one_comm(comm), size(targets), targets, &
                                        size(sources), sources, int(element_bytes, c_int64_t), &
                                        most, word(scheme), exchange%handle), stat, errmsg)
  end subroutine

  !> Copies `count` elements to what link `link` sends in the next step. Between finish and start.
  subroutine ragged_send(exchange, link, elements, count, stat, errmsg)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    integer, intent(in) :: link, count
    type(c_ptr), intent(in) :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_ragged_exchange_send(exchange%handle, link - 1, elements, int(count, c_int64_t)), &
               stat, errmsg)
  end subroutine

  !> The buffer for these elements instead, for c_f_pointer, to be written before the start.
  subroutine ragged_outgoing(exchange, link, count, elements, stat, errmsg)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    integer, intent(in) :: link, count
    type(c_ptr), intent(inout) :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_ragged_exchange_outgoing(exchange%handle, link - 1, int(count, c_int64_t), &
                                          elements), stat, errmsg)
  end subroutine

  subroutine ragged_start(exchange, stat, errmsg)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_ragged_exchange_start(exchange%handle), stat, errmsg)
  end subroutine

  subroutine ragged_finish(exchange, stat, errmsg)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_ragged_exchange_finish(exchange%handle), stat, errmsg)
  end subroutine

  subroutine ragged_run(exchange, stat, errmsg)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_ragged_exchange_run(exchange%handle), stat, errmsg)
  end subroutine

  !> Where the `count` elements that came on link `link` in the last step are, for c_f_pointer;
  !> until the next start.
  subroutine ragged_received(exchange, link, elements, count, stat, errmsg)
    class(halocline_ragged_exchange), intent(in) :: exchange
    integer, intent(in) :: link
    type(c_ptr), intent(inout) :: elements
    integer, intent(out) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: came
    came = 0
    call check(c_ragged_exchange_received(exchange%handle, link - 1, elements, came), stat, errmsg)
    count = int(came)
  end subroutine

  !> Of `auto`: what it has become.
  function ragged_scheme(exchange) result(scheme)
    class(halocline_ragged_exchange), intent(in) :: exchange
    character(:), allocatable :: scheme
    type(c_ptr) :: text
    text = c_null_ptr
    call check(c_ragged_exchange_scheme(exchange%handle, text))
    scheme = text_at(text)
  end function

  subroutine ragged_assign(to, from)
    class(halocline_ragged_exchange), intent(inout) :: to
    type(halocline_ragged_exchange), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      call refuse("a halocline_ragged_exchange cannot be copied; use move_alloc or a pointer")
  end subroutine

  subroutine ragged_free(exchange)
    class(halocline_ragged_exchange), intent(inout) :: exchange
    call check(c_ragged_exchange_free(exchange%handle))
  end subroutine

  impure elemental subroutine ragged_final(exchange)
    type(halocline_ragged_exchange), intent(inout) :: exchange
    call exchange%free()
  end subroutine

end module

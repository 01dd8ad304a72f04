! Gather-scatter: sums over nodes that ranks share.
module halocline_gather_scatters
  use halocline_c
  use halocline_errors
  use halocline_fields
  use halocline_exchanges
  implicit none
  private
  public :: halocline_gather_scatter

  !> Combines all copies of each node, and leaves the result in all of them. Between start and
  !> finish do not touch nodes with several copies; ASYNCHRONOUS as for exchanges.
  type :: halocline_gather_scatter
    type(c_ptr) :: handle = c_null_ptr  !< of C
  contains
    procedure, private :: sums_of_int32, sums_of_int64, sums_assign
    procedure, private :: sums_start, sums_start_fields, sums_run, sums_run_fields
    !> create(comm, numbers, fields, scheme=, combine=halocline_sum, stat=, errmsg=): numbers(i) is
    !> the global number, not negative, of the node that element i of each field is a copy of.
    !> `fields` is an array of fields. Fails, on all ranks alike, if a number is negative, or a
    !> field has another size. Collective, as are start, finish and run.
    generic :: create => sums_of_int32, sums_of_int64
    generic :: start => sums_start, sums_start_fields
    procedure :: finish => sums_finish
    generic :: run => sums_run, sums_run_fields
    procedure :: bytes_sent => sums_bytes_sent
    procedure :: scheme => sums_scheme
    procedure :: free => sums_free
    generic :: assignment(=) => sums_assign
    final :: sums_final
  end type

contains

  subroutine sums_of_int32(exchange, comm, numbers, fields, scheme, combine, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    integer, intent(in) :: comm
    integer(c_int), intent(in) :: numbers(:)
    type(halocline_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call exchange%sums_of_int64(comm, int(numbers, c_int64_t), fields, scheme, combine, stat, &
                                errmsg)
  end subroutine

  subroutine sums_of_int64(exchange, comm, numbers, fields, scheme, combine, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: numbers(:)
    type(halocline_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: scheme
    type(halocline_combine), intent(in), optional :: combine
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_gather_scatter_options) :: options
    call exchange%free()
    options%combine = as_c_combine(halocline_sum)
    if (present(combine)) options%combine = as_c_combine(combine)
    call check(c_gather_scatter_create(one_comm(comm), size(numbers, kind=c_int64_t), numbers, &
                                       fields%as_c(), size(fields), word(scheme), options, &
                                       exchange%handle), stat, errmsg)
  end subroutine

  subroutine sums_start(exchange, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_gather_scatter_start(exchange%handle), stat, errmsg)
  end subroutine

  subroutine sums_finish(exchange, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_gather_scatter_finish(exchange%handle), stat, errmsg)
  end subroutine

  subroutine sums_run(exchange, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_gather_scatter_run(exchange%handle), stat, errmsg)
  end subroutine

  subroutine sums_start_fields(exchange, fields, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    type(halocline_field), intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_gather_scatter_start_fields(exchange%handle, fields%as_c(), size(fields)), stat, &
               errmsg)
  end subroutine

  subroutine sums_run_fields(exchange, fields, stat, errmsg)
    class(halocline_gather_scatter), intent(inout) :: exchange
    type(halocline_field), intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check(c_gather_scatter_run_fields(exchange%handle, fields%as_c(), size(fields)), stat, &
               errmsg)
  end subroutine

  !> By this rank in a step.
  integer(c_int64_t) function sums_bytes_sent(exchange)
    class(halocline_gather_scatter), intent(in) :: exchange
    sums_bytes_sent = 0
    call check(c_gather_scatter_bytes_sent(exchange%handle, sums_bytes_sent))
  end function

  !> Of `auto`: what it has become.
  function sums_scheme(exchange) result(scheme)
    class(halocline_gather_scatter), intent(in) :: exchange
    character(:), allocatable :: scheme
    type(c_ptr) :: text
    text = c_null_ptr
    call check(c_gather_scatter_scheme(exchange%handle, text))
    scheme = text_at(text)
  end function

  subroutine sums_assign(to, from)
    class(halocline_gather_scatter), intent(inout) :: to
    type(halocline_gather_scatter), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      call refuse("a halocline_gather_scatter cannot be copied; use move_alloc or a pointer")
  end subroutine

  subroutine sums_free(exchange)
    class(halocline_gather_scatter), intent(inout) :: exchange
    call check(c_gather_scatter_free(exchange%handle))
  end subroutine

  impure elemental subroutine sums_final(exchange)
    type(halocline_gather_scatter), intent(inout) :: exchange
    call exchange%free()
  end subroutine

end module

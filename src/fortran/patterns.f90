! Patterns: what this rank sends and receives; and how arrays are spread over ranks.
module halocline_patterns
  use halocline_c
  use halocline_errors
  implicit none
  private
  public :: links_of, halocline_block, halocline_pattern, halocline_distribution

  !> A box of elements of an array of 1 to 3 axes: halocline_block(lbound(u), ubound(u), begin, end)
  !> are those from index `begin` to index `end` along each axis, in the bounds that the array has.
  !> Exchanges refuse an array that has other extents. A pattern has blocks of one
  !> array on each side, of what is sent and of what is received.
  type :: halocline_block
    type(c_block), private :: c
    integer, private :: axes = 0
    integer(c_int64_t), private :: extents(3) = 0  !< of the array, slowest axis first
  end type
  interface halocline_block
    procedure :: box
  end interface

  !> The links of one rank. There is at most one message from one rank to another: adding to a known
  !> peer extends it. Ranks count from 0, as MPI's; a negative one sends and receives nothing.
  !> Sender and receiver list a link's elements in the same order. Elements of an array count from
  !> 1, in array element order; `first` is another number for the first of them, such as lbound(x,
  !> 1). Local. `a = b` makes another pattern with the same links.
  type :: halocline_pattern
    type(c_ptr) :: handle = c_null_ptr  !< of C
  contains
    procedure :: create => pattern_create
    procedure, private :: send_block, send_indices, receive_block, receive_indices
    procedure, private :: copy_block, copy_indices, from_indices, from_indices64, assign_pattern
    !> send(peer, block) or send(peer, indices, first=1): these elements go to `peer`.
    generic :: send => send_block, send_indices
    !> In the same way those that come from it.
    generic :: receive => receive_block, receive_indices
    !> copy(from, to): elements that stay on this rank.
    generic :: copy => copy_block, copy_indices
    !> Links that are empty for now, for exchanges whose pattern changes.
    procedure :: send_nothing
    procedure :: receive_nothing
    !> create_from_indices(send_peers, send_counts, send, receive_peers, receive_counts, receive,
    !> first=1): the first send_counts(1) of the indices `send` go to send_peers(1), the next
    !> send_counts(2) to send_peers(2), and so on. Indices and counts are integers of either size.
    generic :: create_from_indices => from_indices, from_indices64
    procedure :: create_between
    procedure :: create_halo_of
    procedure :: reversed
    procedure :: sends => pattern_sends
    procedure :: receives => pattern_receives
    procedure :: elements_sent
    procedure :: extent => pattern_extent
    procedure :: free => pattern_free
    generic :: assignment(=) => assign_pattern
    final :: pattern_final
  end type

  !> How an array of 1 to 5 axes is spread over ranks.
  type :: halocline_distribution
    type(c_ptr) :: handle = c_null_ptr  !< of C
  contains
    procedure :: create => distribution_create
    procedure :: create_of_boxes
    procedure :: elements => distribution_elements
    procedure :: parts => distribution_parts
    procedure :: part => distribution_part
    procedure :: free => distribution_free
    procedure, private :: assign_distribution
    generic :: assignment(=) => assign_distribution
    final :: distribution_final
  end type

  character(*), parameter :: entries = &
    "an array has 1 to 5 axes, and below and above an entry for each"

contains

  function box(lower, upper, begin, end) result(block)
    integer, intent(in) :: lower(:), upper(:), begin(:), end(:)
    type(halocline_block) :: block
    integer(c_int64_t) :: stride, strides(3)
    integer :: axis, axes
    axes = size(lower)
    if (axes < 1 .or. axes > 3) call refuse("halocline_block: an array has 1 to 3 axes")
    if (size(upper) /= axes .or. size(begin) /= axes .or. size(end) /= axes) &
      call refuse("halocline_block: there are bounds of another number of axes")
    if (any(begin < lower) .or. any(end > upper) .or. any(end < begin)) &
      call refuse("halocline_block: the box is not in the array, or is empty")
    stride = 1
    block%c%count = 1
    do axis = 1, axes
      block%c%offset = block%c%offset + (begin(axis) - lower(axis)) * stride
      block%c%count(4 - axis) = end(axis) - begin(axis) + 1
      strides(axis) = stride
      stride = stride * (upper(axis) - lower(axis) + 1)
    end do
    strides(axes + 1:) = 0
    block%c%stride = strides([3, 2])
    block%axes = axes
    block%extents(:axes) = upper(axes:1:-1) - lower(axes:1:-1) + 1
  end function

  !> Adding a block of an array of several axes says what array the pattern counts in, on the side
  !> of what is sent (0) or received (1).
  function count_in(pattern, side, block) result(code)
    class(halocline_pattern), intent(in) :: pattern
    integer(c_int), intent(in) :: side
    type(halocline_block), intent(in) :: block
    integer(c_int) :: code
    code = 0
    if (block%axes > 1) &
      code = c_pattern_count_in(pattern%handle, side, 0_c_int, int(block%axes, c_int), &
                                block%extents)
  end function

  !> No links.
  subroutine pattern_create(pattern, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call pattern%free()
    call check(c_pattern_create(pattern%handle), stat, errmsg)
  end subroutine

  !> A pattern to which nothing has been added is one without links.
  subroutine there_is(pattern)
    class(halocline_pattern), intent(inout) :: pattern
    if (.not. c_associated(pattern%handle)) call pattern%create()
  end subroutine

  !> What C has of a pattern; `none` holds what it has of one to which nothing was ever added.
  function links_of(pattern, none) result(handle)
    class(halocline_pattern), intent(in) :: pattern
    type(halocline_pattern), intent(inout) :: none
    type(c_ptr) :: handle
    handle = pattern%handle
    if (c_associated(handle)) return
    call there_is(none)
    handle = none%handle
  end function

  !> Indices as C has them; -1, which it refuses, for those beyond its own.
  pure function counted_from_0(indices, first) result(numbers)
    integer, intent(in) :: indices(:)
    integer, intent(in), optional :: first
    integer(c_int) :: numbers(size(indices))
    integer :: from
    from = 1
    if (present(first)) from = first
    numbers = int(merge(indices - from, -1, indices - from <= huge(numbers)), c_int)
  end function

  pure function counted_from_0_64(indices, first) result(numbers)
    integer(c_int64_t), intent(in) :: indices(:)
    integer, intent(in), optional :: first
    integer(c_int64_t) :: numbers(size(indices))
    numbers = indices - 1
    if (present(first)) numbers = indices - first
  end function

  subroutine send_block(pattern, peer, block, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: peer
    type(halocline_block), intent(in) :: block
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    call there_is(pattern)
    code = count_in(pattern, 0_c_int, block)
    if (code == 0) code = c_pattern_send(pattern%handle, int(peer, c_int), block%c)
    call check(code, stat, errmsg)
  end subroutine

  subroutine receive_block(pattern, peer, block, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: peer
    type(halocline_block), intent(in) :: block
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    call there_is(pattern)
    code = count_in(pattern, 1_c_int, block)
    if (code == 0) code = c_pattern_receive(pattern%handle, int(peer, c_int), block%c)
    call check(code, stat, errmsg)
  end subroutine

  subroutine copy_block(pattern, from, to, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    type(halocline_block), intent(in) :: from, to
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    call there_is(pattern)
    code = count_in(pattern, 0_c_int, from)
    if (code == 0) code = count_in(pattern, 1_c_int, to)
    if (code == 0) code = c_pattern_copy(pattern%handle, from%c, to%c)
    call check(code, stat, errmsg)
  end subroutine

  subroutine send_indices(pattern, peer, indices, first, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: peer, indices(:)
    integer, intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call there_is(pattern)
    call check(c_pattern_send_indices(pattern%handle, int(peer, c_int), &
                                      counted_from_0(indices, first), &
                                      size(indices, kind=c_int64_t)), stat, errmsg)
  end subroutine

  subroutine receive_indices(pattern, peer, indices, first, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: peer, indices(:)
    integer, intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call there_is(pattern)
    call check(c_pattern_receive_indices(pattern%handle, int(peer, c_int), &
                                         counted_from_0(indices, first), &
                                         size(indices, kind=c_int64_t), [0._c_double], 0_c_int), &
               stat, errmsg)
  end subroutine

  subroutine copy_indices(pattern, from, to, first, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: from(:), to(:)
    integer, intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call there_is(pattern)
    if (size(from) /= size(to)) then
      call fail("pattern%copy: the lists have different lengths", stat, errmsg)
    else
      call check(c_pattern_copy_indices(pattern%handle, counted_from_0(from, first), &
                                        counted_from_0(to, first), size(from, kind=c_int64_t), &
                                        [0._c_double], 0_c_int), stat, errmsg)
    end if
  end subroutine

  subroutine send_nothing(pattern, peer, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: peer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call there_is(pattern)
    call check(c_pattern_send_nothing(pattern%handle, int(peer, c_int)), stat, errmsg)
  end subroutine

  subroutine receive_nothing(pattern, peer, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: peer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call there_is(pattern)
    call check(c_pattern_receive_nothing(pattern%handle, int(peer, c_int)), stat, errmsg)
  end subroutine

  !> Why lists of links are none; "" if they are.
  function unlike(peers, counts, indices, side) result(text)
    integer, intent(in) :: peers
    integer(c_int64_t), intent(in) :: counts(:)
    integer(c_int64_t), intent(in) :: indices
    character(*), intent(in) :: side
    character(:), allocatable :: text
    text = ""
    if (peers /= size(counts)) text = "there are not as many counts as peers"
    if (sum(counts) /= indices) text = "there are not as many indices as the counts say"
    if (text /= "") text = "pattern%create_from_indices: " // side // ": " // text
  end function

  subroutine from_indices(pattern, send_peers, send_counts, send, receive_peers, receive_counts, &
                          receive, first, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: send_peers(:), receive_peers(:)
    integer(c_int), intent(in) :: send_counts(:), send(:), receive_counts(:), receive(:)
    integer, intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call pattern%create_from_indices(send_peers, int(send_counts, c_int64_t), &
                                     int(send, c_int64_t), &
                                     receive_peers, int(receive_counts, c_int64_t), &
                                     int(receive, c_int64_t), first, stat, errmsg)
  end subroutine

  subroutine from_indices64(pattern, send_peers, send_counts, send, receive_peers, receive_counts, &
                            receive, first, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    integer, intent(in) :: send_peers(:), receive_peers(:)
    integer(c_int64_t), intent(in) :: send_counts(:), send(:), receive_counts(:), receive(:)
    integer, intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: problem
    call pattern%free()
    problem = unlike(size(send_peers), send_counts, size(send, kind=c_int64_t), "what is sent")
    if (problem == "") problem = unlike(size(receive_peers), receive_counts, &
                                        size(receive, kind=c_int64_t), "what is received")
    if (problem /= "") then
      call fail(problem, stat, errmsg)
    else
      call check(c_pattern_from_indices64(size(send_peers, kind=c_int), int(send_peers, c_int), &
                                          send_counts, counted_from_0_64(send, first), &
                                          size(receive_peers, kind=c_int), &
                                          int(receive_peers, c_int), receive_counts, &
                                          counted_from_0_64(receive, first), pattern%handle), &
                 stat, errmsg)
    end if
  end subroutine

  !> What rank `rank` sends and receives when an array that is spread as `from` is to be spread as
  !> `to`.
  subroutine create_between(pattern, from, to, rank, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    type(halocline_distribution), intent(in) :: from, to
    integer, intent(in) :: rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call pattern%free()
    call check(c_pattern_between(from%handle, to%handle, int(rank, c_int), pattern%handle), stat, &
               errmsg)
  end subroutine

  !> The halos of all parts that rank `rank` has, where ranks may have several boxes each. All halos
  !> of the distribution; `periodic` of each axis of a grid of `cells` cells. `corners`: edges and
  !> corners too. Local.
  subroutine create_halo_of(pattern, parts, rank, periodic, cells, corners, stat, errmsg)
    class(halocline_pattern), intent(inout) :: pattern
    type(halocline_distribution), intent(in) :: parts
    integer, intent(in) :: rank
    logical, intent(in), optional :: periodic(:), corners
    integer, intent(in), optional :: cells(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_halo_options) :: options
    integer(c_int) :: axes
    logical :: wrong
    call pattern%free()
    options%size = c_sizeof(options)
    axes = 0
    call check(c_distribution_axes(parts%handle, axes))
    wrong = .false.
    if (present(periodic)) wrong = size(periodic) /= axes
    if (present(cells)) wrong = wrong .or. size(cells) /= axes
    if (wrong) then
      call fail("pattern%create_halo_of: periodic and cells have an entry for each axis", stat, &
                errmsg)
      return
    end if
    if (present(periodic)) options%periodic(1:axes) = merge(1_c_int, 0_c_int, periodic(axes:1:-1))
    if (present(cells)) options%cells(1:axes) = cells(axes:1:-1)
    if (present(corners)) options%corners = merge(1_c_int, 0_c_int, corners)
    call check(c_pattern_halo_of(parts%handle, int(rank, c_int), options, pattern%handle), stat, &
               errmsg)
  end subroutine

  !> The way back: sends what was received, to where it was sent from.
  subroutine reversed(pattern, back, stat, errmsg)
    class(halocline_pattern), intent(in) :: pattern
    type(halocline_pattern), intent(inout) :: back
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call back%free()
    call check(c_pattern_reversed(pattern%handle, back%handle), stat, errmsg)
  end subroutine

  !> Number of links on which this rank sends, and on which it receives.
  integer function pattern_sends(pattern)
    class(halocline_pattern), intent(in) :: pattern
    integer(c_int) :: links
    links = 0
    call check(c_pattern_links(pattern%handle, 0_c_int, links))
    pattern_sends = links
  end function

  integer function pattern_receives(pattern)
    class(halocline_pattern), intent(in) :: pattern
    integer(c_int) :: links
    links = 0
    call check(c_pattern_links(pattern%handle, 1_c_int, links))
    pattern_receives = links
  end function

  integer(c_int64_t) function elements_sent(pattern)
    class(halocline_pattern), intent(in) :: pattern
    elements_sent = 0
    call check(c_pattern_elements_sent(pattern%handle, elements_sent))
  end function

  !> The least size of an array, in elements.
  integer(c_int64_t) function pattern_extent(pattern)
    class(halocline_pattern), intent(in) :: pattern
    pattern_extent = 0
    call check(c_pattern_extent(pattern%handle, pattern_extent))
  end function

  subroutine assign_pattern(to, from)
    class(halocline_pattern), intent(inout) :: to
    type(halocline_pattern), intent(in) :: from
    type(c_ptr) :: same
    same = c_null_ptr
    if (c_associated(from%handle)) call check(c_pattern_duplicate(from%handle, same))
    call to%free()
    to%handle = same
  end subroutine

  subroutine pattern_free(pattern)
    class(halocline_pattern), intent(inout) :: pattern
    call check(c_pattern_free(pattern%handle))
  end subroutine

  impure elemental subroutine pattern_final(pattern)
    type(halocline_pattern), intent(inout) :: pattern
    call pattern%free()
  end subroutine

  !> Cut along each axis into dims(axis) parts, as a grid is; the first rank has the first part, the
  !> next one along the first axis the second. `below` and `above`: cells of the halo around a part
  !> in its owner's array. The same on all ranks. Local.
  subroutine distribution_create(distribution, cells, dims, below, above, stat, errmsg)
    class(halocline_distribution), intent(inout) :: distribution
    integer, intent(in) :: cells(:), dims(:)
    integer, intent(in), optional :: below(:), above(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: axes
    call distribution%free()
    axes = size(cells)
    if (size(dims) /= axes) then
      call fail("distribution%create: there are not as many dims as axes", stat, errmsg)
      return
    end if
    if (.not. of_each(axes, below, above)) then
      call fail("distribution%create: " // entries, stat, errmsg)
      return
    end if
    call check(c_distribution_create(int(axes, c_int), int(cells(axes:1:-1), c_int64_t), &
                                     int(dims(axes:1:-1), c_int), with_halos(axes, below, above), &
                                     distribution%handle), stat, errmsg)
  end subroutine

  !> Whether the lists have an entry for each of 1 to 5 axes, if they are there.
  pure logical function of_each(axes, below, above)
    integer, intent(in) :: axes
    integer, intent(in), optional :: below(:), above(:)
    of_each = axes >= 1 .and. axes <= most_axes
    if (present(below)) of_each = of_each .and. size(below) == axes
    if (present(above)) of_each = of_each .and. size(above) == axes
  end function

  function with_halos(axes, below, above) result(options)
    integer, intent(in) :: axes
    integer, intent(in), optional :: below(:), above(:)
    type(c_distribution_options) :: options
    options%size = c_sizeof(options)
    options%halos = c_halo_width(0, 0)
    if (present(below)) options%halos(1:axes)%below = int(below(axes:1:-1), c_int)
    if (present(above)) options%halos(1:axes)%above = int(above(axes:1:-1), c_int)
  end function

  !> Any boxes: the first boxes(1) are those of the first rank, the next boxes(2) those of the
  !> second, and so on. Box `i` has the cells first(axis, i) to last(axis, i) along each axis, which
  !> count from 1. A rank's array has its boxes one after the other, each with its halo. The same on
  !> all ranks. Local.
  subroutine create_of_boxes(distribution, boxes, first, last, below, above, stat, errmsg)
    class(halocline_distribution), intent(inout) :: distribution
    integer, intent(in) :: boxes(:), first(:, :), last(:, :)
    integer, intent(in), optional :: below(:), above(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_range) :: ranges(size(first))
    integer :: axes
    call distribution%free()
    axes = size(first, 1)
    if (any(shape(first) /= shape(last)) .or. sum(boxes) /= size(first, 2)) then
      call fail("distribution%create_of_boxes: first and last have a column for each box", stat, &
                errmsg)
      return
    end if
    if (.not. of_each(axes, below, above)) then
      call fail("distribution%create_of_boxes: " // entries, stat, errmsg)
      return
    end if
    ranges%begin = reshape(first(axes:1:-1, :), [size(first)]) - 1
    ranges%end = reshape(last(axes:1:-1, :), [size(last)])
    call check(c_distribution_of_boxes(int(axes, c_int), size(boxes, kind=c_int), &
                                       int(boxes, c_int), ranges, &
                                       with_halos(axes, below, above), distribution%handle), &
               stat, errmsg)
  end subroutine

  !> How many parts a rank has, without empty ones.
  integer function distribution_parts(distribution, rank)
    class(halocline_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    type(c_part) :: none(1)
    integer(c_int64_t) :: count
    count = 0
    call check(c_distribution_parts_of(distribution%handle, int(rank, c_int), 0_c_int64_t, none, &
                                       count))
    distribution_parts = int(count)
  end function

  !> Of part `number` of a rank, from 1 on, its cells from first(axis) to last(axis), without the
  !> halo; and at which element of the rank's array it begins with its halo, from 1 on.
  subroutine distribution_part(distribution, rank, number, first, last, begin)
    class(halocline_distribution), intent(in) :: distribution
    integer, intent(in) :: rank, number
    integer, intent(out) :: first(:), last(:), begin
    type(c_part) :: parts(max(number, 1))
    integer(c_int64_t) :: count
    integer :: axes
    axes = size(first)
    count = 0
    call check(c_distribution_parts_of(distribution%handle, int(rank, c_int), &
                                       size(parts, kind=c_int64_t), parts, count))
    if (number < 1 .or. number > count) call refuse("distribution%part: there is no such part")
    first = int(parts(number)%cells(axes:1:-1)%begin) + 1
    last = int(parts(number)%cells(axes:1:-1)%end)
    begin = int(parts(number)%begin) + 1
  end subroutine

  !> Elements of a rank's array, halos included.
  integer(c_int64_t) function distribution_elements(distribution, rank)
    class(halocline_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    distribution_elements = 0
    call check(c_distribution_elements(distribution%handle, int(rank, c_int), &
                                       distribution_elements))
  end function

  subroutine assign_distribution(to, from)
    class(halocline_distribution), intent(inout) :: to
    type(halocline_distribution), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      call refuse("a halocline_distribution cannot be copied; use move_alloc or a pointer")
  end subroutine

  subroutine distribution_free(distribution)
    class(halocline_distribution), intent(inout) :: distribution
    call check(c_distribution_free(distribution%handle))
  end subroutine

  impure elemental subroutine distribution_final(distribution)
    type(halocline_distribution), intent(inout) :: distribution
    call distribution%free()
  end subroutine

end module

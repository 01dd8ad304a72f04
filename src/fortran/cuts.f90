! Cuts of grids: what each of any number of ranks has, without MPI.
module halocline_cuts
  use halocline_c
  use halocline_errors
  use halocline_fields, only: text_of
  use halocline_patterns
  implicit none
  private
  public :: halocline_cut, options_of_grid, c_axis, has, no_axis

  !> The cut of a grid of 1 to 5 axes into parts, one a rank, for any number of ranks; those for
  !> which no part is left own nothing. Ranks count from 0, axes and cells from 1. Local.
  type :: halocline_cut
    type(c_ptr) :: handle = c_null_ptr  !< of C
    integer(c_int), private :: n = 0    !< axes
  contains
    procedure, private :: cut_int32, cut_int64, assign_cut
    !> create(ranks, cells, halo=1, below=, above=, periodic=, dims=, corners=.true., rows=.false.,
    !> stat=, errmsg=): all but `ranks` as for halocline_grid. Fails when a halo is wider than a
    !> part.
    generic :: create => cut_int32, cut_int64
    procedure :: of_grid
    procedure :: axes => cut_axes
    procedure :: ranks => cut_ranks
    procedure :: parts => cut_parts
    procedure :: dims => cut_dims
    procedure :: coordinate => cut_coordinate
    procedure :: idle => cut_idle
    procedure :: first => cut_first
    procedure :: last => cut_last
    procedure :: owned => cut_owned
    procedure :: extent => cut_extent
    procedure :: neighbour => cut_neighbour
    procedure :: halo => cut_halo
    procedure :: faces => cut_faces
    procedure :: distribution => cut_distribution
    procedure :: free => cut_free
    generic :: assignment(=) => assign_cut
    final :: cut_final
  end type

contains

  !> What C takes for these arguments of `call`, of `n` axes; fails where they do not fit.
  subroutine options_of_grid(call, n, halo, below, above, periodic, dims, corners, rows, options, &
                             wrong, stat, errmsg)
    character(*), intent(in) :: call
    integer(c_int), intent(in) :: n
    integer, intent(in), optional :: halo, below(:), above(:), dims(:)
    logical, intent(in), optional :: periodic(:), corners, rows
    type(c_grid_options), intent(out) :: options
    logical, intent(out) :: wrong
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    options%size = c_sizeof(options)
    wrong = n < 1 .or. n > most_axes
    if (wrong) then
      call fail(call // ": a grid has 1 to 5 axes", stat, errmsg)
      return
    end if
    if (present(below)) wrong = size(below) /= n
    if (present(above)) wrong = wrong .or. size(above) /= n
    if (present(periodic)) wrong = wrong .or. size(periodic) /= n
    if (present(dims)) wrong = wrong .or. size(dims) /= n
    if (wrong) then
      call fail(call // ": below, above, periodic and dims have an entry for each axis", stat, &
                errmsg)
      return
    end if
    if (present(halo)) options%halo = c_halo_width(int(halo, c_int), int(halo, c_int))
    if (present(below)) options%halo(1:n)%below = int(below(n:1:-1), c_int)
    if (present(above)) options%halo(1:n)%above = int(above(n:1:-1), c_int)
    if (present(periodic)) options%periodic(1:n) = merge(1_c_int, 0_c_int, periodic(n:1:-1))
    if (present(dims)) options%dims(1:n) = int(dims(n:1:-1), c_int)
    if (present(corners)) options%corners = merge(1_c_int, 0_c_int, corners)
    if (present(rows)) options%decomposition = merge(0_c_int, 1_c_int, rows)
  end subroutine

  !> The number that C gives to one of `n` axes.
  integer(c_int) function c_axis(n, axis)
    integer(c_int), intent(in) :: n
    integer, intent(in) :: axis
    if (.not. has(n, axis)) call refuse(no_axis(n, axis))
    c_axis = int(n - axis, c_int)
  end function

  !> What is no grid yet, C refuses itself.
  pure logical function has(n, axis)
    integer(c_int), intent(in) :: n
    integer, intent(in) :: axis
    has = n == 0 .or. (axis >= 1 .and. axis <= n)
  end function

  pure function no_axis(n, axis) result(text)
    integer(c_int), intent(in) :: n
    integer, intent(in) :: axis
    character(:), allocatable :: text
    text = "grid: there is no axis " // text_of(axis) // "; it has those from 1 to " // &
      text_of(int(n))
  end function

  subroutine cut_int32(cut, ranks, cells, halo, below, above, periodic, dims, corners, rows, &
                       stat, errmsg)
    class(halocline_cut), intent(inout) :: cut
    integer, intent(in) :: ranks
    integer(c_int), intent(in) :: cells(:)
    integer, intent(in), optional :: halo, below(:), above(:), dims(:)
    logical, intent(in), optional :: periodic(:), corners, rows
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call cut%create(ranks, int(cells, c_int64_t), halo, below, above, periodic, dims, corners, &
                    rows, stat, errmsg)
  end subroutine

  subroutine cut_int64(cut, ranks, cells, halo, below, above, periodic, dims, corners, rows, &
                       stat, errmsg)
    class(halocline_cut), intent(inout) :: cut
    integer, intent(in) :: ranks
    integer(c_int64_t), intent(in) :: cells(:)
    integer, intent(in), optional :: halo, below(:), above(:), dims(:)
    logical, intent(in), optional :: periodic(:), corners, rows
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_grid_options) :: options
    integer(c_int) :: n
    logical :: wrong
    call cut%free()
    n = size(cells, kind=c_int)
    call options_of_grid("cut%create", n, halo, below, above, periodic, dims, corners, rows, &
                         options, wrong, stat, errmsg)
    if (wrong) return
    cut%n = n
    call check(c_cut_create(int(ranks, c_int), n, (cells(n:1:-1)), options, cut%handle), stat, &
               errmsg)
  end subroutine

  !> The cut that this handle of C gives: of_grid is for grid%cut(cut).
  subroutine of_grid(cut, grid, n, stat, errmsg)
    class(halocline_cut), intent(inout) :: cut
    type(c_ptr), intent(in) :: grid
    integer(c_int), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call cut%free()
    cut%n = n
    call check(c_grid_cut(grid, cut%handle), stat, errmsg)
  end subroutine

  pure integer function cut_axes(cut)
    class(halocline_cut), intent(in) :: cut
    cut_axes = cut%n
  end function

  integer function cut_ranks(cut)
    class(halocline_cut), intent(in) :: cut
    integer(c_int) :: ranks
    ranks = 0
    call check(c_cut_ranks(cut%handle, ranks))
    cut_ranks = ranks
  end function

  !> At most as many as ranks.
  integer function cut_parts(cut)
    class(halocline_cut), intent(in) :: cut
    integer(c_int) :: parts
    parts = 0
    call check(c_cut_parts(cut%handle, parts))
    cut_parts = parts
  end function

  !> Parts along an axis.
  integer function cut_dims(cut, axis)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: axis
    integer(c_int) :: dims(0:most_axes - 1)
    dims = 0
    call check(c_cut_dims(cut%handle, dims))
    cut_dims = dims(c_axis(cut%n, axis))
  end function

  !> A rank's coordinate along an axis of the process grid, from 0 on; -1 if it is idle.
  integer function cut_coordinate(cut, rank, axis)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank, axis
    integer(c_int) :: coordinates(0:most_axes - 1)
    coordinates = -1
    call check(c_cut_coordinates(cut%handle, int(rank, c_int), coordinates))
    cut_coordinate = coordinates(c_axis(cut%n, axis))
  end function

  !> Whether a rank owns no cell.
  logical function cut_idle(cut, rank)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank
    integer(c_int) :: idle
    idle = 0
    call check(c_cut_idle(cut%handle, int(rank, c_int), idle))
    cut_idle = idle /= 0
  end function

  !> The first of the whole grid's cells that a rank owns along an axis, from 1 on.
  integer(c_int64_t) function cut_first(cut, rank, axis)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank, axis
    type(c_range) :: cells
    call check(c_cut_owned(cut%handle, int(rank, c_int), c_axis(cut%n, axis), cells))
    cut_first = cells%begin + 1
  end function

  !> The last of them.
  integer(c_int64_t) function cut_last(cut, rank, axis)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank, axis
    type(c_range) :: cells
    call check(c_cut_owned(cut%handle, int(rank, c_int), c_axis(cut%n, axis), cells))
    cut_last = cells%end
  end function

  !> How many these are.
  integer(c_int64_t) function cut_owned(cut, rank, axis)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank, axis
    cut_owned = cut%last(rank, axis) - cut%first(rank, axis) + 1
  end function

  !> Cells of a rank's array along an axis, halos included; 0 if it is idle.
  integer(c_int64_t) function cut_extent(cut, rank, axis)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank, axis
    cut_extent = 0
    call check(c_cut_local(cut%handle, int(rank, c_int), c_axis(cut%n, axis), cut_extent))
  end function

  !> The rank at a rank's coordinates plus `offset`, which has an entry for each axis; negative
  !> outside.
  integer function cut_neighbour(cut, rank, offset)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank, offset(:)
    integer(c_int) :: neighbour
    if (size(offset) /= cut%n) call refuse("cut%neighbour: offset has an entry for each axis")
    neighbour = -1
    call check(c_cut_neighbour(cut%handle, int(rank, c_int), int(offset(cut%n:1:-1), c_int), &
                               neighbour))
    cut_neighbour = neighbour
  end function

  !> A rank's halo's links: what it sends to and receives from every neighbour.
  subroutine cut_halo(cut, rank, pattern, stat, errmsg)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: rank
    type(halocline_pattern), intent(inout) :: pattern
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call pattern%free()
    call check(c_cut_halo(cut%handle, int(rank, c_int), pattern%handle), stat, errmsg)
  end subroutine

  !> The cut of the faces between cells along an axis, as grid%faces.
  subroutine cut_faces(cut, axis, faces, stat, errmsg)
    class(halocline_cut), intent(in) :: cut
    integer, intent(in) :: axis
    type(halocline_cut), intent(inout) :: faces
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call faces%free()
    if (.not. has(cut%n, axis)) then
      call fail(no_axis(cut%n, axis), stat, errmsg)
      return
    end if
    faces%n = cut%n
    call check(c_cut_faces(cut%handle, c_axis(cut%n, axis), faces%handle), stat, errmsg)
  end subroutine

  !> Which cells each rank owns, and where they lie in its array.
  subroutine cut_distribution(cut, distribution, stat, errmsg)
    class(halocline_cut), intent(in) :: cut
    type(halocline_distribution), intent(inout) :: distribution
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call distribution%free()
    call check(c_cut_distribution(cut%handle, c_null_ptr, distribution%handle), stat, errmsg)
  end subroutine

  subroutine assign_cut(to, from)
    class(halocline_cut), intent(inout) :: to
    type(halocline_cut), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      call refuse("a halocline_cut cannot be copied; use move_alloc or a pointer")
  end subroutine

  subroutine cut_free(cut)
    class(halocline_cut), intent(inout) :: cut
    call check(c_cut_free(cut%handle))
  end subroutine

  impure elemental subroutine cut_final(cut)
    type(halocline_cut), intent(inout) :: cut
    call cut%free()
  end subroutine

end module

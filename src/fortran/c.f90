! The functions and structures of halocline.h that the modules below stand on.
module halocline_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: most_axes = 5

  type, bind(c) :: c_halo_width
    integer(c_int) :: below = 1, above = 1
  end type

  type, bind(c) :: c_grid_options
    type(c_halo_width) :: halo(most_axes)
    integer(c_int) :: periodic(most_axes) = 0, dims(most_axes) = 0, corners = 1, decomposition = 1
    type(c_ptr) :: cuts(most_axes) = c_null_ptr
    integer(c_int) :: cut_counts(most_axes) = 0, renumber = 0
    type(c_ptr) :: nodes = c_null_ptr
  end type

  type, bind(c) :: c_range
    integer(c_int64_t) :: begin = 0, end = 0
  end type

  type, bind(c) :: c_distribution_options
    type(c_halo_width) :: halos(most_axes)
    integer(c_int) :: order(most_axes) = 0, first = 0
    type(c_ptr) :: ranks = c_null_ptr
    integer(c_int) :: rank_count = 0
  end type

  type, bind(c) :: c_part
    integer(c_int) :: rank = -1
    integer(c_int64_t) :: number = 0
    type(c_range) :: cells(most_axes)
    integer(c_int64_t) :: begin = 0, elements = 0, offset = 0, stride(most_axes) = 0
    integer(c_int) :: order(most_axes) = 0
  end type

  type, bind(c) :: c_halo_options
    type(c_halo_width) :: widths(most_axes) = c_halo_width(-1, -1)
    integer(c_int) :: periodic(most_axes) = 0
    integer(c_int64_t) :: cells(most_axes) = 0
    integer(c_int) :: corners = 1, own_arrays = 0
  end type

  type, bind(c) :: c_block
    integer(c_int64_t) :: offset = 0, count(3) = 1, stride(2) = 0
    integer(c_int) :: part = 0
  end type

  type, bind(c) :: c_link
    integer(c_int) :: peer = -1
    integer(c_int64_t) :: blocks = 0, elements = 0
  end type

  type, bind(c) :: c_field
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: element_bytes = 0, elements = 0
    type(c_ptr) :: memory = c_null_ptr
    integer(c_int) :: number = 0, read_only = 0, unbound = 0, axes = 0
    integer(c_int64_t) :: extent(most_axes) = 0, stride(most_axes) = 0
  end type

  type, bind(c) :: c_combine
    integer(c_int) :: how = 0
    type(c_funptr) :: function = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    integer(c_int64_t) :: bytes = 0
  end type

  type, bind(c) :: c_exchange_options
    type(c_combine) :: combine
    integer(c_int) :: changes = 0
    integer(c_int64_t) :: capacity = 0
    integer(c_int) :: halos = 0
  end type

  type, bind(c) :: c_halo_view
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: stride(3) = 0
  end type

  !> Seconds spent in the parts of an exchange.
  type, bind(c) :: halocline_exchange_times
    real(c_double) :: pack = 0, transfer = 0, wait = 0, copy = 0
  end type

  type, bind(c) :: c_exchange_part
    type(c_ptr) :: pattern = c_null_ptr, fields = c_null_ptr, to = c_null_ptr
    integer(c_int) :: count = 0
  end type

  type, bind(c) :: c_gather_scatter_options
    type(c_combine) :: combine
    integer(c_int64_t) :: most_direct = 8
  end type

  type, bind(c) :: c_async_options
    integer(c_int) :: buffers = 1, racy = 0
  end type

  type, bind(c) :: c_async_counts
    integer(c_int64_t) :: sent = 0, skipped = 0, received = 0, superseded = 0
  end type

  !> How many times as long a lap takes: the median and its interval, which holds with this
  !> confidence. All 0: it was never timed.
  type, bind(c) :: halocline_lap_times
    real(c_double) :: value = 0, low = 0, high = 0, confidence = 0
  end type

  type, bind(c) :: c_findings
    integer(c_int64_t) :: laps = 0
    real(c_double) :: seconds = 0, cost = 0, preparing = 0
    integer(c_int) :: decided = 0, contests = 0, chosen = 0
  end type

  type, bind(c) :: c_chosen
    type(c_ptr) :: what = c_null_ptr, yardstick = c_null_ptr
    type(halocline_lap_times) :: times
    integer(c_int) :: matters = 0, tried = 0
  end type

  type, bind(c) :: c_tried
    type(c_ptr) :: what = c_null_ptr
    integer(c_int64_t) :: laps = 0
    type(halocline_lap_times) :: times
    type(c_ptr) :: why = c_null_ptr
  end type

  type, bind(c) :: c_patience
    real(c_double) :: timeout = 0
    integer(c_int) :: yield = 0
    type(c_ptr) :: remedy = c_null_ptr
    type(c_funptr) :: stuck = c_null_funptr
  end type

  interface

    integer(c_int) function c_environment_create(argc, argv, thread_level, &
        environment) &
        bind(c, name="halocline_environment_create")
      import
      type(c_ptr), value :: argc, argv
      integer(c_int), value :: thread_level
      type(c_ptr), intent(inout) :: environment
    end function
    integer(c_int) function c_environment_free(environment) &
        bind(c, name="halocline_environment_free")
      import
      type(c_ptr), intent(inout) :: environment
    end function
    integer(c_int) function c_world(comm) &
        bind(c, name="halocline_world")
      import
      integer(c_intptr_t), intent(inout) :: comm
    end function
    integer(c_int) function c_comm_f2c(fortran, comm) &
        bind(c, name="halocline_comm_f2c")
      import
      integer(c_int), value :: fortran
      integer(c_intptr_t), intent(inout) :: comm
    end function
    integer(c_int) function c_comm_c2f(comm, fortran) &
        bind(c, name="halocline_comm_c2f")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), intent(inout) :: fortran
    end function
    integer(c_int) function c_rank(comm, rank) &
        bind(c, name="halocline_rank")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), intent(inout) :: rank
    end function
    integer(c_int) function c_size(comm, size) &
        bind(c, name="halocline_size")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), intent(inout) :: size
    end function
    integer(c_int) function c_patience_get(patience) &
        bind(c, name="halocline_patience_get")
      import
      type(c_patience), intent(inout) :: patience
    end function
    integer(c_int) function c_patience_set(patience) &
        bind(c, name="halocline_patience_set")
      import
      type(c_patience), intent(in) :: patience
    end function
    integer(c_int) function c_scheme_str(scheme, text) &
        bind(c, name="halocline_scheme_str")
      import
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function c_scheme_matches(scheme, glob, matches) &
        bind(c, name="halocline_scheme_matches")
      import
      character(kind=c_char), intent(in) :: scheme(*), glob(*)
      integer(c_int), intent(inout) :: matches
    end function
    integer(c_int) function c_known_schemes(count) &
        bind(c, name="halocline_known_schemes")
      import
      integer(c_int), intent(inout) :: count
    end function
    integer(c_int) function c_known_scheme(index, scheme, summary, unavailable) &
        bind(c, name="halocline_known_scheme")
      import
      integer(c_int), value :: index
      type(c_ptr), intent(inout) :: scheme, summary, unavailable
    end function
    integer(c_int) function c_grid_create(comm, axes, cells, options, grid) &
        bind(c, name="halocline_grid_create")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), value :: axes
      integer(c_int64_t), intent(in) :: cells(*)
      type(c_grid_options), intent(in) :: options
      type(c_ptr), intent(inout) :: grid
    end function
    integer(c_int) function c_grid_free(grid) &
        bind(c, name="halocline_grid_free")
      import
      type(c_ptr), intent(inout) :: grid
    end function
    integer(c_int) function c_grid_comm(grid, comm) &
        bind(c, name="halocline_grid_comm")
      import
      type(c_ptr), value :: grid
      integer(c_intptr_t), intent(inout) :: comm
    end function
    integer(c_int) function c_grid_axes(grid, axes) &
        bind(c, name="halocline_grid_axes")
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(inout) :: axes
    end function
    integer(c_int) function c_grid_cut(grid, cut) &
        bind(c, name="halocline_grid_cut")
      import
      type(c_ptr), value :: grid
      type(c_ptr), intent(inout) :: cut
    end function
    integer(c_int) function c_cut_free(cut) &
        bind(c, name="halocline_cut_free")
      import
      type(c_ptr), intent(inout) :: cut
    end function
    integer(c_int) function c_grid_dims(grid, dims) &
        bind(c, name="halocline_grid_dims")
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(inout) :: dims(*)
    end function
    integer(c_int) function c_grid_width(grid, axis, width) &
        bind(c, name="halocline_grid_width")
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: axis
      type(c_halo_width), intent(inout) :: width
    end function
    integer(c_int) function c_grid_idle(grid, idle) &
        bind(c, name="halocline_grid_idle")
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(inout) :: idle
    end function
    integer(c_int) function c_grid_coordinates(grid, coordinates) &
        bind(c, name="halocline_grid_coordinates")
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(inout) :: coordinates(*)
    end function
    integer(c_int) function c_grid_owned(grid, axis, cells) &
        bind(c, name="halocline_grid_owned")
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: axis
      type(c_range), intent(inout) :: cells
    end function
    integer(c_int) function c_grid_local(grid, axis, cells) &
        bind(c, name="halocline_grid_local")
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: axis
      integer(c_int64_t), intent(inout) :: cells
    end function
    integer(c_int) function c_grid_elements(grid, elements) &
        bind(c, name="halocline_grid_elements")
      import
      type(c_ptr), value :: grid
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function c_grid_neighbour(grid, offset, neighbour) &
        bind(c, name="halocline_grid_neighbour")
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(in) :: offset(*)
      integer(c_int), intent(inout) :: neighbour
    end function
    integer(c_int) function c_grid_halo(grid, pattern) &
        bind(c, name="halocline_grid_halo")
      import
      type(c_ptr), value :: grid
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_grid_distribution(grid, distribution) &
        bind(c, name="halocline_grid_distribution")
      import
      type(c_ptr), value :: grid
      type(c_ptr), intent(inout) :: distribution
    end function
    integer(c_int) function c_grid_faces(grid, axis, faces) &
        bind(c, name="halocline_grid_faces")
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: axis
      type(c_ptr), intent(inout) :: faces
    end function
    integer(c_int) function c_distribution_create(axes, cells, dims, options, &
        distribution) &
        bind(c, name="halocline_distribution_create")
      import
      integer(c_int), value :: axes
      integer(c_int64_t), intent(in) :: cells(*)
      integer(c_int), intent(in) :: dims(*)
      type(c_distribution_options), intent(in) :: options
      type(c_ptr), intent(inout) :: distribution
    end function
    integer(c_int) function c_distribution_of_boxes(axes, ranks, counts, boxes, options, &
        distribution) &
        bind(c, name="halocline_distribution_of_boxes")
      import
      integer(c_int), value :: axes, ranks
      integer(c_int), intent(in) :: counts(*)
      type(c_range), intent(in) :: boxes(*)
      type(c_distribution_options), intent(in) :: options
      type(c_ptr), intent(inout) :: distribution
    end function
    integer(c_int) function c_distribution_axes(distribution, axes) &
        bind(c, name="halocline_distribution_axes")
      import
      type(c_ptr), value :: distribution
      integer(c_int), intent(inout) :: axes
    end function
    integer(c_int) function c_distribution_parts_of(distribution, rank, room, parts, count) &
        bind(c, name="halocline_distribution_parts_of")
      import
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), value :: room
      type(c_part), intent(inout) :: parts(*)
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_pattern_halo_of(parts, rank, options, pattern) &
        bind(c, name="halocline_pattern_halo_of")
      import
      type(c_ptr), value :: parts
      integer(c_int), value :: rank
      type(c_halo_options), intent(in) :: options
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_distribution_free(distribution) &
        bind(c, name="halocline_distribution_free")
      import
      type(c_ptr), intent(inout) :: distribution
    end function
    integer(c_int) function c_distribution_elements(distribution, rank, elements) &
        bind(c, name="halocline_distribution_elements")
      import
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function c_pattern_create(pattern) &
        bind(c, name="halocline_pattern_create")
      import
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_pattern_duplicate(pattern, same) &
        bind(c, name="halocline_pattern_duplicate")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), intent(inout) :: same
    end function
    integer(c_int) function c_pattern_free(pattern) &
        bind(c, name="halocline_pattern_free")
      import
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_pattern_send(pattern, peer, block) &
        bind(c, name="halocline_pattern_send")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: peer
      type(c_block), intent(in) :: block
    end function
    integer(c_int) function c_pattern_receive(pattern, peer, block) &
        bind(c, name="halocline_pattern_receive")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: peer
      type(c_block), intent(in) :: block
    end function
    integer(c_int) function c_pattern_copy(pattern, from, to) &
        bind(c, name="halocline_pattern_copy")
      import
      type(c_ptr), value :: pattern
      type(c_block), intent(in) :: from, to
    end function
    integer(c_int) function c_pattern_send_indices(pattern, peer, indices, count) &
        bind(c, name="halocline_pattern_send_indices")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: peer
      integer(c_int), intent(in) :: indices(*)
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_pattern_receive_indices(pattern, peer, indices, count, &
        shift, shifts) &
        bind(c, name="halocline_pattern_receive_indices")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: peer, shifts
      integer(c_int), intent(in) :: indices(*)
      integer(c_int64_t), value :: count
      real(c_double), intent(in) :: shift(*)
    end function
    integer(c_int) function c_pattern_copy_indices(pattern, from, to, count, shift, &
        shifts) &
        bind(c, name="halocline_pattern_copy_indices")
      import
      type(c_ptr), value :: pattern
      integer(c_int), intent(in) :: from(*), to(*)
      integer(c_int64_t), value :: count
      real(c_double), intent(in) :: shift(*)
      integer(c_int), value :: shifts
    end function
    integer(c_int) function c_pattern_send_nothing(pattern, peer) &
        bind(c, name="halocline_pattern_send_nothing")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: peer
    end function
    integer(c_int) function c_pattern_receive_nothing(pattern, peer) &
        bind(c, name="halocline_pattern_receive_nothing")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: peer
    end function
    integer(c_int) function c_pattern_from_indices(sends, send_peers, send_counts, &
        send, receives, receive_peers, receive_counts, receive, pattern) &
        bind(c, name="halocline_pattern_from_indices")
      import
      integer(c_int), value :: sends, receives
      integer(c_int), intent(in) :: send_peers(*), send_counts(*), send(*)
      integer(c_int), intent(in) :: receive_peers(*), receive_counts(*), receive(*)
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_pattern_from_indices64(sends, send_peers, send_counts, &
        send, receives, receive_peers, receive_counts, receive, pattern) &
        bind(c, name="halocline_pattern_from_indices64")
      import
      integer(c_int), value :: sends, receives
      integer(c_int), intent(in) :: send_peers(*), receive_peers(*)
      integer(c_int64_t), intent(in) :: send_counts(*), send(*), receive_counts(*), receive(*)
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_pattern_between(from, to, rank, pattern) &
        bind(c, name="halocline_pattern_between")
      import
      type(c_ptr), value :: from, to
      integer(c_int), value :: rank
      type(c_ptr), intent(inout) :: pattern
    end function
    integer(c_int) function c_pattern_reversed(pattern, reversed) &
        bind(c, name="halocline_pattern_reversed")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), intent(inout) :: reversed
    end function
    integer(c_int) function c_pattern_count_in(pattern, side, part, axes, extents) &
        bind(c, name="halocline_pattern_count_in")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: side, part, axes
      integer(c_int64_t), intent(in) :: extents(*)
    end function
    integer(c_int) function c_pattern_links(pattern, side, links) &
        bind(c, name="halocline_pattern_links")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: side
      integer(c_int), intent(inout) :: links
    end function
    integer(c_int) function c_pattern_link(pattern, side, link, facts) &
        bind(c, name="halocline_pattern_link")
      import
      type(c_ptr), value :: pattern
      integer(c_int), value :: side, link
      type(c_link), intent(inout) :: facts
    end function
    integer(c_int) function c_pattern_elements_sent(pattern, elements) &
        bind(c, name="halocline_pattern_elements_sent")
      import
      type(c_ptr), value :: pattern
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function c_pattern_extent(pattern, elements) &
        bind(c, name="halocline_pattern_extent")
      import
      type(c_ptr), value :: pattern
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function c_array_create(comm, elements, number, numbers, scheme, &
        array) &
        bind(c, name="halocline_array_create")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int64_t), value :: elements, numbers
      integer(c_int), value :: number
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int) function c_array_create_on(grid, number, numbers, scheme, array) &
        bind(c, name="halocline_array_create_on")
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: number
      integer(c_int64_t), value :: numbers
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int) function c_array_free(array) &
        bind(c, name="halocline_array_free")
      import
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int) function c_array_data(array, data) &
        bind(c, name="halocline_array_data")
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: data
    end function
    integer(c_int) function c_array_memory(array, memory) &
        bind(c, name="halocline_array_memory")
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: memory
    end function
    integer(c_int) function c_memory_data(memory, data) &
        bind(c, name="halocline_memory_data")
      import
      type(c_ptr), value :: memory
      type(c_ptr), intent(inout) :: data
    end function
    integer(c_int) function c_arena_create(comm, bytes, scheme, arena) &
        bind(c, name="halocline_arena_create")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int64_t), value :: bytes
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_ptr), intent(inout) :: arena
    end function
    integer(c_int) function c_arena_free(arena) &
        bind(c, name="halocline_arena_free")
      import
      type(c_ptr), intent(inout) :: arena
    end function
    integer(c_int) function c_arena_allocate(arena, bytes, begin) &
        bind(c, name="halocline_arena_allocate")
      import
      type(c_ptr), value :: arena
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: begin
    end function
    integer(c_int) function c_arena_deallocate(arena, begin) &
        bind(c, name="halocline_arena_deallocate")
      import
      type(c_ptr), value :: arena, begin
    end function
    integer(c_int) function c_arena_bytes_free(arena, bytes) &
        bind(c, name="halocline_arena_bytes_free")
      import
      type(c_ptr), value :: arena
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_arena_memory(arena, memory) &
        bind(c, name="halocline_arena_memory")
      import
      type(c_ptr), value :: arena
      type(c_ptr), intent(inout) :: memory
    end function
    integer(c_int) function c_exchange_create(comm, pattern, fields, count, scheme, &
        options, exchange) &
        bind(c, name="halocline_exchange_create")
      import
      integer(c_intptr_t), value :: comm
      type(c_ptr), value :: pattern
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_exchange_options), intent(in) :: options
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_exchange_create_between(comm, pattern, from, to, &
        count, scheme, options, exchange) &
        bind(c, name="halocline_exchange_create_between")
      import
      integer(c_intptr_t), value :: comm
      type(c_ptr), value :: pattern
      type(c_field), intent(in) :: from(*), to(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_exchange_options), intent(in) :: options
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_exchange_create_parts(comm, parts, count, scheme, &
        options, exchange) &
        bind(c, name="halocline_exchange_create_parts")
      import
      integer(c_intptr_t), value :: comm
      type(c_exchange_part), intent(in) :: parts(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_exchange_options), intent(in) :: options
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_exchange_free(exchange) &
        bind(c, name="halocline_exchange_free")
      import
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_exchange_start(exchange) &
        bind(c, name="halocline_exchange_start")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_exchange_finish(exchange) &
        bind(c, name="halocline_exchange_finish")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_exchange_run(exchange) &
        bind(c, name="halocline_exchange_run")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_exchange_start_fields(exchange, fields, count) &
        bind(c, name="halocline_exchange_start_fields")
      import
      type(c_ptr), value :: exchange
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function c_exchange_run_fields(exchange, fields, count) &
        bind(c, name="halocline_exchange_run_fields")
      import
      type(c_ptr), value :: exchange
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function c_exchange_open(exchange) &
        bind(c, name="halocline_exchange_open")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_exchange_open_fields(exchange, fields, count) &
        bind(c, name="halocline_exchange_open_fields")
      import
      type(c_ptr), value :: exchange
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function c_exchange_ready(exchange, link, first, count) &
        bind(c, name="halocline_exchange_ready")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: link
      integer(c_int64_t), value :: first, count
    end function
    integer(c_int) function c_exchange_await(exchange, link, first, count, there) &
        bind(c, name="halocline_exchange_await")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: link
      integer(c_int64_t), value :: first, count
      integer(c_int), intent(inout) :: there
    end function
    integer(c_int) function c_exchange_change(exchange, pattern, fields, count) &
        bind(c, name="halocline_exchange_change")
      import
      type(c_ptr), value :: exchange, pattern
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function c_exchange_scheme(exchange, scheme) &
        bind(c, name="halocline_exchange_scheme")
      import
      type(c_ptr), value :: exchange
      type(c_ptr), intent(inout) :: scheme
    end function
    integer(c_int) function c_exchange_explain(exchange, text) &
        bind(c, name="halocline_exchange_explain")
      import
      type(c_ptr), value :: exchange
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function c_exchange_bytes_sent(exchange, bytes) &
        bind(c, name="halocline_exchange_bytes_sent")
      import
      type(c_ptr), value :: exchange
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_exchange_direct(exchange, direct) &
        bind(c, name="halocline_exchange_direct")
      import
      type(c_ptr), value :: exchange
      integer(c_int), intent(inout) :: direct
    end function
    integer(c_int) function c_exchange_view(exchange, link, block, field, view) &
        bind(c, name="halocline_exchange_view")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: link, field
      integer(c_int64_t), value :: block
      type(c_halo_view), intent(inout) :: view
    end function
    integer(c_int) function c_exchange_fill_halos(exchange) &
        bind(c, name="halocline_exchange_fill_halos")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_exchange_measure(exchange, on) &
        bind(c, name="halocline_exchange_measure")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: on
    end function
    integer(c_int) function c_exchange_get_times(exchange, times) &
        bind(c, name="halocline_exchange_get_times")
      import
      type(c_ptr), value :: exchange
      type(halocline_exchange_times), intent(inout) :: times
    end function
    integer(c_int) function c_exchange_reset_times(exchange) &
        bind(c, name="halocline_exchange_reset_times")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_ragged_exchange_create(comm, target_count, targets, &
        source_count, sources, element_bytes, capacity, scheme, exchange) &
        bind(c, name="halocline_ragged_exchange_create")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), value :: target_count, source_count
      integer(c_int), intent(in) :: targets(*), sources(*)
      integer(c_int64_t), value :: element_bytes, capacity
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_ragged_exchange_free(exchange) &
        bind(c, name="halocline_ragged_exchange_free")
      import
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_ragged_exchange_outgoing(exchange, link, count, &
        elements) &
        bind(c, name="halocline_ragged_exchange_outgoing")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: link
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout) :: elements
    end function
    integer(c_int) function c_ragged_exchange_send(exchange, link, elements, count) &
        bind(c, name="halocline_ragged_exchange_send")
      import
      type(c_ptr), value :: exchange, elements
      integer(c_int), value :: link
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_ragged_exchange_start(exchange) &
        bind(c, name="halocline_ragged_exchange_start")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_ragged_exchange_finish(exchange) &
        bind(c, name="halocline_ragged_exchange_finish")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_ragged_exchange_run(exchange) &
        bind(c, name="halocline_ragged_exchange_run")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function c_ragged_exchange_received(exchange, link, elements, &
        count) &
        bind(c, name="halocline_ragged_exchange_received")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: link
      type(c_ptr), intent(inout) :: elements
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_ragged_exchange_scheme(exchange, scheme) &
        bind(c, name="halocline_ragged_exchange_scheme")
      import
      type(c_ptr), value :: exchange
      type(c_ptr), intent(inout) :: scheme
    end function
    integer(c_int) function c_gather_scatter_create(comm, elements, numbers, fields, &
        count, scheme, options, sums) &
        bind(c, name="halocline_gather_scatter_create")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int64_t), value :: elements
      integer(c_int64_t), intent(in) :: numbers(*)
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_gather_scatter_options), intent(in) :: options
      type(c_ptr), intent(inout) :: sums
    end function
    integer(c_int) function c_gather_scatter_free(sums) &
        bind(c, name="halocline_gather_scatter_free")
      import
      type(c_ptr), intent(inout) :: sums
    end function
    integer(c_int) function c_gather_scatter_start(sums) &
        bind(c, name="halocline_gather_scatter_start")
      import
      type(c_ptr), value :: sums
    end function
    integer(c_int) function c_gather_scatter_finish(sums) &
        bind(c, name="halocline_gather_scatter_finish")
      import
      type(c_ptr), value :: sums
    end function
    integer(c_int) function c_gather_scatter_run(sums) &
        bind(c, name="halocline_gather_scatter_run")
      import
      type(c_ptr), value :: sums
    end function
    integer(c_int) function c_gather_scatter_start_fields(sums, fields, count) &
        bind(c, name="halocline_gather_scatter_start_fields")
      import
      type(c_ptr), value :: sums
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function c_gather_scatter_run_fields(sums, fields, count) &
        bind(c, name="halocline_gather_scatter_run_fields")
      import
      type(c_ptr), value :: sums
      type(c_field), intent(in) :: fields(*)
      integer(c_int), value :: count
    end function
    integer(c_int) function c_gather_scatter_scheme(sums, scheme) &
        bind(c, name="halocline_gather_scatter_scheme")
      import
      type(c_ptr), value :: sums
      type(c_ptr), intent(inout) :: scheme
    end function
    integer(c_int) function c_gather_scatter_bytes_sent(sums, bytes) &
        bind(c, name="halocline_gather_scatter_bytes_sent")
      import
      type(c_ptr), value :: sums
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_async_exchange_create(comm, pattern, element_bytes, &
        scheme, options, exchange) &
        bind(c, name="halocline_async_exchange_create")
      import
      integer(c_intptr_t), value :: comm
      type(c_ptr), value :: pattern
      integer(c_int64_t), value :: element_bytes
      character(kind=c_char), intent(in) :: scheme(*)
      type(c_async_options), intent(in) :: options
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_async_exchange_free(exchange) &
        bind(c, name="halocline_async_exchange_free")
      import
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function c_async_exchange_cells(exchange, field, cells) &
        bind(c, name="halocline_async_exchange_cells")
      import
      type(c_ptr), value :: exchange
      type(c_field), intent(in) :: field
      type(c_ptr), intent(inout) :: cells
    end function
    integer(c_int) function c_async_exchange_send(exchange, cells, iteration) &
        bind(c, name="halocline_async_exchange_send")
      import
      type(c_ptr), value :: exchange, cells
      integer(c_int64_t), value :: iteration
    end function
    integer(c_int) function c_async_exchange_receive(exchange, cells, twin, fresh) &
        bind(c, name="halocline_async_exchange_receive")
      import
      type(c_ptr), value :: exchange, cells, twin
      integer(c_int64_t), intent(inout) :: fresh
    end function
    integer(c_int) function c_async_exchange_drain(exchange, cells, twin) &
        bind(c, name="halocline_async_exchange_drain")
      import
      type(c_ptr), value :: exchange, cells, twin
    end function
    integer(c_int) function c_async_exchange_iteration_of(exchange, link, iteration) &
        bind(c, name="halocline_async_exchange_iteration_of")
      import
      type(c_ptr), value :: exchange
      integer(c_int), value :: link
      integer(c_int64_t), intent(inout) :: iteration
    end function
    integer(c_int) function c_async_exchange_counts(exchange, counts) &
        bind(c, name="halocline_async_exchange_counts")
      import
      type(c_ptr), value :: exchange
      type(c_async_counts), intent(inout) :: counts
    end function
    integer(c_int) function c_async_exchange_scheme(exchange, scheme) &
        bind(c, name="halocline_async_exchange_scheme")
      import
      type(c_ptr), value :: exchange
      type(c_ptr), intent(inout) :: scheme
    end function
    integer(c_int) function c_section_create(comm, exchanges, count, section) &
        bind(c, name="halocline_section_create")
      import
      integer(c_intptr_t), value :: comm
      type(c_ptr), intent(in) :: exchanges(*)
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: section
    end function
    integer(c_int) function c_section_free(section) &
        bind(c, name="halocline_section_free")
      import
      type(c_ptr), intent(inout) :: section
    end function
    integer(c_int) function c_section_begin(section) &
        bind(c, name="halocline_section_begin")
      import
      type(c_ptr), value :: section
    end function
    integer(c_int) function c_section_end(section, work) &
        bind(c, name="halocline_section_end")
      import
      type(c_ptr), value :: section
      real(c_double), value :: work
    end function
    integer(c_int) function c_section_choice(section, name, values, count, value) &
        bind(c, name="halocline_section_choice")
      import
      type(c_ptr), value :: section
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: values(*)
      integer(c_int), value :: count
      integer(c_int), intent(inout) :: value
    end function
    integer(c_int) function c_section_decided(section, decided) &
        bind(c, name="halocline_section_decided")
      import
      type(c_ptr), value :: section
      integer(c_int), intent(inout) :: decided
    end function
    integer(c_int) function c_section_laps(section, laps) &
        bind(c, name="halocline_section_laps")
      import
      type(c_ptr), value :: section
      integer(c_int64_t), intent(inout) :: laps
    end function
    integer(c_int) function c_section_report(section, text) &
        bind(c, name="halocline_section_report")
      import
      type(c_ptr), value :: section
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function c_section_findings(section, findings) &
        bind(c, name="halocline_section_findings")
      import
      type(c_ptr), value :: section
      type(c_findings), intent(inout) :: findings
    end function
    integer(c_int) function c_section_chosen(section, number, chosen) &
        bind(c, name="halocline_section_chosen")
      import
      type(c_ptr), value :: section
      integer(c_int), value :: number
      type(c_chosen), intent(inout) :: chosen
    end function
    integer(c_int) function c_section_tried(section, number, other, tried) &
        bind(c, name="halocline_section_tried")
      import
      type(c_ptr), value :: section
      integer(c_int), value :: number, other
      type(c_tried), intent(inout) :: tried
    end function
    integer(c_int) function c_version() bind(c, name="halocline_version")
      import
    end function
    function c_version_text() result(text) bind(c, name="halocline_version_text")
      import
      type(c_ptr) :: text
    end function
    function c_last_error() result(text) &
        bind(c, name="halocline_last_error")
      import
      type(c_ptr) :: text
    end function
    subroutine c_end_job(program, text) bind(c, name="halocline_end_job")
      import
      character(kind=c_char), intent(in) :: program(*), text(*)
    end subroutine
  end interface

end module

! The C header as bind(C) sees it: its structures, its functions and its constants, with a
! communicator as Fortran has it and without MPI's module. Says nothing if all is right.
program from_fortran
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: halo_width
    integer(c_int) :: below = 1, above = 1
  end type
  type, bind(c) :: grid_options
    type(halo_width) :: halo(5)
    integer(c_int) :: periodic(5) = 0, dims(5) = 0, corners = 1, decomposition = 1
    type(c_ptr) :: cuts(5) = c_null_ptr
    integer(c_int) :: cut_counts(5) = 0, renumber = 0
    type(c_ptr) :: nodes = c_null_ptr
  end type
  type, bind(c) :: range
    integer(c_int64_t) :: begin, end
  end type
  type, bind(c) :: field_type
    type(c_ptr) :: data
    integer(c_int64_t) :: element_bytes, elements
    type(c_ptr) :: memory
    integer(c_int) :: number, read_only, unbound, axes
    integer(c_int64_t) :: extent(5), stride(5)
  end type

  interface
    integer(c_int) function environment_create(argc, argv, level, environment) &
        bind(c, name="halocline_environment_create")
      import
      type(c_ptr), value :: argc, argv
      integer(c_int), value :: level
      type(c_ptr) :: environment
    end function
    integer(c_int) function environment_free(environment) bind(c, name="halocline_environment_free")
      import
      type(c_ptr) :: environment
    end function
    integer(c_int) function world(comm) bind(c, name="halocline_world")
      import
      integer(c_intptr_t) :: comm
    end function
    integer(c_int) function comm_c2f(comm, fortran) bind(c, name="halocline_comm_c2f")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int) :: fortran
    end function
    integer(c_int) function comm_f2c(fortran, comm) bind(c, name="halocline_comm_f2c")
      import
      integer(c_int), value :: fortran
      integer(c_intptr_t) :: comm
    end function
    integer(c_int) function grid_create(comm, axes, cells, options, grid) &
        bind(c, name="halocline_grid_create")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int), value :: axes
      integer(c_int64_t) :: cells(*)
      type(grid_options) :: options
      type(c_ptr) :: grid
    end function
    integer(c_int) function grid_owned(grid, axis, cells) bind(c, name="halocline_grid_owned")
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: axis
      type(range) :: cells
    end function
    integer(c_int) function grid_halo(grid, pattern) bind(c, name="halocline_grid_halo")
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: pattern
    end function
    integer(c_int) function grid_free(grid) bind(c, name="halocline_grid_free")
      import
      type(c_ptr) :: grid
    end function
    integer(c_int) function pattern_free(pattern) bind(c, name="halocline_pattern_free")
      import
      type(c_ptr) :: pattern
    end function
    integer(c_int) function field_of(data, number, numbers, elements, field) &
        bind(c, name="halocline_field_of")
      import
      type(c_ptr), value :: data
      integer(c_int), value :: number
      integer(c_int64_t), value :: numbers, elements
      type(field_type) :: field
    end function
    integer(c_int) function exchange_create(comm, pattern, fields, count, scheme, options, &
        exchange) bind(c, name="halocline_exchange_create")
      import
      integer(c_intptr_t), value :: comm
      type(c_ptr), value :: pattern, options
      type(field_type) :: fields(*)
      integer(c_int), value :: count
      character(kind=c_char) :: scheme(*)
      type(c_ptr) :: exchange
    end function
    integer(c_int) function exchange_run(exchange) bind(c, name="halocline_exchange_run")
      import
      type(c_ptr), value :: exchange
    end function
    integer(c_int) function exchange_free(exchange) bind(c, name="halocline_exchange_free")
      import
      type(c_ptr) :: exchange
    end function
    type(c_ptr) function last_error() bind(c, name="halocline_last_error")
      import
    end function
  end interface

  integer(c_int), parameter :: float64 = 2
  type(c_ptr) :: environment, grid, pattern, exchange
  integer(c_intptr_t) :: comm
  integer(c_int) :: fortran
  integer(c_int64_t) :: cells(2) = [10_c_int64_t, 12_c_int64_t], i, j, rows, columns
  type(grid_options) :: options
  type(range) :: owned(2)
  type(field_type) :: fields(1)
  real(c_double), allocatable, target :: u(:, :)

  call must(environment_create(c_null_ptr, c_null_ptr, 1_c_int, environment))
  call must(world(comm))
  call must(comm_c2f(comm, fortran))
  comm = 0
  call must(comm_f2c(fortran, comm))

  options%periodic(1:2) = 1
  options%halo(2)%above = 2
  call must(grid_create(comm, 2_c_int, cells, options, grid))
  call must(grid_owned(grid, 0_c_int, owned(1)))
  call must(grid_owned(grid, 1_c_int, owned(2)))
  rows = owned(1)%end - owned(1)%begin + 2
  columns = owned(2)%end - owned(2)%begin + 3
  ! The grid's last axis is the contiguous one: Fortran's first.
  allocate (u(0:columns - 1, 0:rows - 1))
  u = -1
  do i = 1, rows - 2
    do j = 1, columns - 3
      u(j, i) = real(100 * (owned(1)%begin + i - 1) + owned(2)%begin + j - 1, c_double)
    end do
  end do

  call must(grid_halo(grid, pattern))
  call must(field_of(c_loc(u), float64, 1_c_int64_t, rows * columns, fields(1)))
  call must(exchange_create(comm, pattern, fields, 1_c_int, "p2p:nonblocking" // c_null_char, &
                            c_null_ptr, exchange))
  call must(grid_free(grid))
  call must(pattern_free(pattern))
  call must(exchange_run(exchange))
  do i = 0, rows - 1
    do j = 0, columns - 1
      if (nint(u(j, i)) /= 100 * modulo(owned(1)%begin + i - 1, 10_c_int64_t) + &
          modulo(owned(2)%begin + j - 1, 12_c_int64_t)) stop "FAILED: a halo is not right"
    end do
  end do
  if (exchange_create(comm, pattern, fields, 1_c_int, "none" // c_null_char, c_null_ptr, &
                      grid) == 0) stop "FAILED: there is no such scheme"
  call must(exchange_free(exchange))
  call must(environment_free(environment))

contains

  subroutine must(code)
    integer(c_int), intent(in) :: code
    character(kind=c_char), pointer :: text(:)
    integer :: length
    if (code == 0) return
    call c_f_pointer(last_error(), text, [1000])
    length = 1
    do while (text(length) /= c_null_char)
      length = length + 1
    end do
    print *, "FAILED: error", code, ": ", text(1:length - 1)
    error stop
  end subroutine

end program

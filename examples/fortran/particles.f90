! Particles that move around a ring of ranks, in Fortran: each step others leave, as many as there
! are. particles SCHEME PARTICLES STEPS
program particles
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_ptr
  use halocline
  implicit none
  type :: particle
    sequence
    real(real64) :: position, velocity  ! in [0, 1)
    integer(int64) :: number
  end type
  type(particle), allocatable :: mine(:)
  type(particle), allocatable, target :: leaving(:, :)
  type(particle), pointer :: arrived(:)
  type(particle) :: one
  type(halocline_ragged_exchange) :: migration
  type(halocline_gather_scatter) :: sums, most
  integer(int64), target, asynchronous :: total(2)
  real(real64), target, asynchronous :: last(1)
  type(c_ptr) :: came
  character(80) :: scheme
  integer :: all, steps, world, me, ranks, above, below, count, stay, leave(2), step, way, i

  scheme = word(1, "auto")
  all = number(2, 1000)
  steps = number(3, 100)
  call halocline_begin()
  world = halocline_world()
  me = halocline_rank(world)
  ranks = halocline_size(world)
  above = modulo(me + 1, ranks)
  below = modulo(me - 1, ranks)

  allocate (mine(all), leaving(all, 2))
  count = 0
  do i = 0, all - 1
    one = particle((i + 0.5_real64) / all, (mod(i * 37, 101) - 50) / 10000._real64, i)
    if (int(one%position * ranks) == me) call add(one)
  end do
  ! To those above and below, from those who go up and who go down.
  call migration%create(world, [above, below], [below, above], storage_size(one) / 8, scheme=scheme)

  do step = 1, steps
    stay = 0
    leave = 0
    do i = 1, count
      one = mine(i)
      way = merge(1, 2, one%velocity > 0)
      one%position = one%position + one%velocity
      one%position = one%position - floor(one%position)
      if (int(one%position * ranks) == me) then
        stay = stay + 1
        mine(stay) = one
      else
        leave(way) = leave(way) + 1
        leaving(leave(way), way) = one
      end if
    end do
    count = stay
    do way = 1, 2
      call migration%send(way, c_loc(leaving(1, way)), leave(way))
    end do
    call migration%run()
    do way = 1, 2
      call migration%received(way, came, stay)
      call c_f_pointer(came, arrived, [stay])
      do i = 1, stay
        call add(arrived(i))
      end do
    end do
  end do

  ! Each particle is with one rank, and where it would be had it never travelled.
  total = [int(count, int64), sum(mine(:count)%number)]
  last = 0
  do i = 1, count
    if (mine(i)%number == all - 1) last = mine(i)%position
  end do
  call sums%create(world, [0, 1], [halocline_field(total)], scheme)
  call most%create(world, [0], [halocline_field(last)], scheme, halocline_max)
  call sums%run()
  call most%run()
  if (me == 0) print "(i0, a, i0, a, f0.15)", total(1), " particles, sum of numbers ", total(2), &
    ", the last one is at 0", last
  call halocline_end()

contains

  subroutine add(one)
    type(particle), intent(in) :: one
    count = count + 1
    mine(count) = one
  end subroutine

  function word(argument, default)
    integer, intent(in) :: argument
    character(*), intent(in) :: default
    character(80) :: word
    call get_command_argument(argument, word)
    if (word == "") word = default
  end function

  integer function number(argument, default)
    integer, intent(in) :: argument, default
    character(80) :: digits
    digits = word(argument, "")
    number = default
    if (digits /= "") read (digits, *) number
  end function

end program

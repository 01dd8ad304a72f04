! Conjugate gradients on an unstructured mesh, in Fortran: index lists say which unknowns neighbours
! need. cg SCHEME UNKNOWNS
!
! The matrix is the Laplacian of a ring of unknowns, each of which is coupled to those 1 and 7
! beside it as well, plus one. Ranks have rows in turn, so what they need lies anywhere.
program cg
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  implicit none
  integer, parameter :: beside(4) = [-7, -1, 1, 7]
  type(halocline_pattern) :: halo
  type(halocline_exchange) :: halos
  type(halocline_gather_scatter) :: sums
  real(real64), allocatable, target, asynchronous :: p(:)
  real(real64), allocatable :: x(:), r(:), q(:)
  real(real64), target, asynchronous :: one_sum(1)
  integer, allocatable :: place(:), column(:, :), peers(:), counts(:, :), send(:), receive(:)
  integer :: world, me, ranks, unknowns, block, before, n, ghosts, i, k, other, peer, step
  real(real64) :: alpha, rr, last
  character(80) :: scheme, digits

  call get_command_argument(1, scheme)
  if (scheme == "") scheme = "auto"
  call get_command_argument(2, digits)
  unknowns = 1000
  if (digits /= "") read (digits, *) unknowns
  call halocline_begin()
  world = halocline_world()
  me = halocline_rank(world)
  ranks = halocline_size(world)
  block = (unknowns + ranks - 1) / ranks
  before = min(me * block, unknowns)
  n = min(block, unknowns - before)  ! my rows: before + 1 to before + n

  ! Where each of a row's four others is: among my own, or behind them, one place for each.
  allocate (place(unknowns), column(4, n))
  place = 0
  place(before + 1:before + n) = [(i, i = 1, n)]
  ghosts = 0
  do i = 1, n
    do k = 1, 4
      other = 1 + modulo(before + i + beside(k) - 1, unknowns)
      if (place(other) == 0) then
        ghosts = ghosts + 1
        place(other) = n + ghosts
      end if
      column(k, i) = place(other)
    end do
  end do

  ! For each rank what I receive, by the order of unknowns; and what it needs of me. (The matrix is
  ! symmetric, so those that need mine are those whose I need.)
  peers = pack([(i, i = 0, ranks - 1)], [(i /= me, i = 0, ranks - 1)])
  allocate (counts(ranks - 1, 2), send(0), receive(0))
  do k = 1, ranks - 1
    peer = peers(k)
    counts(k, :) = [size(send), size(receive)]
    do i = peer * block + 1, min((peer + 1) * block, unknowns)
      if (place(i) /= 0) receive = [receive, place(i)]
    end do
    do i = 1, n
      if (any(modulo(before + i + beside - 1, unknowns) / block == peer)) send = [send, i]
    end do
    counts(k, :) = [size(send), size(receive)] - counts(k, :)
  end do
  call halo%create_from_indices(peers, counts(:, 1), send, peers, counts(:, 2), receive)

  allocate (x(n), r(n), q(n), p(n + ghosts))
  call halos%create(world, halo, halocline_field(p), scheme=scheme)
  call sums%create(world, [1], [halocline_field(one_sum)])

  ! A x = b, from x = 0 on.
  x = 0
  r = [(1 + 0.5_real64 * (mod(before + i - 1, 3) - 1), i = 1, n)]
  p(:n) = r
  rr = dot(r, r)
  do step = 1, unknowns
    if (sqrt(rr) <= 1e-12_real64) exit
    call halos%run()
    do i = 1, n
      q(i) = 5 * p(i)
      do k = 1, 4
        q(i) = q(i) - p(column(k, i))
      end do
    end do
    alpha = rr / dot(p(:n), q)
    x = x + alpha * p(:n)
    r = r - alpha * q
    last = rr
    rr = dot(r, r)
    p(:n) = r + rr / last * p(:n)
  end do

  alpha = dot(x, x)
  if (me == 0) print "(a, f0.10, 3a)", "|x| = ", sqrt(alpha), ", residual ", &
    merge("<", ">", sqrt(rr) <= 1e-12_real64), " 1e-12"
  call halocline_end()

contains

  real(real64) function dot(a, b)
    real(real64), intent(in) :: a(:), b(:)
    one_sum = dot_product(a, b)
    call sums%run()
    dot = one_sum(1)
  end function

end program

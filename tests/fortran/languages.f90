! The Fortran of docs/reference/languages.md and docs/how-to/coming-from.md.
module languages_module
  use check_module
  implicit none

contains

  subroutine test_languages()
    type(halocline_grid) :: grid
    type(halocline_pattern) :: ring, back
    type(halocline_exchange) :: halos, any, add, chosen
    type(halocline_gather_scatter) :: sums
    type(halocline_ragged_exchange) :: migration
    type(halocline_async_exchange) :: news
    type(halocline_section) :: step
    real(c_double), pointer, asynchronous :: u(:, :)
    real(c_double), target, asynchronous :: x(0:4), mass(3)
    real(c_double), target :: leaving(8)
    real(c_double), pointer :: came(:)
    type(c_ptr) :: there
    type(halocline_findings) :: found
    character(:), allocatable :: scheme, in_use
    character(300) :: text
    integer :: comm, after, before, computed, fresh, n, stat
    if (ranks == 1) return  ! nobody to send to
    comm = world
    scheme = "p2p:nonblocking"
    after = modulo(me + 1, ranks)
    before = modulo(me - 1, ranks)

    call grid%create(comm, [48, 64], halo=1, periodic=[.false., .true.])

    call grid%allocate(u, scheme=scheme)  ! u(0:nx + 1, 0:ny + 1), zeroed

    u = me

    call halos%create(grid, halocline_field(u), scheme)
    call halos%run()

    call halos%start()
    ! compute what needs no halo
    call halos%finish()
    call check(nint(u(1, 0)) == grid%neighbour([0, -1]), "languages: grid")

    x = [(10 * me + n, n = 0, 4)]

    call ring%send(after, [4], first=0)  ! in the bounds of x(0:4)
    call ring%receive(before, [0], first=0)

    call any%create(comm, ring, halocline_unbound(halocline_real64), scheme=scheme)
    call any%run(halocline_field(x))
    call check(nint(x(0)) == 10 * before + 4, "languages: index lists")

    call ring%reversed(back)
    call add%create(comm, back, halocline_field(x), scheme=scheme, combine=halocline_sum)
    call add%run()
    call check(nint(x(4)) == 20 * me + 8, "languages: reversed")

    mass = [1, 2, 3]

    call sums%create(comm, modulo([2 * me, 2 * me + 1, 2 * me + 2], 2 * ranks), &
                     [halocline_field(mass)], scheme)
    call sums%run()
    call check(all(nint(mass) == [4, 2, 4]), "languages: gather-scatter")

    leaving = me + 0.5_c_double

    call migration%create(comm, [after], [before], 8, capacity=8, scheme=scheme)
    call migration%send(1, c_loc(leaving), me)
    call migration%run()
    call migration%received(1, there, n)
    call c_f_pointer(there, came, [n])
    call check(n == before .and. all(came == before + 0.5_c_double), "languages: ragged")

    call news%create(comm, ring, 8, scheme)
    call news%send(halocline_field(x), 1)
    call news%receive(halocline_field(x), fresh)  ! the newest that have come, perhaps none
    call news%drain(halocline_field(x))
    call check(nint(x(0)) == 20 * before + 8, "languages: asynchronous")

    computed = 0

    call chosen%create(comm, ring, halocline_field(x), scheme="auto+when=running")
    call step%create(comm, chosen)
    do n = 1, 10
      call step%begin()
      call compute(tile=step%choice("tile", [8, 16]))
      call chosen%run()
      call step%end()
    end do
    found = step%findings()
    in_use = found%chosen(1)%what
    call check(in_use == chosen%scheme() .and. size(found%chosen) == 2, "languages: findings")
    call check(nint(x(0)) == 20 * before + 8 .and. step%laps() == 10 .and. computed >= 80, &
               "languages: sections")

    call add%create(comm, ring, halocline_field(x), scheme="p2p:nonblokking", stat=stat, &
                    errmsg=text)
    call check(stat /= 0 .and. index(text, "p2p:nonblokking") > 0, "languages: errors")
    call halocline_deallocate(u)

  contains

    subroutine compute(tile)
      integer, intent(in) :: tile
      computed = computed + tile
    end subroutine

  end subroutine

  subroutine test_coming_from()
    type(halocline_grid) :: grid
    type(halocline_exchange) :: halos
    real, allocatable, target, asynchronous :: w(:, :, :)
    character(:), allocatable :: scheme
    integer :: comm, nx, ny
    comm = world
    scheme = "p2p:nonblocking"
    nx = 5 * ranks
    ny = 4 * ranks

    call grid%create(comm, [nx, ny], periodic=[.true., .true.])
    allocate (w(0:grid%owned(1) + 1, 0:grid%owned(2) + 1, 3))
    call halos%create(grid, [halocline_field(w(:, :, 1)), halocline_field(w(:, :, 2)), &
                             halocline_field(w(:, :, 3))], scheme)
    w = me
    call halos%run()
    call check(all(nint(w(0, 0, :)) == grid%neighbour([-1, -1])), "coming from Fortran")
  end subroutine

end module

! Sections: every lap brings what a fixed scheme brings, over random patterns, whatever is tried in
! it; the errors of C++; and ends in any order.
module sections_module
  use check_module
  use exchanges_module, only: random_moves, make_pattern, make_ring, most
  implicit none

  interface
    integer(c_int) function c_setenv(name, value, anew) bind(c, name="setenv")
      import
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int), value :: anew
    end function
    integer(c_int) function c_unsetenv(name) bind(c, name="unsetenv")
      import
      character(kind=c_char), intent(in) :: name(*)
    end function
  end interface

  character(*), parameter :: running = "auto+when=running"

contains

  !> An exchange that chooses, of x, and one by a fixed scheme, of y, by the same random pattern.
  subroutine make_twins(x, y, chooses, fixed)
    real(c_double), intent(inout), target :: x(most), y(most)
    type(halocline_exchange), intent(inout) :: chooses, fixed
    type(halocline_pattern) :: pattern
    integer :: move(4, 20 * ranks**2), moves
    call random_moves(move, moves)
    call make_pattern(move, moves, .true., pattern)
    call chooses%create(world, pattern, halocline_field(x), scheme=running)
    call fixed%create(world, pattern, halocline_field(y), scheme="p2p:nonblocking")
  end subroutine

  subroutine test_laps()
    real(c_double), target, asynchronous :: x(most), y(most), v(most), w(most)
    type(halocline_exchange) :: x_halos, y_halos, v_halos, w_halos
    type(halocline_section) :: step
    character(:), allocatable :: report
    integer :: lap, i, wrong, way
    call make_twins(x, y, x_halos, y_halos)
    call make_twins(v, w, v_halos, w_halos)
    call step%create(world, x_halos, v_halos)
    report = step%report()
    call check(index(report, "section: 0 laps") == 1 .and. .not. step%decided(), "no lap yet")
    wrong = 0
    do lap = 1, 400
      x = [(1000 * lap + most * me + i, i = 1, most)]
      v = -x
      y = x
      w = v
      call y_halos%run()
      call w_halos%run()
      call step%begin()
      way = step%choice("way", [7, 8])
      call x_halos%start()
      call v_halos%run()
      call x_halos%finish()
      call step%end(1 + modulo(lap, 2) * 1d0)
      if (any(x /= y) .or. any(v /= w)) wrong = wrong + 1
      call check(lap > 1 .and. way == 8 .or. way == 7, "a choice of the program's own")
    end do
    call check(wrong == 0, "laps bring what a fixed scheme brings")
    call check(step%laps() == 400, "laps")
    report = step%report()
    call check(index(report, "section: 400 laps") == 1 .and. &
               (ranks == 1 .or. index(report, "times as long") > 0), "schemes are tried")
    call test_findings(step, report)
  end subroutine

  !> What the report says as text.
  subroutine test_findings(step, report)
    type(halocline_section), intent(in) :: step
    character(*), intent(in) :: report
    type(halocline_findings) :: found
    integer :: i, n, ways
    found = step%findings()
    call check(found%laps == 400 .and. found%seconds > 0 .and. found%cost <= found%seconds .and. &
               found%preparing >= 0 .and. found%contests >= 1, "findings")
    call check((found%decided .eqv. step%decided()) .and. size(found%chosen) >= 2, &
               "all that choose")
    ways = 0
    do i = 1, size(found%chosen)
      associate (one => found%chosen(i))
        call check(index(report, "chosen: " // one%what) > 0, "what is chosen")
        call check(one%times%low <= one%times%value .and. one%times%value <= one%times%high .and. &
                   (one%times%value > 0 .or. .not. one%matters), "times")
        if (one%yardstick == "way=7") ways = ways + size(one%tried)
        do n = 1, size(one%tried)
          call check(index(report, one%tried(n)%what) > 0 .and. one%tried(n)%laps <= 400 .and. &
                     index(report, one%tried(n)%why) > 0, &
                     one%tried(n)%what // " (" // one%tried(n)%why // ") was tried: " // report)
          call check(one%tried(n)%times%low <= one%tried(n)%times%high, "its times")
        end do
      end associate
    end do
    call check(ways == 1, "the other way")
  end subroutine

  subroutine test_alone()
    real(c_double), target, asynchronous :: x(most), y(most)
    type(halocline_exchange) :: x_halos, y_halos
    integer :: lap, i, wrong
    call make_twins(x, y, x_halos, y_halos)
    wrong = 0
    do lap = 1, 250
      x = [(1000 * lap + most * me + i, i = 1, most)]
      y = x
      call x_halos%run()
      call y_halos%run()
      if (any(x /= y)) wrong = wrong + 1
    end do
    call check(wrong == 0, "an exchange that chooses by itself")
  end subroutine

  subroutine test_section_errors()
    real(c_double), target, asynchronous :: x(4)
    type(halocline_pattern) :: ring
    type(halocline_exchange) :: fixed, one, all(2), none
    type(halocline_section) :: step, other
    character(200) :: text
    integer :: stat, way
    call make_ring(2, ring)
    call fixed%create(world, ring, halocline_field(x), scheme="p2p:nonblocking")
    call one%create(world, ring, halocline_field(x), scheme=running)
    call all(1)%create(world, ring, halocline_field(x), scheme=running)
    call all(2)%create(world, ring, halocline_unbound(halocline_real64), scheme=running)
    call step%create(world, fixed, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "section: exchange 0 by p2p:nonblocking " // &
                     "chooses nothing while it runs; make it with auto+when=running")
    call step%create(world, none, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error_argument, "exchange is NULL")
    call step%begin(stat, text)
    call check_fails(stat, text, halocline_error_argument, "section is NULL")
    call step%create(world, one)
    call other%create(world, one, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "each for one section")
    call step%end(stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "section: no lap is under way; begin one first")
    call step%begin()
    call step%begin(stat, text)
    call check_fails(stat, text, halocline_error, "a lap begins while one is under way")
    call step%end(0d0, stat, text)
    call check_fails(stat, text, halocline_error, "section: a lap of 0 work; it is above 0")
    call step%end(huge(1d0), stat, text)
    call check_fails(stat, text, halocline_error, "it is above 0 and finite")
    call step%end()
    call check(step%laps() == 1, "it has gone on")
    call one%start()
    call step%begin(stat, text)
    call check_fails(stat, text, halocline_error, "while a step of one of its exchanges is under way")
    call one%finish()
    way = step%choice("way", [1, 2], stat, text)
    call check(stat == halocline_success .and. way == 1, "the first value")
    way = step%choice("way", [1, 3], stat, text)
    call check_fails(stat, text, halocline_error, "choice 'way' had other values before")
    way = step%choice("none", [integer ::], stat, text)
    call check_fails(stat, text, halocline_error, "choice 'none' has no values")
    ! An exchange ends before its section, which goes on.
    call step%create(world, all, stat, text)
    call check(stat == halocline_success, "a section of an array")
    call step%begin()
    call all(1)%free()
    call all(2)%run(halocline_field(x))
    call step%end()
    call step%begin()
    call step%end()
    call check(step%laps() == 2, "laps after an exchange has ended")
  end subroutine

  subroutine test_program_sections()
    ! So that much is tried in few laps, whatever earlier runs have found.
    call check(c_setenv("HALOCLINE_TUNING_REGRET" // c_null_char, "0.5" // c_null_char, 1) == 0, &
               "setenv")
    call check(c_setenv("HALOCLINE_TUNING_FRESH" // c_null_char, "1" // c_null_char, 1) == 0, &
               "setenv")
    call test_laps()
    call test_alone()
    call check(c_unsetenv("HALOCLINE_TUNING_REGRET" // c_null_char) == 0 .and. &
               c_unsetenv("HALOCLINE_TUNING_FRESH" // c_null_char) == 0, "unsetenv")
    call test_section_errors()
  end subroutine

end module

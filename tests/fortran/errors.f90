! Errors: a number and a text, those of C++, on all ranks that make something together.
module errors_module
  use check_module
  implicit none

contains

  subroutine test_errors()
    type(halocline_grid) :: grid, faces
    type(halocline_pattern) :: pattern
    type(halocline_exchange) :: halos
    type(halocline_field) :: field
    type(halocline_async_exchange) :: news
    real, target, asynchronous :: u(6, 6), w(4, 6, 6)
    real, pointer :: too_many_axes(:, :, :)
    character(300) :: text
    integer :: stat, i
    text = "nothing"
    call grid%create(world, [4 * ranks, 4], dims=[ranks, 1], stat=stat, errmsg=text)
    call check(stat == halocline_success .and. text == "nothing", "no error")
    call halos%create(grid, halocline_field(u), "p2p:nonblokking", stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "p2p:nonblokking")
    ! One rank's array has other extents: all learn of it.
    if (me == 0) then
      call halos%create(grid, halocline_field(w(1, :, :5)), "p2p:nonblocking", stat=stat, &
                        errmsg=text)
    else
      call halos%create(grid, halocline_field(u), "p2p:nonblocking", stat=stat, errmsg=text)
    end if
    call check_fails(stat, text, halocline_error, &
                     "rank 0: field 0 has 5 x 6 elements, but the pattern counts in an " // &
                     "array of 6 x 6")
    call halos%finish(stat, text)
    call check_fails(stat, text, halocline_error_argument, "exchange is NULL")
    call halos%create(grid, halocline_field(w(2, :, :)), "p2p:nonblocking", stat=stat)
    call check(stat == halocline_success, "a section after the failure")
    call halos%finish(stat, text)
    call check_fails(stat, text, halocline_error, "start")

    call grid%create(world, [4], halo=9, periodic=[.true.], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "halo")
    call grid%create(world, [4, 4], periodic=[.true.], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "an entry for each axis")
    call grid%create(world, [4, 4])
    call grid%allocate(too_many_axes, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "must have an axis for each of the grid's")
    call check(.not. associated(too_many_axes), "no memory after a failure")
    call halocline_deallocate(too_many_axes, stat, text)
    call check_fails(stat, text, halocline_error, "no memory of the library")

    field = halocline_field(w(::2, :, :), components=1, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "must follow each other")
    field = halocline_field(u, components=2, stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "components is 2, of an array of 2 axes")

    call pattern%send(modulo(me + 1, ranks), [0], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "-1")
    call pattern%create_from_indices([0], [2], [1], [0], [1], [1], stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "what is sent: there are not as many indices")
    call pattern%create()
    call pattern%send(modulo(me + 1, ranks), [1])
    call halos%create(world, pattern, halocline_field(u), stat=stat, errmsg=text)
    call check(stat == halocline_error, "nobody receives: " // trim(text))
    ! What one rank gives too much of, or no scheme, all learn.
    call pattern%create()
    call halos%create(world, pattern, [halocline_field(u)], &
                      [(halocline_field(w(1, :, :)), i=1, merge(2, 1, me == 0))], stat=stat, &
                      errmsg=text)
    call check(stat /= halocline_success, "as many fields in `to`: " // trim(text))
    call halos%create_parts(world, [pattern], [halocline_field(u)], [merge(2, 1, me == 0)], &
                            stat=stat, errmsg=text)
    call check(stat /= halocline_success, "counts of fields: " // trim(text))
    call halos%create(world, pattern, halocline_field(u), &
                      scheme=trim(merge("no:scheme      ", "p2p:nonblocking", me == 0)), &
                      stat=stat, errmsg=text)
    call check_fails(stat, text, halocline_error, "no:scheme")
    call grid%create(world, [4 * ranks, 4], dims=[ranks, 1])
    call grid%halo(pattern)
    call news%create(world, pattern, 4, "p2p:nonblocking")
    call news%send(halocline_field(w(:, 1:2, :)), 1, stat, text)
    call check_fails(stat, text, halocline_error, "follow each other")
    call news%send(halocline_field(w(:, :, 1:5)), 1, stat, text)
    call check_fails(stat, text, halocline_error, "5 x 6 x 4 elements, but the pattern counts in")
    call news%drain(halocline_field(u))
    call news%free()
    call test_other_extents()

    call test_parts_of_arrays()
    call halos%create(world, pattern, halocline_field(u), stat=stat, errmsg=text, &
                      scheme=trim(merge("p2p:persistent ", "p2p:nonblocking", me == 0)))
    if (ranks > 1) &
      call check_fails(stat, text, halocline_error, "gives the scheme p2p:nonblocking, but rank 0")
    call grid%faces(3, faces, stat, text)
    call check_fails(stat, text, halocline_error, "no axis 3; it has those from 1 to 2")

    call halocline_set_time_limit(-1._c_double, stat, text)
    call check_fails(stat, text, halocline_error_argument, "timeout")
    call halocline_set_time_limit(60._c_double)
    call halocline_set_time_limit()
    call halocline_set_spin(-1._c_double, stat, text)
    call check_fails(stat, text, halocline_error_argument, "spin")
    call halocline_set_spin(30e-6_c_double)
  end subroutine

  !> Only a whole array of the library's is given back, and pointers to others stay.
  subroutine test_parts_of_arrays()
    type(halocline_grid) :: grid
    real, pointer :: whole(:, :), part(:, :)
    character(200) :: text
    integer :: stat
    call grid%create(world, [4 * ranks, 4])
    call grid%allocate(whole)
    part => whole(1:, 1:)
    call halocline_deallocate(part, stat, text)
    call check_fails(stat, text, halocline_error, "a part of an array")
    call check(associated(part), "the pointer stays")
    whole = 1
    call halocline_deallocate(whole)
    allocate (part(2, 2))
    call halocline_deallocate(part, stat, text)
    call check_fails(stat, text, halocline_error, "no memory of the library")
    deallocate (part)
  end subroutine

  !> However a pattern is made, arrays have the extents in which it counts.
  subroutine test_other_extents()
    type(halocline_distribution) :: boxes
    type(halocline_pattern) :: halo, row
    type(halocline_exchange) :: halos
    real, target, asynchronous :: u(14, 14)
    character(300) :: text
    integer :: i, stat
    call boxes%create_of_boxes([(1, i = 1, ranks)], &
                               reshape([(1, 10 * i + 1, i = 0, ranks - 1)], [2, ranks]), &
                               reshape([(10, 10 * i + 10, i = 0, ranks - 1)], [2, ranks]), &
                               below=[1, 1], above=[1, 1])
    call halo%create_halo_of(boxes, me)
    call halos%create(world, halo, halocline_field(u), scheme="p2p:nonblocking", stat=stat, &
                      errmsg=text)
    call check_fails(stat, text, halocline_error, &
                     "14 x 14 elements, but the pattern counts in an array of 12 x 12")
    call halos%create(world, halo, halocline_field(u(2:13, 2:13)), scheme="p2p:nonblocking", &
                      stat=stat)
    call check(stat == halocline_success, "a section of the extents")
    call row%copy(halocline_block([0, 0], [11, 11], [0, 0], [0, 11]), &
                  halocline_block([0, 0], [11, 11], [10, 0], [10, 11]))
    call halos%create(world, row, halocline_field(u), scheme="p2p:nonblocking", stat=stat, &
                      errmsg=text)
    call check_fails(stat, text, halocline_error, "14 x 14 elements")
    call halos%create(world, row, halocline_field(u(:12, 3:)), scheme="p2p:nonblocking", stat=stat)
    call check(stat == halocline_success, "an array of the bounds of blocks")
    call row%send(0, halocline_block([1, 1], [14, 14], [1, 1], [1, 14]), stat, text)
    call check_fails(stat, text, halocline_error, "an array of 14 x 14, but others")
  end subroutine

end module

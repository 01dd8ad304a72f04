! in_fortran: a Fortran program that begins and ends MPI, with a library of C++ that has exchanges
! (in_fortran.cpp). MPI's C functions are called, as not every MPI has those of Fortran.
program in_fortran
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_null_ptr
  implicit none
  interface
    integer(c_int) function mpi_init_c(argc, argv) bind(C, name="MPI_Init")
      import :: c_int, c_ptr
      type(c_ptr), value :: argc, argv
    end function
    integer(c_int) function mpi_finalize_c() bind(C, name="MPI_Finalize")
      import :: c_int
    end function
    integer(c_int) function world_c() bind(C, name="world_of_fortran")
      import :: c_int
    end function
    integer(c_int) function exchange_c(comm) bind(C, name="exchange_for_fortran")
      import :: c_int
      integer(c_int), value :: comm
    end function
  end interface
  integer(c_int) :: wrong, ignored
  ignored = mpi_init_c(c_null_ptr, c_null_ptr)
  wrong = exchange_c(world_c())
  ignored = mpi_finalize_c()
  if (wrong /= 0) error stop 1
end program

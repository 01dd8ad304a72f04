# cmake -P interface.cmake: what FortranInterface.cmake makes of a header, and what it refuses.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/FortranInterface.cmake)
set(header ${CMAKE_CURRENT_BINARY_DIR}/fortran_interface.h)
if(refused)
  file(WRITE ${header} "${refused};\n")
  halocline_fortran_interface(${header} "")
  return()
endif()

file(WRITE ${header} [[
enum { HALOCLINE_MOST = 3, HALOCLINE_FIRST = 1 };
typedef struct halocline_grid halocline_grid;
typedef void (*halocline_function)(void* here, int64_t count);
typedef struct halocline_width {
  int below, above;  ///< cells; each
} halocline_width;
typedef struct halocline_options {
  size_t size;  ///< of what the caller knows
  halocline_width halo[HALOCLINE_MOST];
  halocline_function function;
  int64_t most;
  const int* cuts[HALOCLINE_MOST];
  int chosen;
  const char* nodes;
} halocline_options;
#define HALOCLINE_OPTIONS                                                         \
  { sizeof(halocline_options), {{1, 2}, {1, 2}, {1, 2}}, NULL, 8, {NULL, NULL, NULL}, \
    HALOCLINE_FIRST, "node" }
int halocline_by_hand(const int* list_or_null);
int halocline_make(halocline_comm comm, const int64_t* cells, const halocline_options* options,
                   halocline_width widths[], const halocline_grid* const* parts,
                   const char* name, halocline_grid** grid);
void halocline_end(void);
const char* halocline_text(const halocline_grid* grid, const void** data, void* memory, char*** argv);
]])
halocline_fortran_interface(${header} [[bind(c, name="halocline_by_hand")]])
set(expected [[
  type, bind(c) :: c_width
    integer(c_int) :: below = 0
    integer(c_int) :: above = 0
  end type

  type, bind(c) :: c_options
    integer(c_size_t) :: size = 88
    type(c_width) :: halo(3) = c_width(1, 2)
    type(c_funptr) :: function = c_null_funptr
    integer(c_int64_t) :: most = 8
    type(c_ptr) :: cuts(3) = c_null_ptr
    integer(c_int) :: chosen = 1
    type(c_ptr) :: nodes = c_null_ptr
  end type

    integer(c_int) function c_make(comm, &
        cells, &
        options, &
        widths, &
        parts, &
        name, &
        grid) &
        bind(c, name="halocline_make")
      import
      integer(c_intptr_t), value :: comm
      integer(c_int64_t), intent(in) :: cells(*)
      type(c_options), intent(in) :: options
      type(c_width), intent(inout) :: widths(*)
      type(c_ptr), intent(in) :: parts(*)
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: grid
    end function
    subroutine c_end() &
        bind(c, name="halocline_end")
      import
    end subroutine
    function c_text(grid, &
        data, &
        memory, &
        argv) &
        bind(c, name="halocline_text")
      import
      type(c_ptr), value :: grid
      type(c_ptr), intent(inout) :: data
      type(c_ptr), value :: memory
      type(c_ptr), value :: argv
      type(c_ptr) :: c_text
    end function
]])
if(NOT "${STRUCTURES}${FUNCTIONS}" STREQUAL "${expected}")
  message(FATAL_ERROR "FAILED: ${STRUCTURES}${FUNCTIONS}")
endif()

foreach(one "int halocline_a(float x)|Fortran has no type for" "float halocline_a(int x)|Fortran has no float"
            "#define HALOCLINE_A {{1, 2}}\ntypedef struct halocline_a { int x[2] } halocline_a|Fortran begins all of x alike")
  string(REPLACE "|" ";" one "${one}")
  list(GET one 0 declaration)
  list(GET one 1 why)
  execute_process(COMMAND ${CMAKE_COMMAND} "-Drefused=${declaration}" -P ${CMAKE_CURRENT_LIST_FILE}
                  RESULT_VARIABLE outcome ERROR_VARIABLE said)
  if(outcome EQUAL 0 OR NOT said MATCHES "${why}")
    message(FATAL_ERROR "FAILED: ${declaration}: ${said}")
  endif()
endforeach()

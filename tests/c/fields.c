// Fields in arrays of any order and stride, and memory of the library.

#include "check.h"

#include <stddef.h>

typedef struct cell {
  double pressure;
  float velocity[3];
} cell;

static void test_arrays_of_the_caller(void) {
  static double data[4][5][3];
  static cell cells[6];
  const int64_t extents[3] = {4, 5, 3}, begin[3] = {1, 1, 0}, inner[3] = {2, 3, 3};
  int64_t strides[3];
  halocline_field all, box, one, flat, shaped, member, none;
  MUST(halocline_field_strided(data, HALOCLINE_FLOAT64, 1, 3, extents, NULL, &all));
  CHECK(all.elements == 60 && all.axes == 3 && all.stride[0] == 120 && all.stride[2] == 8);
  MUST(halocline_field_box(&all, begin, inner, &box));
  CHECK(box.data == &data[1][1][0] && box.extent[0] == 2 && box.stride[1] == 24);
  MUST(halocline_field_component(&box, 2, 1, &one));
  CHECK(one.data == &data[1][1][1] && one.axes == 2 && one.stride[1] == 24 && one.elements == 6);
  MUST(halocline_field_of(data, HALOCLINE_FLOAT64, 3, 20, &flat));
  CHECK(flat.element_bytes == 24 && flat.axes == 0 && !flat.read_only);
  MUST(halocline_fortran_order(2, extents, strides));
  CHECK(strides[0] == 1 && strides[1] == 4);
  MUST(halocline_field_shaped(&flat, 2, extents, strides, &shaped));
  CHECK(shaped.stride[1] == 4 * 24 && shaped.data == (void*)data);
  MUST(halocline_c_order(3, extents, strides));
  CHECK(strides[0] == 15 && strides[2] == 1);
  MUST(halocline_field_of(cells, HALOCLINE_BYTES, (int64_t)sizeof(cell), 6, &flat));
  MUST(halocline_field_member(&flat, (int64_t)offsetof(cell, velocity), HALOCLINE_FLOAT32, 3,
                              &member));
  CHECK(member.data == (void*)cells[0].velocity && member.element_bytes == 12);
  CHECK(member.axes == 1 && member.extent[0] == 6 && member.stride[0] == (int64_t)sizeof(cell));
  MUST(halocline_field_unbound(HALOCLINE_COMPLEX128, 1, &none));
  CHECK(none.unbound && none.data == NULL && none.element_bytes == 16);
}

static void test_array(void) {
  halocline_array* array = NULL;
  const halocline_memory* inside = NULL;
  int64_t elements = 0, bytes = 0;
  MUST(halocline_array_create(comm, 7, HALOCLINE_FLOAT32, 3, "p2p:nonblocking", &array));
  MUST(halocline_array_size(array, &elements));
  MUST(halocline_array_memory(array, &inside));
  MUST(halocline_memory_bytes(inside, &bytes));
  CHECK(elements == 7 && bytes == 84);
  MUST(halocline_array_free(&array));
}

static void test_memory_of_the_library(void) {
  halocline_memory* memory = NULL;
  halocline_arena* arena = NULL;
  const halocline_memory* inside = NULL;
  halocline_field field;
  void *data = NULL, *some = NULL;
  const char* note = NULL;
  int64_t bytes = 0, all = 0, left = 0;
  int kind = -1;
  MUST(halocline_memory_create(comm, 800, HALOCLINE_WINDOW, NULL, &memory));
  MUST(halocline_memory_data(memory, &data));
  MUST(halocline_memory_bytes(memory, &bytes));
  MUST(halocline_memory_kind(memory, &kind));
  MUST(halocline_memory_note(memory, &note));
  CHECK(data != NULL && bytes == 800 && kind == HALOCLINE_WINDOW && note[0] == '\0');
  MUST(halocline_memory_field(memory, (char*)data + 80, HALOCLINE_FLOAT64, 1, HALOCLINE_UNKNOWN,
                              &field));
  CHECK(field.elements == 90 && field.memory == memory);
  FAILS(halocline_memory_field(memory, NULL, HALOCLINE_FLOAT64, 1, 101, &field), HALOCLINE_ERROR,
        "101 elements of 8 bytes do not lie in this memory, which has 800 bytes there");
  MUST(halocline_memory_free(&memory));
  MUST(halocline_memory_create_for(comm, 64, "p2p:nonblocking", &memory));
  MUST(halocline_memory_kind(memory, &kind));
  CHECK(kind == HALOCLINE_PLAIN);
  MUST(halocline_memory_free(&memory));

  MUST(halocline_arena_create(comm, 4096, "shm:signal", &arena));
  MUST(halocline_arena_memory(arena, &inside));
  MUST(halocline_arena_bytes_free(arena, &all));
  MUST(halocline_arena_allocate(arena, 100, &some));
  MUST(halocline_memory_field(inside, some, HALOCLINE_INT32, 1, 25, &field));
  CHECK(field.data == some);
  MUST(halocline_arena_deallocate(arena, some));
  MUST(halocline_arena_bytes_free(arena, &left));
  CHECK(all > 0 && left == all);
  FAILS(halocline_arena_allocate(arena, 1 << 20, &some), HALOCLINE_ERROR, "rena");
  MUST(halocline_arena_free(&arena));
}

void test_fields(void) {
  test_arrays_of_the_caller();
  test_array();
  test_memory_of_the_library();
}

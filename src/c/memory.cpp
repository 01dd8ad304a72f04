// Memory of the library: bytes, arrays and arenas.

#include "converted.hpp"

using namespace halocline;
using c::call, c::create_on, c::give, c::in;

static_assert(static_cast<int>(MemoryKind::plain) == HALOCLINE_PLAIN);
static_assert(static_cast<int>(MemoryKind::window) == HALOCLINE_WINDOW);
static_assert(static_cast<int>(MemoryKind::shared) == HALOCLINE_SHARED);
static_assert(static_cast<int>(MemoryKind::device) == HALOCLINE_DEVICE);

namespace {

/// Elements in memory, from one of its bytes on.
Field field_in(const Memory& memory, void* data, const c::Element& element, std::int64_t elements) {
  std::byte* const begin = data == nullptr ? memory.data() : static_cast<std::byte*>(data);
  const bool inside = memory.data() == nullptr
                          ? data == nullptr
                          : begin >= memory.data() && begin <= memory.data() + memory.bytes();
  const std::size_t room =
      inside ? memory.bytes() - static_cast<std::size_t>(begin - memory.data()) : 0;
  const std::size_t most = room / element.bytes;
  const std::size_t count = elements == HALOCLINE_UNKNOWN ? most : c::size(elements, "elements");
  if (!inside || count > most)
    throw Error("field: " + std::to_string(count) + " elements of " +
                std::to_string(element.bytes) + " bytes do not lie in this memory, which has " +
                std::to_string(room) + " bytes there");
  return {.data = begin,
          .element_bytes = element.bytes,
          .elements = count,
          .memory = memory,
          .number = element.number};
}

/// So many bytes for a scheme.
struct Room {
  std::size_t bytes;
  Scheme scheme;
  Room(std::int64_t given, const char* text)
      : bytes(c::size(given, "bytes")), scheme(c::scheme(text)) {}
};

int create_array(const char* function, MPI_Comm comm, std::int64_t elements, int number,
                 std::int64_t numbers, const char* scheme, halocline_array** array) {
  struct Given {
    c::Element element;
    std::size_t bytes;
    Scheme scheme;
  };
  return call(function, [&] {
    const Given given = c::agreed(function, comm, [&] {
      c::at(array, "array") = nullptr;
      const c::Element element = c::element(number, numbers);
      return Given{element, c::product(c::size(elements, "elements"), element.bytes),
                   c::scheme(scheme)};
    });
    Memory memory = memory_for(comm, given.bytes, given.scheme);
    const Field all = field_in(memory, nullptr, given.element, elements);
    *array = new halocline_array{{std::move(memory)}, all};
  });
}

}  // namespace

int halocline_memory_create(halocline_comm comm, int64_t bytes, int kind, const char* islands,
                            halocline_memory** memory) {
  struct Given {
    std::size_t bytes;
    MemoryKind kind;
    IslandSpec islands;
  };
  return create_on(
      __func__, c::comm_of(comm), memory, "memory",
      [&] {
        return Given{c::size(bytes, "bytes"), static_cast<MemoryKind>(c::kind(kind, 4, "kind")),
                     islands == nullptr ? IslandSpec() : IslandSpec(islands)};
      },
      [&](const Given& all) { return Memory(c::comm_of(comm), all.bytes, all.kind, all.islands); });
}
int halocline_memory_create_for(halocline_comm comm, int64_t bytes, const char* scheme,
                                halocline_memory** memory) {
  return create_on(
      __func__, c::comm_of(comm), memory, "memory", [&] { return Room(bytes, scheme); },
      [&](const Room& room) { return memory_for(c::comm_of(comm), room.bytes, room.scheme); });
}
int halocline_memory_free(halocline_memory** memory) {
  return c::end(memory);
}
int halocline_memory_data(const halocline_memory* memory, void** data) {
  return give(__func__, data, "data", [&] { return in(memory, "memory").data(); });
}
int halocline_memory_bytes(const halocline_memory* memory, int64_t* bytes) {
  return give(__func__, bytes, "bytes", [&] { return in(memory, "memory").bytes(); });
}
int halocline_memory_kind(const halocline_memory* memory, int* kind) {
  return give(__func__, kind, "kind", [&] { return in(memory, "memory").kind(); });
}
int halocline_memory_note(const halocline_memory* memory, const char** note) {
  return give(__func__, note, "note", [&] { return in(memory, "memory").note().c_str(); });
}
int halocline_memory_field(const halocline_memory* memory, void* data, int number, int64_t numbers,
                           int64_t elements, halocline_field* field) {
  return give(__func__, field, "field", [&] {
    return c::field(field_in(in(memory, "memory"), data, c::element(number, numbers), elements),
                    memory);
  });
}

int halocline_array_create(halocline_comm comm, int64_t elements, int number, int64_t numbers,
                           const char* scheme, halocline_array** array) {
  return create_array(__func__, c::comm_of(comm), elements, number, numbers, scheme, array);
}
int halocline_array_create_on(const halocline_grid* grid, int number, int64_t numbers,
                              const char* scheme, halocline_array** array) {
  if (grid == nullptr) return call(__func__, [] { c::is_null("grid"); });
  return create_array(__func__, grid->it.comm(), static_cast<std::int64_t>(grid->it.elements()),
                      number, numbers, scheme, array);
}
int halocline_array_free(halocline_array** array) {
  return c::end(array);
}
int halocline_array_data(const halocline_array* array, void** data) {
  return give(__func__, data, "data", [&] { return in(array, "array").data; });
}
int halocline_array_size(const halocline_array* array, int64_t* elements) {
  return give(__func__, elements, "elements", [&] { return in(array, "array").elements; });
}
int halocline_array_field(const halocline_array* array, halocline_field* field) {
  return give(__func__, field, "field",
              [&] { return c::field(in(array, "array"), &array->memory); });
}
int halocline_array_memory(const halocline_array* array, const halocline_memory** memory) {
  return give(__func__, memory, "memory", [&] { return &c::at(array, "array").memory; });
}

int halocline_arena_create(halocline_comm comm, int64_t bytes, const char* scheme,
                           halocline_arena** arena) {
  return create_on(
      __func__, c::comm_of(comm), arena, "arena", [&] { return Room(bytes, scheme); },
      [&](const Room& room) { return Arena(c::comm_of(comm), room.bytes, room.scheme); });
}
int halocline_arena_free(halocline_arena** arena) {
  return c::end(arena);
}
int halocline_arena_allocate(const halocline_arena* arena, int64_t bytes, void** begin) {
  return give(__func__, begin, "begin",
              [&] { return in(arena, "arena").allocate(c::size(bytes, "bytes")); });
}
int halocline_arena_deallocate(const halocline_arena* arena, void* begin) {
  return call(__func__, [&] { in(arena, "arena").deallocate(begin); });
}
int halocline_arena_bytes_free(const halocline_arena* arena, int64_t* bytes) {
  return give(__func__, bytes, "bytes", [&] { return in(arena, "arena").bytes_free(); });
}
int halocline_arena_memory(const halocline_arena* arena, const halocline_memory** memory) {
  return give(__func__, memory, "memory", [&] { return &c::at(arena, "arena").memory; });
}

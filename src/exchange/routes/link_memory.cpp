#include "link_memory.hpp"

#include "memory/cache_line.hpp"

#include <halocline/array.hpp>

namespace halocline::detail {

Block LinkMemory::place(std::size_t bytes) {
  const Block block{.offset = static_cast<std::ptrdiff_t>(end_), .count = {1, 1, bytes}};
  end_ += round_up(bytes, line_pair);
  return block;
}

void LinkMemory::provide(Setup& setup) {
  Field field{.element_bytes = 1, .elements = end_};
  if (setup.scheme.memory() == MemoryKind::plain) {
    plain_ = std::make_shared<std::vector<std::byte>>(end_ + cache_line);
    void* begin = plain_->data();
    std::size_t room = plain_->size();
    field.data = std::align(cache_line, end_, begin, room);
  } else {
    memory_ = memory_for(setup.comm, end_, setup.scheme);
    field.data = memory_.data();
    field.memory = memory_;
  }
  begin_ = static_cast<std::byte*>(field.data);
  setup.memory = plain_;
  setup.pattern = pattern_;
  setup.fields = {field};
  setup.combine = Combine::replace;
  setup.apart = setup.several = setup.unbound = false;
}

}  // namespace halocline::detail

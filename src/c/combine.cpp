// Combining by a function of C, which is given elements of a size that the library learns at run
// time.

#include "converted.hpp"

#include <algorithm>
#include <memory>

namespace halocline::c {

namespace {

struct Function {
  halocline_combine_function call;
  void* context;
  std::size_t bytes;

  /// Combines `count` numbers that follow each other. Messages are not aligned for them.
  void operator()(std::byte* here, const std::byte* arrived, std::size_t count) const {
    constexpr std::size_t room = 1024;
    alignas(64) std::byte some[room];
    std::unique_ptr<std::max_align_t[]> larger;
    std::byte* aligned = some;
    if (bytes > room) {
      larger = std::make_unique<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
      aligned = reinterpret_cast<std::byte*>(larger.get());
    }
    const std::size_t most = std::max<std::size_t>(room / bytes, 1);
    for (std::size_t part = 0; count > 0; count -= part) {
      part = std::min(count, most);
      std::copy_n(arrived, part * bytes, aligned);
      call(here, aligned, static_cast<std::int64_t>(part), context);
      here += part * bytes, arrived += part * bytes;
    }
  }
};

void rows(const void* function, std::byte* to, std::ptrdiff_t stride, const std::byte* from,
          std::int64_t rows, std::size_t count) {
  const Function& how = *static_cast<const Function*>(function);
  for (std::int64_t row = 0; row < rows; ++row, to += stride, from += count * how.bytes)
    how(to, from, count);
}

template <class Index>
void listed(const void* function, std::byte* to, std::span<const Index> indices,
            std::ptrdiff_t unit, const std::byte* from, std::size_t count) {
  const Function& how = *static_cast<const Function*>(function);
  for (const Index index : indices) {
    how(to + static_cast<std::ptrdiff_t>(index) * unit, from, count);
    from += count * how.bytes;
  }
}

constexpr methods::CombineLoops loops_of_c{rows, listed<std::int32_t>, listed<std::int64_t>};

}  // namespace

Combine combine(const halocline_combine& combine) {
  switch (kind(combine.how, 5, "combine.how")) {
    case HALOCLINE_SUM: return Combine::sum;
    case HALOCLINE_MIN: return Combine::min;
    case HALOCLINE_MAX: return Combine::max;
    case HALOCLINE_FUNCTION: break;
    default: return Combine::replace;
  }
  if (combine.function == nullptr) is_null("combine.function");
  const std::size_t bytes = size_above_0(combine.bytes, "combine.bytes");
  return Combine::by(
      loops_of_c,
      std::make_shared<const Function>(Function{combine.function, combine.context, bytes}), bytes);
}

}  // namespace halocline::c

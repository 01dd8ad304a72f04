// Words as numbers, alone and several in one.

#include "fuzz.hpp"

#include <formats/number.hpp>

#include <cmath>

namespace {

void read(std::string_view text) {
  const auto real = formats::number<double>(text);
  fuzz::must(real ? std::isfinite(*real) : !real.why().empty());
  const auto whole = formats::number<int>(text);
  fuzz::must(whole || !whole.why().empty());
  if (!real) throw halocline::Error(real.why());
}

const fuzz::Target target("numbers", read);

}  // namespace

#include "freshness.hpp"

#include <halocline/more/waiting.hpp>

namespace md {

using namespace halocline;

Freshness::Lists Freshness::finish() {
  wait_one("how far others have moved", *request_.address());
  if (most_[0] > half_) return Lists::stale;
  return most_[0] + 2 * most_[1] > half_ ? Lists::old : Lists::fresh;
}

}  // namespace md

// What is no field does not compile, and the compiler says in one line what would (says_once.sh).

#include <halocline/halocline.hpp>

#include <vector>

void wrong(const halocline::Pattern& pattern, std::vector<double>& x) {
#if defined(VECTOR)
  halocline::Exchange exchange(pattern, x, "p2p:persistent");
#elif defined(CONSTANT)
  const std::vector<double>& constant = x;
  halocline::Exchange exchange(pattern, halocline::field(constant.data(), x.size()),
                               "p2p:persistent");
#else
  halocline::Exchange exchange(pattern, {halocline::field(x.data(), x.size())}, "p2p:persistent");
#endif
}

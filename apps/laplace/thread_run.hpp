#pragma once
#include "run.hpp"
#include "share.hpp"

namespace laplace {

/// A run whose workers are the threads of this process, at most `most`.
std::unique_ptr<Run> make_thread_run(const Config&, const Cut& cut, std::int64_t most);

}  // namespace laplace

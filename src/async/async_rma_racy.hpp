#pragma once
// What rma:put:flush and rma:get:flush are where they are racy.

#include <halocline/more/async_method.hpp>

namespace halocline::detail {

/// Which of its two ranks has a link's cells in its window.
enum class RacyCells { at_receiver, at_sender };

std::unique_ptr<AsyncMethod> make_async_rma_racy(Setup setup, const AsyncOptions& options,
                                                 RacyCells cells);

}  // namespace halocline::detail

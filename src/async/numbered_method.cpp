#include "numbered_method.hpp"

#include "exchange/core/trade.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <utility>

namespace halocline::detail {

NumberedMethod::NumberedMethod(Setup s, const AsyncOptions& options)
    : AsyncMethod(std::move(s), options),
      sent_(outgoing().size(), 0),
      seen_(incoming().size(), 0) {}

std::size_t NumberedMethod::most_words() const {
  std::size_t most = 1;
  for (const auto* links : {&outgoing(), &incoming()})
    for (const Layout& cells : *links) most = std::max(most, words_of(cells));
  return most;
}

std::size_t NumberedMethod::collect() {
  std::size_t links = 0;
  for (std::size_t link = 0; link < incoming().size(); ++link) links += collect_from(link);
  return links;
}

void NumberedMethod::take(std::size_t link, std::uint64_t number, const std::byte* message) {
  counts_.superseded += number - seen_[link] - 1;
  ++counts_.received;
  seen_[link] = number;
  iterations_[link] = unpack(incoming()[link], message, pattern().receives()[link].peer);
}

void NumberedMethod::settle() {
  const std::vector<int> targets = setup().targets(), sources = setup().sources();
  const std::vector<std::int64_t> mine(sent_.begin(), sent_.end());
  const auto theirs = trade(comm(), targets, mine, sources, 1);
  wait_until(what(), [&] {
    collect();
    let_progress(comm());
    for (std::size_t link = 0; link < seen_.size(); ++link)
      if (seen_[link] < static_cast<std::uint64_t>(theirs[link])) return false;
    return true;
  });
  // No rank sends more until all has been read.
  trade(comm(), sources, std::vector<std::int64_t>(sources.size()), targets, 1);
}

}  // namespace halocline::detail

// Each thread marks the parts of messages that it has written, and awaits those that it reads.

#include "state.hpp"

#include <halocline/error.hpp>

#include <utility>

namespace halocline {

/// Parts of the field that the sweep writes are sent as they are written: its exchange begins in
/// this step, and ends in the next. Where a method cannot distinguish parts, that exchange begins
/// after this step's has ended: so all ranks begin and end them in the same order.
void StyledExchange::State::partitioned(const Sweep& all, FieldExchange& field,
                                        Problems& problems) {
  Exchange& now = field.exchanges.front();
  FieldExchange* const next = early && border && all.writes ? &fields.at(*all.writes) : nullptr;
  const bool known = border && std::ssize(border->reads) == all.border;
  if (next && !known)
    throw Error("style 'partitioned': the border has " + std::to_string(all.border) +
                " units, but of " + std::to_string(border->reads.size()) +
                " is known what they touch (StyledExchange::touch)");
  const bool begun = std::exchange(field.begun, false), apart = by_parts && known;

  /// What of each link a thread has to do.
  const auto shares = [&](const std::vector<Link>& links, int me, int of, const auto& act) {
    for (std::size_t link = 0; link < links.size(); ++link) {
      const Share mine(static_cast<std::int64_t>(links[link].size()), me, of);
      if (mine.begin < mine.end)
        act(link, static_cast<std::size_t>(mine.begin),
            static_cast<std::size_t>(mine.end - mine.begin));
    }
  };
  const auto mark = [&](const std::vector<detail::Run>& runs) {
    for (const auto& [link, first, count] : runs) next->exchanges.front().ready(link, first, count);
  };
  const auto open_next = [&] {
    next->exchanges.front().open();
    mark(border->unwritten);
  };

  communicate(problems, [&] {
    if (!begun) now.open();
    if (next && apart) open_next();
  });
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), of = omp_get_num_threads();
    if (!begun)
      communicate(problems, [&] {
        shares(patterns.front().sends(), me, of,
               [&](auto link, auto first, auto count) { now.ready(link, first, count); });
      });
    sweep(all.sweep_inner, Share(all.inner, me, of), problems);
    if (!apart) {
      communicate(problems, [&] {
        shares(patterns.front().receives(), me, of,
               [&](auto link, auto first, auto count) { now.await(link, first, count); });
      });
#pragma omp barrier
#pragma omp master
      communicate(problems, [&] {
        now.finish();
        if (next) open_next();
      });
#pragma omp barrier
    }
    const Share mine(all.border, me, of);
    if (!known) sweep(all.sweep_border, mine, problems);
    for (std::int64_t unit = mine.begin; known && unit < mine.end; ++unit) {
      const auto u = static_cast<std::size_t>(unit);
      if (apart)
        communicate(problems, [&] {
          for (const auto& [link, first, count] : border->reads[u]) now.await(link, first, count);
        });
      sweep(all.sweep_border, Share{unit, unit + 1}, problems);
      if (next) communicate(problems, [&] { mark(border->writes[u]); });
    }
  }
  if (apart) communicate(problems, [&] { now.finish(); });
  if (next) next->begun = true;
}

}  // namespace halocline

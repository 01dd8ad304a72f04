#include <halocline/error.hpp>
#include <halocline/more/style.hpp>

#include <algorithm>

namespace halocline {

std::vector<StyleFacts> known_styles() {
  return {
      {"masteronly", "exchange outside parallel regions, then all threads sweep",
       MPI_THREAD_FUNNELED},
      {"naive", "all threads sweep the inner part between the start and the finish of the exchange",
       MPI_THREAD_FUNNELED},
      {"funneled", "one parallel region: the master exchanges between barriers, then all sweep",
       MPI_THREAD_FUNNELED},
      {"single", "the same with whichever thread comes first", MPI_THREAD_SERIALIZED},
      {"thread",
       "the master exchanges while the others sweep the inner part, of which it has a share as "
       "large as its time allows; then all sweep the border",
       MPI_THREAD_FUNNELED},
      {"tasks",
       "the exchange is a task of higher priority with the border as a taskloop inside, the inner "
       "part is a taskloop",
       MPI_THREAD_SERIALIZED},
      {"partitioned",
       "each thread marks its part of a message as its sweep of it ends, and sweeps what has "
       "arrived; parts are sent and received one by one where the method can (p2p:partitioned)",
       MPI_THREAD_MULTIPLE},
      {"multiple", "each thread exchanges a part of every message on a communicator of its own",
       MPI_THREAD_MULTIPLE},
      {"auto",
       "steps are laps that choose among the others, while the program runs; it is remembered",
       MPI_THREAD_MULTIPLE},
  };
}

Style::Style(std::string_view name) : name_(name) {
  const std::vector<StyleFacts> all = known_styles();
  const auto found = std::ranges::find(all, name, &StyleFacts::style);
  if (found == all.end()) {
    std::string names;
    for (const StyleFacts& one : all) names += (names.empty() ? "" : ", ") + one.style;
    throw Error("there is no style '" + name_ + "'; there are " + names);
  }
  thread_level_ = found->thread_level;
}

}  // namespace halocline

#include "counsel.hpp"

#include "base/text.hpp"

#include <halocline/more/waiting.hpp>

#include <sstream>

namespace halocline::detail {

std::string broadcast(MPI_Comm comm, std::string words) {
  const Blocking guard("auto: rank 0, which reads the file of choices");
  return mpi::from_root(comm, std::move(words));
}

std::vector<Counsel> counsel(MPI_Comm comm, const Adviser* adviser,
                             const std::vector<Scheme>& wanted) {
  std::ostringstream lines;
  if (adviser != nullptr)
    for (const Scheme& scheme : wanted)
      lines << scheme.str() << '\t' << adviser->objection(scheme) << '\n';
  std::istringstream answer(broadcast(comm, lines.str()));
  std::vector<Counsel> all;
  for (std::string line; std::getline(answer, line);) {
    const auto tab = line.find('\t');
    all.push_back({Scheme(line.substr(0, tab)), line.substr(tab + 1)});
  }
  return all;
}

Lore lore(MPI_Comm comm, const Adviser* adviser) {
  std::ostringstream lines;
  if (adviser != nullptr) {
    lines << adviser->favourite() << '\n';
    for (const Section::Tried& one : adviser->lapped())
      lines << one.what << '\t' << base::text(one.times.value) << '\t' << one.why << '\n';
  }
  std::istringstream answer(broadcast(comm, lines.str()));
  Lore all;
  std::getline(answer, all.favourite);
  for (std::string what, times, why; std::getline(answer, what, '\t') &&
                                     std::getline(answer, times, '\t') &&
                                     std::getline(answer, why);)
    all.others.push_back({what, 0, {base::number<double>(times).value_or(0)}, why});
  return all;
}

}  // namespace halocline::detail

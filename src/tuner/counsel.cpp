#include "counsel.hpp"

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

}  // namespace halocline::detail

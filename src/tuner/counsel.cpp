#include "counsel.hpp"

#include "base/text.hpp"

#include <halocline/more/waiting.hpp>

#include <sstream>

namespace halocline::detail {

std::string broadcast(MPI_Comm comm, std::string words) {
  const Blocking guard("auto: rank 0, which reads the file of choices");
  return mpi::from_root(comm, std::move(words));
}

namespace {

void write(std::ostream& lines, const Adviser& adviser, const std::vector<Scheme>& wanted) {
  for (const Scheme& scheme : wanted)
    lines << scheme.str() << '\t' << adviser.objection(scheme) << '\n';
}

std::vector<Counsel> read(std::istream& answer) {
  std::vector<Counsel> all;
  for (std::string line; std::getline(answer, line);) {
    const auto tab = line.find('\t');
    all.push_back({Scheme(line.substr(0, tab)), line.substr(tab + 1)});
  }
  return all;
}

}  // namespace

std::vector<Counsel> counsel(MPI_Comm comm, const Adviser* adviser,
                             const std::vector<Scheme>& wanted) {
  std::ostringstream lines;
  if (adviser != nullptr) write(lines, *adviser, wanted);
  std::istringstream answer(broadcast(comm, lines.str()));
  return read(answer);
}

Lore lore(MPI_Comm comm, const Adviser* adviser) {
  std::ostringstream lines;
  if (adviser != nullptr) {
    const std::vector<Section::Tried> lapped = adviser->lapped();
    lines << adviser->favourite() << '\n' << lapped.size() << '\n';
    for (const Section::Tried& one : lapped)
      lines << one.what << '\t' << base::text(one.times.value) << '\t' << one.why << '\n';
    write(lines, *adviser, adviser->first());
  }
  std::istringstream answer(broadcast(comm, lines.str()));
  Lore all;
  std::string count, what, times, why;
  std::getline(answer, all.favourite);
  std::getline(answer, count);
  for (std::size_t left = base::number<std::size_t>(count).value_or(0);
       left > 0 && std::getline(answer, what, '\t') && std::getline(answer, times, '\t') &&
       std::getline(answer, why);
       --left)
    all.others.push_back({what, 0, {base::number<double>(times).value_or(0)}, why});
  all.first = read(answer);
  return all;
}

}  // namespace halocline::detail

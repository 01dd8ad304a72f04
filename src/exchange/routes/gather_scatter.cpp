#include <halocline/gather_scatter.hpp>

#include "combine.hpp"
#include "exchange/core/consensus.hpp"
#include "exchange/core/fields_check.hpp"
#include "exchange/core/layout.hpp"
#include "exchange/core/method.hpp"
#include "exchange/core/pattern_check.hpp"
#include "memory/cache_line.hpp"
#include "on_device.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace halocline {

namespace {

using detail::Lists;

constexpr const char* gets_the_result =
    "is read-only (constant elements), but all copies get the result; give memory that may be "
    "written, in C++ by a pointer that is not const";

/// What is wrong on this rank; empty if nothing is.
std::string numbers_complaint(MPI_Comm comm, std::span<const std::int64_t> numbers,
                              const std::vector<Field>& fields, const Combine& combine) {
  const std::string me = "gather-scatter: rank " + std::to_string(mpi::rank(comm)) + ": ";
  if (combine == Combine::replace)
    return me + "copies that replace each other have no result; combine by sum, min or max";
  if (fields.empty()) return me + "there is no field";
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field& field = fields[f];
    if (field.elements != Field::unknown && field.elements != numbers.size())
      return me + "there are " + std::to_string(numbers.size()) + " numbers for a field of " +
             std::to_string(field.elements) + " elements; each needs one";
    const std::string which = "field " + std::to_string(f) + " ";
    if (const std::string why = detail::combine_complaint(field, combine); !why.empty())
      return me + which + why;
    if (field.read_only) return me + which + gets_the_result;
    if (detail::device_of(field) != nullptr)
      return me + which + "is on a device; copies are combined on the host";
  }
  const auto negative =
      std::find_if(numbers.begin(), numbers.end(), [](std::int64_t number) { return number < 0; });
  if (negative != numbers.end())
    return me + "element " + std::to_string(negative - numbers.begin()) + " has the number " +
           std::to_string(*negative) + "; numbers begin with 0";
  return {};
}

/// A rank's nodes in the order of their numbers, and where its copies of each are.
struct Nodes {
  explicit Nodes(std::span<const std::int64_t> of_elements) {
    std::vector<std::pair<std::int64_t, std::ptrdiff_t>> all;
    all.reserve(of_elements.size());
    for (const std::int64_t number : of_elements)
      all.emplace_back(number, static_cast<std::ptrdiff_t>(all.size()));
    if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
    for (const auto& [number, place] : all) {
      if (numbers.empty() || numbers.back() != number) {
        numbers.push_back(number);
        begins.push_back(places.size());
      }
      places.push_back(place);
    }
    begins.push_back(places.size());
  }
  std::span<const std::ptrdiff_t> copies(std::size_t node) const {
    return std::span(places).subspan(begins[node], begins[node + 1] - begins[node]);
  }

  std::vector<std::int64_t> numbers;
  std::vector<std::size_t> begins;  // of each node's places, and the end
  std::vector<std::ptrdiff_t> places;
};

/// A node that other ranks have, too.
struct Shared {
  std::int64_t number;
  std::span<const std::int64_t> ranks;  ///< all of them, ascending
};

/// Those of a rank's nodes that others have, too, in the order of numbers. Rank `number` modulo the
/// number of ranks gathers what is known of a node. Collective.
class SharedNodes {
 public:
  SharedNodes(MPI_Comm comm, const std::vector<std::int64_t>& numbers) {
    // Channels of their own, so that who is ahead with answers is not taken to ask.
    const detail::Channel questions = detail::Channel::on(comm), answers = questions.another();
    const int ranks = mpi::size(comm);
    Lists asked;
    for (const std::int64_t number : numbers)
      asked[static_cast<int>(number % ranks)].push_back(number);
    words_ = detail::sparse_exchange(answers, answer(detail::sparse_exchange(questions, asked)));
    for (const auto& [rank, words] : words_)
      for (auto word = words.begin(); word != words.end();) {
        const std::int64_t number = *word++;
        const auto sharers = static_cast<std::size_t>(*word++);
        nodes_.push_back({number, std::span(word, sharers)});
        word += static_cast<std::ptrdiff_t>(sharers);
      }
    std::ranges::sort(nodes_, {}, &Shared::number);
  }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

 private:
  /// To each rank of those of its numbers that others have: number, how many have it, their ranks.
  static Lists answer(const Lists& asked) {
    std::vector<std::pair<std::int64_t, int>> all;
    for (const auto& [rank, numbers] : asked)
      for (const std::int64_t number : numbers) all.emplace_back(number, rank);
    std::sort(all.begin(), all.end());
    Lists answered;
    for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
      end = std::find_if(begin, all.end(),
                         [&](const auto& one) { return one.first != begin->first; });
      if (end - begin == 1) continue;
      for (auto whom = begin; whom != end; ++whom) {
        std::vector<std::int64_t>& words = answered[whom->second];
        words.push_back(begin->first);
        words.push_back(end - begin);
        for (auto sharer = begin; sharer != end; ++sharer) words.push_back(sharer->second);
      }
    }
    return answered;
  }

  Lists words_;
  std::vector<Shared> nodes_;
};

using Indices = std::vector<std::ptrdiff_t>;

Pattern pattern_of(const std::map<int, Indices>& sends, const std::map<int, Indices>& receives) {
  const auto apart = [](const std::map<int, Indices>& by_peer) {
    std::pair<std::vector<int>, std::vector<Indices>> all;
    for (const auto& [peer, indices] : by_peer)
      all.first.push_back(peer), all.second.push_back(indices);
    return all;
  };
  const auto [targets, sent] = apart(sends);
  const auto [sources, received] = apart(receives);
  return Pattern::from_indices(targets, sent, sources, received);
}

std::vector<Block> blocks_of(const Indices& indices) {
  const Pattern one = pattern_of({{0, indices}}, {});
  return one.empty() ? std::vector<Block>() : one.sends().front().blocks;
}

/// What this rank does with its shared nodes. Each stands for its first copy here.
struct Plan {
  /// The results of a rank, which are combined in the order of ranks: begun with at nodes of which
  /// it is the lowest, and added to what is there at the others. A message has those first.
  struct Contribution {
    Indices begins, adds;
  };
  std::map<int, Indices> sends;               ///< to whom
  std::map<int, Contribution> contributions;  ///< of others, and mine where I am not the lowest
  std::map<int, Indices> back_to, back_from;  ///< the round for nodes that many share
  Indices firsts, copies;                     ///< for each further copy on this rank

  Plan(MPI_Comm comm, std::span<const std::int64_t> numbers, std::size_t most_direct) {
    const int me = mpi::rank(comm);
    const Nodes nodes(numbers);
    for (std::size_t node = 0; node < nodes.numbers.size(); ++node)
      for (const std::ptrdiff_t copy : nodes.copies(node).subspan(1)) {
        firsts.push_back(nodes.copies(node).front());
        copies.push_back(copy);
      }
    const SharedNodes shared(comm, nodes.numbers);
    for (const bool begins : {true, false}) {
      auto number = nodes.numbers.begin();
      for (const Shared& node : shared) {
        number = std::lower_bound(number, nodes.numbers.end(), node.number);
        const auto place = static_cast<std::size_t>(number - nodes.numbers.begin());
        add(node, nodes.copies(place).front(), me, begins, node.ranks.size() <= most_direct);
      }
    }
  }

 private:
  /// What is begun with, or all else.
  void add(const Shared& node, std::ptrdiff_t here, int me, bool begins, bool direct) {
    const auto lowest = static_cast<int>(node.ranks.front());
    if (!direct && me != lowest) {
      if (begins) return;
      sends[lowest].push_back(here);
      back_from[lowest].push_back(here);
      return;
    }
    for (const std::int64_t one : node.ranks) {
      const auto rank = static_cast<int>(one);
      if (begins != (rank == lowest)) continue;
      if (rank == me && direct)
        for (const std::int64_t other : node.ranks)
          if (other != me) sends[static_cast<int>(other)].push_back(here);
      if (!direct && rank != me) back_to[rank].push_back(here);
      if (rank == me && me == lowest) continue;  // it is there
      Contribution& from = contributions[rank];
      (begins ? from.begins : from.adds).push_back(here);
    }
  }
};

}  // namespace

struct GatherScatter::State {
  State(MPI_Comm comm, std::size_t elements, const Plan& plan, std::vector<Field> all,
        const Scheme& scheme, Combine how)
      : asked{.comm = detail::Channel::on(comm),
              .pattern = pattern_of(plan.sends, {}),
              .fields = std::move(all),
              .scheme = scheme,
              .combine = how} {
    const int me = mpi::rank(comm);
    std::vector<Field>& fields = asked.fields;
    for (Field& field : fields) field.elements = elements;
    asked.unbound = std::ranges::any_of(fields, &Field::unbound);
    bases = detail::bases_of(fields);
    // Results arrive one rank after the other; mine lie among them.
    std::map<int, std::size_t> begins;
    std::size_t arriving = 0;
    for (const auto& [rank, one] : plan.contributions) {
      const std::size_t count = one.begins.size() + one.adds.size();
      begins[rank] = arriving;
      if (rank != me)
        asked.pattern.receive(
            rank, {.offset = static_cast<std::ptrdiff_t>(arriving), .count = {1, 1, count}});
      arriving += count;
    }

    std::vector<std::size_t> rooms;
    std::size_t bytes = 0;
    for (const Field& field : fields) {
      rooms.push_back(bytes);
      bytes += detail::whole_lines(arriving * field.element_bytes);
    }
    arrived = memory_for(comm, bytes, scheme);
    std::vector<Field> landing;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      std::byte* const room = arrived.data() + rooms[f];
      landing.push_back({.data = room,
                         .element_bytes = fields[f].element_bytes,
                         .elements = arriving,
                         .memory = arrived,
                         .number = fields[f].number});
      lay_out(plan, f, room, begins, me);
    }
    of_step = fields;
    of_step.insert(of_step.end(), landing.begin(), landing.end());
    if (asked.unbound)
      for (Field& field : landing) field = unbound(field);
    detail::check_numbers(asked);
    results.emplace(comm, asked.pattern, fields, landing, scheme);
    const bool settled = plan.back_to.empty() && plan.back_from.empty();
    if (mpi::agree(comm, "", {settled}).front() == 0)
      back.emplace(comm, pattern_of(plan.back_to, plan.back_from), fields, results->scheme());
  }

  /// What is done with field `f`, whose results arrive in `room`.
  void lay_out(const Plan& plan, std::size_t f, std::byte* room,
               const std::map<int, std::size_t>& begins, int me) {
    const Field& field = asked.fields[f];
    const auto layout = [&](const Indices& indices) {
      return detail::Layout(blocks_of(indices), std::span(&field, 1), f);
    };
    firsts.push_back(layout(plan.firsts));
    copies.push_back(layout(plan.copies));
    most_copies = std::max(most_copies, firsts.back().bytes());
    for (const auto& [rank, one] : plan.contributions) {
      std::byte* const message = room + begins.at(rank) * field.element_bytes;
      if (!one.begins.empty()) begun.push_back({layout(one.begins), message});
      if (!one.adds.empty())
        added.push_back({layout(one.adds), message + one.begins.size() * field.element_bytes});
      if (rank == me) mine.push_back(added.back());
    }
  }

  /// Begins a step on the fields that it is bound to, or on those given for this step.
  void start() {
    scratch.resize(most_copies);
    for (std::size_t f = 0; f < asked.fields.size(); ++f) {
      copies[f].pack(bases, scratch.data());
      detail::combine(firsts[f], bases, scratch.data(), asked.combine, asked.fields);
    }
    for (const auto& [cells, message] : mine) cells.pack(bases, message);
    if (asked.unbound)
      results->start(of_step);
    else
      results->start();
  }

  void start_on(std::span<const Field> fields) {
    step.begin(results->scheme());
    std::string wrong = detail::step_complaint(asked, fields);
    for (std::size_t f = 0; f < fields.size() && wrong.empty(); ++f)
      if (fields[f].read_only) wrong = "field " + std::to_string(f) + " " + gets_the_result;
    if (!wrong.empty()) {
      step.end();
      throw Error("gather-scatter: rank " + std::to_string(mpi::rank(asked.comm)) +
                  ": start: " + wrong);
    }
    for (std::size_t f = 0; f < fields.size() && asked.unbound; ++f)
      asked.fields[f].data = of_step[f].data = fields[f].data;
    bases = detail::bases_of(asked.fields);
    start();
  }

  void finish() {
    step.finish(results->scheme());
    results->finish();
    for (const auto& [cells, message] : begun) cells.unpack(bases, message);
    for (const auto& [cells, message] : added)
      detail::combine(cells, bases, message, asked.combine, asked.fields);
    if (back && asked.unbound)
      back->run(std::span(of_step).first(asked.fields.size()));
    else if (back)
      back->run();
    for (std::size_t f = 0; f < asked.fields.size(); ++f) {
      firsts[f].pack(bases, scratch.data());
      copies[f].unpack(bases, scratch.data());
    }
    step.end();
  }

  struct Contribution {
    detail::Layout cells;
    std::byte* message;
  };

  detail::Setup asked;         // what this rank sends, and in which numbers its results arrive
  std::vector<Field> of_step;  // the fields, and what arrives
  detail::Bases bases;
  Memory arrived;
  std::vector<Contribution> begun, added, mine;  // by ranks
  std::vector<detail::Layout> firsts, copies;    // of each field: further copies on this rank
  std::size_t most_copies = 0;                   // bytes of those of a field
  std::vector<std::byte> scratch;
  std::optional<Exchange> results, back;
  detail::Step step;
};

GatherScatter::GatherScatter(MPI_Comm comm, std::span<const std::int64_t> numbers,
                             const FieldList& fields, const Scheme& scheme,
                             const GatherScatterOptions& options) {
  const std::vector<Field> all(fields.all().begin(), fields.all().end());
  const auto most_direct = static_cast<std::int64_t>(
      std::min<std::size_t>(options.most_direct, std::numeric_limits<std::int64_t>::max()));
  const auto least =
      mpi::agree(comm, numbers_complaint(comm, numbers, all, options.combine), {most_direct});
  state_ = std::make_unique<State>(comm, numbers.size(),
                                   Plan(comm, numbers, static_cast<std::size_t>(least.front())),
                                   all, scheme, options.combine);
}
GatherScatter::~GatherScatter() = default;
GatherScatter::GatherScatter(GatherScatter&&) noexcept = default;
GatherScatter& GatherScatter::operator=(GatherScatter&&) noexcept = default;

GatherScatter::State& GatherScatter::state() const {
  if (!state_)
    throw Error("gather-scatter: this one has been moved from; use the one it was moved to");
  return *state_;
}

void GatherScatter::start(const FieldList& fields) {
  if (!fields.all().empty()) return state().start_on(fields.all());
  if (state().asked.unbound)
    throw Error(
        "gather-scatter: start: this one is made without memory; give it fields at each step: "
        "start(field(x))");
  state_->step.begin(scheme());
  state_->start();
}
void GatherScatter::finish() {
  state().finish();
}
MPI_Comm GatherScatter::comm() const {
  return state().results->comm();
}
std::span<const Field> GatherScatter::fields() const {
  return state().asked.fields;
}
const Scheme& GatherScatter::scheme() const {
  return state().results->scheme();
}
std::size_t GatherScatter::bytes_sent() const {
  return state().results->bytes_sent() + (state().back ? state().back->bytes_sent() : 0);
}

}  // namespace halocline

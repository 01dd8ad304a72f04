#include "heads.hpp"

#include "exchange/core/inner.hpp"
#include "exchange/core/pattern_check.hpp"
#include "exchange/shm/island_links.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace halocline::detail {

namespace {

using Integers = std::vector<std::int64_t>;

// --- Elements as runs of consecutive ones ----------------------------------------------------

struct Run {
  std::int64_t begin, size;
};
using Runs = std::vector<Run>;

void append(Runs& runs, const Run& run) {
  if (!runs.empty() && runs.back().begin + runs.back().size == run.begin)
    runs.back().size += run.size;
  else if (run.size > 0)
    runs.push_back(run);
}

/// In the order of the message.
Runs runs_of(const Link& link) {
  Runs runs;
  for (const Block& block : link.blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        append(runs, {block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                          static_cast<std::ptrdiff_t>(row) * block.stride[1],
                      static_cast<std::int64_t>(block.count[2])});
  return runs;
}

Block block_of(std::int64_t begin, std::int64_t size) {
  return {.offset = static_cast<std::ptrdiff_t>(begin),
          .count = {1, 1, static_cast<std::size_t>(size)}};
}

/// Elements each once, ascending.
class Union {
 public:
  explicit Union(Runs some) {
    std::ranges::sort(some, {}, &Run::begin);
    for (const Run& run : some) {
      const std::int64_t end = runs_.empty() ? run.begin : runs_.back().begin + runs_.back().size;
      if (runs_.empty() || run.begin > end) {
        before_.push_back(size_);
        runs_.push_back(run);
        size_ += run.size;
      } else if (run.begin + run.size > end) {
        runs_.back().size += run.begin + run.size - end;
        size_ += run.begin + run.size - end;
      }
    }
  }
  const Runs& runs() const noexcept { return runs_; }
  std::int64_t size() const noexcept { return size_; }
  /// Where a run of elements that are in it begins in it.
  std::int64_t place(std::int64_t element) const {
    const auto after = std::ranges::upper_bound(runs_, element, {}, &Run::begin);
    const auto at = static_cast<std::size_t>(after - runs_.begin() - 1);
    return before_[at] + element - runs_[at].begin;
  }

 private:
  Runs runs_;
  Integers before_;
  std::int64_t size_ = 0;
};

// --- Who is where ----------------------------------------------------------------------------

/// Of each rank the head of its island.
struct HeadsOfRanks {
  HeadsOfRanks(MPI_Comm comm, const Islands& islands)
      : of(static_cast<std::size_t>(mpi::size(comm))) {
    int head = mpi::rank(comm);
    HALOCLINE_MPI(MPI_Bcast, &head, 1, MPI_INT, 0, islands.island());
    HALOCLINE_MPI(MPI_Allgather, &head, 1, MPI_INT, of.data(), 1, MPI_INT, comm);
    heads = of;
    std::ranges::sort(heads);
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  }
  int head_of(int rank) const { return of[static_cast<std::size_t>(rank)]; }

  std::vector<int> of, heads;  ///< heads: ascending, as in Islands::heads()
};

const Islands& islands_of(const Setup& setup) {
  const IslandSpec spec(setup.scheme.option("heads"));
  return setup.comm.shared<Islands>(spec.str(), spec);
}

/// What all ranks of the communicator have, by rank, on rank 0. Collective.
std::vector<Integers> gathered(MPI_Comm comm, const Integers& mine) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(ranks), begins(ranks);
  HALOCLINE_MPI(MPI_Gather, &size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm);
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  const bool all_here = mpi::rank(comm) == 0;
  Integers all(all_here ? static_cast<std::size_t>(begins.back() + sizes.back()) : 0);
  HALOCLINE_MPI(MPI_Gatherv, mine.data(), size, MPI_INT64_T, all.data(), sizes.data(),
                begins.data(), MPI_INT64_T, 0, comm);
  std::vector<Integers> lists;
  for (std::size_t rank = 0; all_here && rank < ranks; ++rank)
    lists.emplace_back(all.begin() + begins[rank], all.begin() + begins[rank] + sizes[rank]);
  return lists;
}

/// What all ranks have for this one, by rank. Collective.
std::vector<Integers> dealt(MPI_Comm comm, const std::vector<Integers>& outgoing) {
  const std::size_t ranks = outgoing.size();
  std::vector<int> out(ranks), in(ranks), out_begins(ranks), in_begins(ranks);
  Integers leaving;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    out[rank] = static_cast<int>(outgoing[rank].size());
    leaving.insert(leaving.end(), outgoing[rank].begin(), outgoing[rank].end());
  }
  HALOCLINE_MPI(MPI_Alltoall, out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm);
  std::exclusive_scan(out.begin(), out.end(), out_begins.begin(), 0);
  std::exclusive_scan(in.begin(), in.end(), in_begins.begin(), 0);
  Integers arriving(static_cast<std::size_t>(in_begins.back() + in.back()));
  HALOCLINE_MPI(MPI_Alltoallv, leaving.data(), out.data(), out_begins.data(), MPI_INT64_T,
                arriving.data(), in.data(), in_begins.data(), MPI_INT64_T, comm);
  std::vector<Integers> lists;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    lists.emplace_back(arriving.begin() + in_begins[rank],
                       arriving.begin() + in_begins[rank] + in[rank]);
  return lists;
}

/// Reads what has been told, number by number.
class Reader {
 public:
  explicit Reader(const Integers& words) : words_(words) {}
  bool more() const noexcept { return at_ < words_.size(); }
  std::int64_t next() { return words_.at(at_++); }
  Integers next(std::int64_t count) {
    const auto from = words_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += static_cast<std::size_t>(count);
    return {from, from + count};
  }

 private:
  const Integers& words_;
  std::size_t at_ = 0;
};

// --- The three exchanges
// --------------------------------------------------------------------------

struct Plan {
  Pattern gather;                      ///< from fields into what leaves the island
  Pattern forward;                     ///< from that into what has come to it
  Pattern scatter;                     ///< from that into fields
  std::int64_t leaves = 0, comes = 0;  ///< elements, on the head
};

/// `outside`: the links to other islands. A rank tells its head how much it has for each island,
/// and which of it each rank there wants; the head tells the head of that island. Collective.
Plan plan_of(MPI_Comm comm, const Pattern& outside, const Islands& islands,
             const HeadsOfRanks& heads) {
  const int me = mpi::rank(comm), head = heads.head_of(me);
  Plan plan;

  // What this rank has for each island: every element once.
  std::map<int, std::vector<std::pair<int, Runs>>> wanted;  // by head
  for (const Link& link : outside.sends())
    wanted[heads.head_of(link.peer)].emplace_back(link.peer, runs_of(link));
  Integers mine;
  std::vector<Block> given;
  for (const auto& [target, links] : wanted) {
    Runs all;
    for (const auto& [peer, runs] : links) all.insert(all.end(), runs.begin(), runs.end());
    const Union elements(std::move(all));
    for (const Run& run : elements.runs()) given.push_back(block_of(run.begin, run.size));
    Integers told{me, elements.size(), std::ssize(links)};
    for (const auto& [peer, runs] : links) {
      Runs places;
      for (const Run& run : runs) append(places, {elements.place(run.begin), run.size});
      told.insert(told.end(), {peer, std::ssize(places)});
      for (const Run& run : places) told.insert(told.end(), {run.begin, run.size});
    }
    mine.insert(mine.end(), {target, std::ssize(told)});
    mine.insert(mine.end(), told.begin(), told.end());
  }
  const std::vector<Integers> of_island = gathered(islands.island(), mine);

  // What leaves: island by island, and for each, rank by rank.
  if (me == head) {
    std::map<int, Integers> for_heads;
    std::map<std::pair<int, int>, std::int64_t> sizes;  // of island and owner
    for (const Integers& words : of_island)
      for (Reader reader(words); reader.more();) {
        const int target = static_cast<int>(reader.next());
        const Integers told = reader.next(reader.next());
        for_heads[target].insert(for_heads[target].end(), told.begin(), told.end());
        sizes[{target, static_cast<int>(told[0])}] = told[1];
      }
    std::map<int, std::vector<Block>> landing;  // of each owner
    std::map<int, std::int64_t> begins, all;    // of each island
    for (const auto& [key, size] : sizes) {
      begins.try_emplace(key.first, plan.leaves);
      landing[key.second].push_back(block_of(plan.leaves, size));
      all[key.first] += size;
      plan.leaves += size;
    }
    for (const auto& [owner, blocks] : landing)
      if (owner != me)
        for (const Block& block : blocks) plan.gather.receive(owner, block);
    if (const auto own = landing.find(me); own != landing.end()) {
      // Blocks of both sides, cut alike.
      auto from = given.begin();
      for (const Block& to : own->second)
        for (std::size_t done = 0; done < to.size(); done += from++->size())
          plan.gather.copy(*from, block_of(to.offset + static_cast<std::ptrdiff_t>(done),
                                           static_cast<std::int64_t>(from->size())));
    }
    std::vector<Integers> outgoing;
    for (const int target : heads.heads) {
      outgoing.push_back(for_heads[target]);
      if (all[target] > 0) plan.forward.send(target, block_of(begins[target], all[target]));
    }

    // What comes: from island by island, in the same order; and who wants which of it.
    const std::vector<Integers> incoming = dealt(islands.heads(), outgoing);
    std::map<int, std::map<int, Runs>> of_ranks;  // of each rank of mine, by owner
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      const std::int64_t begin = plan.comes;
      for (Reader reader(incoming[i]); reader.more();) {
        const int owner = static_cast<int>(reader.next());
        const std::int64_t size = reader.next();
        for (std::int64_t peers = reader.next(); peers > 0; --peers) {
          Runs& runs = of_ranks[static_cast<int>(reader.next())][owner];
          for (std::int64_t count = reader.next(); count > 0; --count) {
            const std::int64_t place = reader.next();
            runs.push_back({plan.comes + place, reader.next()});
          }
        }
        plan.comes += size;
      }
      if (plan.comes > begin)
        plan.forward.receive(heads.heads[i], block_of(begin, plan.comes - begin));
    }
    for (const auto& [rank, owners] : of_ranks)
      if (rank != me)
        for (const auto& [owner, runs] : owners)
          for (const Run& run : runs) plan.scatter.send(rank, block_of(run.begin, run.size));
    std::map<int, const Link*> links;
    for (const Link& link : outside.receives()) links[link.peer] = &link;
    for (const auto& [owner, link] : links) {
      // The order of both is that of the message.
      const Runs from = of_ranks[me][owner], to = runs_of(*link);
      std::int64_t skipped = 0, filled = 0;  // of the runs at hand
      for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
        const std::int64_t some = std::min(from[i].size - skipped, to[j].size - filled);
        plan.scatter.copy(block_of(from[i].begin + skipped, some),
                          block_of(to[j].begin + filled, some));
        if ((skipped += some) == from[i].size) skipped = 0, ++i;
        if ((filled += some) == to[j].size) filled = 0, ++j;
      }
    }
  } else {
    for (const Block& block : given) plan.gather.send(head, block);
    std::map<int, const Link*> links;
    for (const Link& link : outside.receives()) links[link.peer] = &link;
    for (const auto& [owner, link] : links)
      for (const Block& block : link->blocks) plan.scatter.receive(head, block);
  }
  return plan;
}

// --- The method ------------------------------------------------------------------------------

const std::string& from_buffers(const MethodFacts& method) {
  return method.from_buffers.empty() ? method.name : method.from_buffers;
}

/// The scheme with the defaults of some options.
Scheme without(const Scheme& scheme, std::initializer_list<std::string_view> options,
               std::string method) {
  for (const OptionFacts& option : find_method(scheme.method())->options)
    if (std::ranges::find(options, option.name) == options.end())
      method += "+" + option.name + "=" + scheme.option(option.name);
  return Scheme(method);
}

class ByHeads final : public Method {
 public:
  explicit ByHeads(Setup s) : Method(std::move(s)) {
    const Islands& islands = islands_of(setup());
    const auto& heads = setup().comm.shared<HeadsOfRanks>(scheme().option("heads"), islands);
    IslandLinks links = split_links(pattern(), islands);
    for (std::size_t i = 0; i < pattern().copies_from().blocks.size(); ++i)
      links.inside.copy(pattern().copies_from().blocks[i], pattern().copies_to().blocks[i]);
    places_ = std::move(links.places);
    const Plan plan = plan_of(comm(), links.outside, islands, heads);

    // Cells in buffers have been written anew while others may still read those of the step before,
    // and windows on the fields are the inner exchange's.
    const MethodFacts& method = facts(scheme());
    const std::string_view pack = method.one_sided ? "pack" : "";
    const Scheme buffers =
        without(scheme(), {"heads", "access", "alloc", pack}, from_buffers(method));
    const std::vector<Field> leaves = buffer(plan.leaves, buffers),
                             comes = buffer(plan.comes, buffers);
    const std::span<const Field> from = setup().send_fields(), to = setup().receive_fields();

    inner_ = Inner(
        checked(setup().another(without(scheme(), {"heads"}, scheme().method()), links.inside)));
    const auto stage = [&](const Scheme& by, const Pattern& way, std::span<const Field> begin,
                           std::span<const Field> end, Combine combine) {
      Setup one = setup().another(by, way);
      one.fields.assign(begin.begin(), begin.end());
      one.fields.insert(one.fields.end(), end.begin(), end.end());
      one.apart = true;
      one.framing = nullptr;
      one.combine = combine;
      one.halos = Halos::landed;
      return Inner(checked(std::move(one)));
    };
    gather_ = stage(buffers, plan.gather, from, leaves, Combine::replace);
    forward_ = stage(buffers, plan.forward, leaves, comes, Combine::replace);
    const bool adds = setup().combine != Combine::replace;
    scatter_ = stage(adds ? without(scheme(), {"heads", "alloc"}, scheme().method()) : buffers,
                     plan.scatter, comes, to, setup().combine);
  }

  bool direct() const noexcept override { return inner_.method().direct(); }
  View view(std::size_t link, std::size_t block, std::size_t field) const override {
    const LinkPlace place = places_.at(link);
    return place.outer ? Method::view(link, block, field)
                       : inner_.method().view(place.index, block, field);
  }

  void start() override {
    gather_.start(measuring);
    inner_.start(measuring);
  }

  void finish() override {
    gather_.finish(times);
    forward_.start(measuring);
    inner_.finish(times);
    forward_.finish(times);
    scatter_.start(measuring);
    scatter_.finish(times);
  }

 private:
  static Setup checked(Setup setup) {
    setup.two_way = check_pattern(setup.comm, setup.pattern, setup.element_bytes());
    return setup;
  }

  /// So many elements of each field, in memory that suits the scheme.
  std::vector<Field> buffer(std::int64_t elements, const Scheme& suits) const {
    std::vector<Field> fields;
    for (Field field : setup().send_fields()) {
      field.elements = static_cast<std::size_t>(std::max<std::int64_t>(1, elements));
      field.memory = memory_for(comm(), field.elements * field.element_bytes, suits);
      field.data = field.memory.data();
      fields.push_back(field);
    }
    return fields;
  }

  std::vector<LinkPlace> places_;
  Inner inner_, gather_, forward_, scatter_;
};

}  // namespace

OptionFacts heads_option() {
  return {"heads", {"off", "node", "2"}, [](const std::string& text) {
            if (text != "off") IslandSpec{text};
          }};
}

bool goes_by_heads(const Setup& setup) {
  if (!setup.scheme.has("heads") || setup.scheme.is("heads", "off")) return false;
  const Islands& islands = islands_of(setup);
  return islands.count() > 1 &&
         !mpi::all_of(setup.comm, split_links(setup.pattern, islands).outside.empty());
}

std::unique_ptr<Method> make_by_heads(Setup setup) {
  return std::make_unique<ByHeads>(std::move(setup));
}

bool goes_by_heads(const model::Chosen& chosen, const model::Links& links) {
  return !links.ways.empty() && chosen.options.contains("heads");
}

model::Step describe_by_heads(const model::Chosen& chosen, const model::Links& links) {
  model::Chosen inside = chosen, buffered = chosen;
  inside.options.erase("heads");
  // From buffer to buffer, and so packed, and put where it would be added.
  for (const char* option : {"heads", "access"}) buffered.options.erase(option);
  if (const MethodFacts* const method = find_method(chosen.method)) {
    if (method->one_sided) buffered.options.erase("pack");
    buffered.method = from_buffers(*method);
  }
  std::array<model::Step, model::ways_by_heads> ways;
  model::Step step;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    model::Step& one = ways[way];
    one = describe(way == model::within_islands ? inside : buffered, links.ways.at(way));
    for (auto* const half : {&one.start, &one.finish})
      for (model::Operation& operation : *half) operation.exchange = static_cast<int>(way);
    step.buffer_bytes += one.buffer_bytes;
    step.window_bytes += one.window_bytes;
  }
  const auto& [within, gather, forward, scatter] = ways;
  const model::Links& between = links.ways[model::between_heads];
  for (const auto* const side : {&between.sends, &between.receives})
    for (const model::LinkSize& link : *side) step.buffer_bytes += link.bytes;
  model::Script start(step.start), finish(step.finish);
  start.then(gather.start);
  start.then(within.start);
  finish.then(gather.finish);
  finish.then(forward.start);
  finish.then(within.finish);
  finish.then(forward.finish);
  finish.then(scatter.start);
  finish.then(scatter.finish);
  return step;
}

}  // namespace halocline::detail

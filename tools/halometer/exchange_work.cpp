#include "exchange_work.hpp"

#include "loop.hpp"

#include <machine/memory.hpp>
#include <numerics/lanes.hpp>

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace halometer {

using namespace halocline;

namespace {

constexpr const char* checking = "halometer: checking";

/// The offset of every element of the blocks, in message order.
std::vector<std::ptrdiff_t> offsets(const std::vector<Block>& blocks) {
  std::vector<std::ptrdiff_t> list;
  for (const Block& block : blocks)
    each_row(block, [&](std::ptrdiff_t row) {
      for (std::size_t i = 0; i < block.count[2]; ++i)
        list.push_back(row + static_cast<std::ptrdiff_t>(i));
    });
  return list;
}

/// Mixes the bits of a number (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

double sum(const HaloRow& row) {
  // Independent sums, as a sweep's points are.
  std::array<double, 8> lanes{};
  std::size_t i = 0;
  for (; i + lanes.size() <= row.count; i += lanes.size())
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += row.cells[i + lane];
  for (; i < row.count; ++i) lanes[0] += row.cells[i];
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

/// A row of a sweep of Jacobi's method, as fast as laplace's: how long there is from one line that
/// a neighbour has read to the next decides how many stores into such lines are under way at once,
/// and so what each costs. `row` and `plane` are the distances to the next ones; a row like this
/// one follows at least.
void sweep_row(const double* in, double* out, std::ptrdiff_t count, std::ptrdiff_t row,
               std::ptrdiff_t plane, double source) {
  using namespace numerics;
  constexpr int L = widest;
  using V = Lanes<L>;
  const auto beside = [&](std::ptrdiff_t i, auto load) {
    return (load(in + i - row) + load(in + i + row)) +
           (load(in + i - plane) + load(in + i + plane));
  };
  const V all = broadcast<L>(source);
  std::ptrdiff_t i = 0;
  if (count >= L) {
    // Loads that cross cache lines count twice.
    V before = broadcast<L>(in[-1]), here = load<L>(in);
    for (; i + L <= count; i += L) {
      const V after = load<L>(in + i + L);
      const V along = across<L, L - 1>(before, here) + across<L, 1>(here, after);
      store<L>(out + i, (along + beside(i, load<L>)) * (1 / 12.0) + all);
      before = here, here = after;
    }
  }
  const auto one = [](const double* at) { return *at; };
  for (; i < count; ++i) out[i] = (in[i - 1] + in[i + 1] + beside(i, one)) * (1 / 12.0) + source;
}

}  // namespace

Rewrite rewrite(const std::string& text) {
  if (text == "none") return Rewrite::none;
  if (text == "sent") return Rewrite::sent;
  if (text == "field") return Rewrite::field;
  throw Error("--rewrite " + text + ": must be field, sent or none");
}

PatternField::PatternField(MPI_Comm comm, Pattern pattern, std::size_t elements,
                           std::size_t element_bytes, const Scheme& scheme, Rows owned)
    : comm_(comm), pattern_(std::move(pattern)), owned_(owned) {
  machine::check_memory(comm, static_cast<double>(elements) * static_cast<double>(element_bytes),
                        "halometer");
  const Memory memory = memory_for(comm, elements * element_bytes, scheme);
  field_ = {memory.data(), element_bytes, elements, memory,
            element_bytes == sizeof(double) ? Number::float64 : Number::unknown};
  for (const Link& link : pattern_.sends()) sent_.push_back(offsets(link.blocks));
  for (const Link& link : pattern_.receives()) received_.push_back(offsets(link.blocks));
  copied_from_ = offsets(pattern_.copies_from().blocks);
  copied_to_ = offsets(pattern_.copies_to().blocks);
}

/// `visit(offset, count)` of what is written between two exchanges, row by row.
template <class Visit>
void PatternField::each_row_written(Rewrite what, Visit&& visit) const {
  const auto blocks = [&](const std::vector<Block>& all) {
    for (const Block& block : all)
      each_row(block, [&](std::ptrdiff_t row) { visit(row, block.count[2]); });
  };
  if (what == Rewrite::sent) {
    for (const Link& link : pattern_.sends()) blocks(link.blocks);
    blocks(pattern_.copies_from().blocks);
  }
  if (what == Rewrite::field)
    for (std::size_t plane = 0; plane < owned_.planes; ++plane)
      for (std::size_t row = 0; row < owned_.rows; ++row)
        visit(static_cast<std::ptrdiff_t>(owned_.offset + plane * owned_.plane_stride +
                                          row * owned_.row_stride),
              owned_.elements);
}

void PatternField::write(Rewrite what) {
  value_ += 1;
  auto* const values = static_cast<double*>(field_.data);
  each_row_written(what, [&](std::ptrdiff_t row, std::size_t count) {
    std::fill_n(values + row, count, value_);
  });
}

void PatternField::sweep(const PatternField& before, Rewrite what, std::span<const HaloRow> halo) {
  auto* const values = static_cast<double*>(field_.data);
  const auto* const from = static_cast<const double*>(before.field_.data);
  // What is beside a row in the halo goes into it: few such loads are under way at once, as in a
  // sweep, where each is beside stores.
  const auto* next = halo.data();
  const auto* const end = next + halo.size();
  constexpr double little = 1e-9;
  each_row_written(what, [&](std::ptrdiff_t row, std::size_t size) {
    const auto count = static_cast<std::ptrdiff_t>(size);
    double came = 0;
    for (; next != end && next->place <= row + count; ++next) came += sum(*next);
    const double source = 1 + little * came;
    if (what == Rewrite::field)
      sweep_row(from + row, values + row, count, static_cast<std::ptrdiff_t>(owned_.row_stride),
                static_cast<std::ptrdiff_t>(owned_.plane_stride), source);
    else
      std::transform(from + row, from + row + count, values + row,
                     [&](double value) { return value * 0.5 + source; });
  });
  double rest = 0;
  for (; next != end; ++next) rest += sum(*next);
  seen_ = rest;
}

void PatternField::touch() {
  constexpr std::size_t line = 64;
  const auto stamp = static_cast<std::byte>(++stamp_);
  auto* const bytes = static_cast<std::byte*>(field_.data);
  const auto unit = static_cast<std::ptrdiff_t>(field_.element_bytes);
  for (const Link& link : pattern_.sends())
    for (const Block& block : link.blocks)
      each_row(block, [&](std::ptrdiff_t row) {
        for (std::size_t i = 0; i < block.count[2] * field_.element_bytes; i += line)
          bytes[unit * row + static_cast<std::ptrdiff_t>(i)] = stamp;
      });
}

void PatternField::fill(std::uint64_t step) {
  auto* const bytes = static_cast<std::byte*>(field_.data);
  const auto rank = static_cast<std::uint64_t>(mpi::rank(comm_));
  for (std::size_t e = 0; e < field_.elements; ++e) {
    const std::uint64_t value = mixed(mixed(step) + mixed(rank << 40) + e);
    std::memcpy(bytes + e * field_.element_bytes, &value,
                std::min(sizeof value, field_.element_bytes));
  }
}

const std::byte* PatternField::in_halo(std::size_t link, std::size_t element) const {
  return static_cast<const std::byte*>(field_.data) +
         received_[link][element] * static_cast<std::ptrdiff_t>(field_.element_bytes);
}

HaloView PatternField::in_field(const Block& block) const {
  const auto unit = static_cast<std::ptrdiff_t>(field_.element_bytes);
  return {static_cast<const std::byte*>(field_.data) + block.offset * unit,
          {block.stride[0] * unit, block.stride[1] * unit, unit}};
}

std::vector<std::byte> PatternField::gathered(const Offsets& elements) const {
  const auto* const bytes = static_cast<const std::byte*>(field_.data);
  const std::size_t unit = field_.element_bytes;
  std::vector<std::byte> message(elements.size() * unit);
  for (std::size_t i = 0; i < elements.size(); ++i)
    std::memcpy(message.data() + i * unit, bytes + elements[i] * static_cast<std::ptrdiff_t>(unit),
                unit);
  return message;
}

std::vector<std::vector<std::byte>> PatternField::delivered() const {
  constexpr int tag = 22;
  std::vector<std::vector<std::byte>> sent, arrived;
  for (const Offsets& elements : sent_) sent.push_back(gathered(elements));
  std::vector<MPI_Request> requests(sent_.size() + received_.size(), MPI_REQUEST_NULL);
  auto request = requests.begin();
  for (std::size_t i = 0; i < received_.size(); ++i) {
    arrived.emplace_back(received_[i].size() * field_.element_bytes);
    const mpi::Bytes message(arrived[i].size());
    HALOCLINE_MPI(MPI_Irecv, arrived[i].data(), message.count(), message.type(),
                  pattern_.receives()[i].peer, tag, comm_, &*request++);
  }
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const mpi::Bytes message(sent[i].size());
    HALOCLINE_MPI(MPI_Isend, sent[i].data(), message.count(), message.type(),
                  pattern_.sends()[i].peer, tag, comm_, &*request++);
  }
  wait_all(checking, requests);
  return arrived;
}

std::string PatternField::check_sums(const std::function<void()>& exchange) {
  auto* const cells = static_cast<double*>(field_.data);
  for (std::size_t e = 0; e < field_.elements; ++e)
    cells[e] =
        1 / (1.0 + static_cast<double>(
                       mixed(e + 97 * mixed(static_cast<std::uint64_t>(mpi::rank(comm_)))) % 1000));
  std::vector<double> expected(cells, cells + field_.elements);
  const auto add = [&](const Offsets& elements, const std::vector<std::byte>& bytes) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
      expected[static_cast<std::size_t>(elements[i])] += value;
    }
  };
  const std::vector<std::vector<std::byte>> arrived = delivered();
  add(copied_to_, gathered(copied_from_));
  for (std::size_t i = 0; i < arrived.size(); ++i) add(received_[i], arrived[i]);
  exchange();
  for (std::size_t e = 0; e < field_.elements; ++e)
    if (cells[e] != expected[e])
      return "rank " + std::to_string(mpi::rank(comm_)) + " has a wrong sum in element " +
             std::to_string(e);
  return {};
}

std::string PatternField::check(
    const std::function<void()>& exchange,
    const std::function<const std::byte*(std::size_t, std::size_t)>& at) {
  constexpr int steps = 3;
  const std::size_t unit = field_.element_bytes;
  std::string wrong;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    fill(step);
    const std::vector<std::vector<std::byte>> expected = delivered();
    const std::vector<std::byte> copied = gathered(copied_from_);
    exchange();
    for (std::size_t link = 0; link < received_.size() && wrong.empty(); ++link)
      for (std::size_t e = 0; e < received_[link].size() && wrong.empty(); ++e)
        if (std::memcmp(at(link, e), expected[link].data() + e * unit, unit) != 0)
          wrong = "rank " + std::to_string(mpi::rank(comm_)) + " got wrong bytes from rank " +
                  std::to_string(pattern_.receives()[link].peer) + ": element " +
                  std::to_string(e) + " of the message of exchange " + std::to_string(step);
    if (wrong.empty() && gathered(copied_to_) != copied)
      wrong = "rank " + std::to_string(mpi::rank(comm_)) + " copied its own cells wrongly";
    // With access=direct nobody may write before all have read.
    MPI_Request all_have_read = MPI_REQUEST_NULL;
    HALOCLINE_MPI(MPI_Ibarrier, comm_, &all_have_read);
    wait_one(checking, all_have_read);
  }
  return wrong;
}

ExchangeWork::ExchangeWork(MPI_Comm comm, const Pattern& pattern, std::size_t elements,
                           const Scheme& scheme, const Options& options)
    : options_(options) {
  const bool looping = options.in_loop != Rewrite::none;
  ExchangeOptions of_exchange = options.exchange;
  of_exchange.halos = Halos::in_place;  // `check` and the loop look through `view`
  // What `auto` chose for one field serves the others.
  for (int i = 0; i < (looping ? 2 : options.at_a_time); ++i) {
    fields_.emplace_back(comm, pattern, elements, options.element_bytes, scheme, options.owned);
    exchanges_.emplace_back(comm, pattern, fields_.back().field(),
                            i == 0 ? scheme : exchanges_[0].scheme(), of_exchange);
  }
  if (options.exchange.changes) next_.assign(exchanges_.size(), options.other);
  if (looping)
    loop_ = std::make_unique<Loop>(std::array{&fields_[0], &fields_[1]}, options.in_loop,
                                   [&](std::size_t turn, std::size_t link, std::size_t block) {
                                     return exchanges_[turn].view(link, block);
                                   });
}
ExchangeWork::~ExchangeWork() = default;

std::size_t ExchangeWork::together() const {
  return static_cast<std::size_t>(options_.at_a_time);
}

void ExchangeWork::prepare() {
  for (std::size_t i = 0; i < together(); ++i) fields_[i].write(options_.rewrite);
}

void ExchangeWork::change(std::size_t i) {
  if (options_.exchange.changes) next_[i] = exchanges_[i].change(std::move(next_[i]));
}

void ExchangeWork::start() {
  for (std::size_t i = 0; i < together(); ++i) {
    change(i);
    exchanges_[i].start();
  }
}

void ExchangeWork::finish() {
  for (std::size_t i = 0; i < together(); ++i) exchanges_[i].finish();
}

void ExchangeWork::loop(std::size_t steps, bool exchanging) {
  std::function<void(std::size_t)> exchange;
  if (exchanging)
    exchange = [this](std::size_t turn) {
      change(turn);
      exchanges_[turn].start();
      if (options_.meanwhile) options_.meanwhile();
      exchanges_[turn].finish();
    };
  loop_->run(steps, exchange, options_.meanwhile);
}

void ExchangeWork::step() {
  for (int i = 0; i < options_.in_a_row; ++i) {
    if (options_.fresh)
      for (std::size_t field = 0; field < together(); ++field) fields_[field].touch();
    start();
    if (options_.meanwhile) options_.meanwhile();
    finish();
  }
}

std::string ExchangeWork::check() {
  std::string wrong;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    PatternField& field = fields_[i];
    Exchange& exchange = exchanges_[i];
    const auto at = [&](std::size_t link, std::size_t element) -> const std::byte* {
      if (!exchange.direct()) return field.in_halo(link, element);
      const auto& blocks = field.pattern().receives()[link].blocks;
      std::size_t block = 0;
      while (element >= blocks[block].size()) element -= blocks[block++].size();
      const HaloView view = exchange.view(link, block);
      const std::size_t row = blocks[block].count[2], plane = blocks[block].count[1] * row;
      return view.data + static_cast<std::ptrdiff_t>(element / plane) * view.stride[0] +
             static_cast<std::ptrdiff_t>(element % plane / row) * view.stride[1] +
             static_cast<std::ptrdiff_t>(element % row * options_.element_bytes);
    };
    const auto run = [&] {
      if (options_.exchange.changes) {
        exchange.change(options_.other);
        exchange.run();
        next_[i] = options_.other;
        exchange.change(field.pattern());
      }
      exchange.run();
    };
    const std::string found = options_.exchange.combine == Combine::replace ? field.check(run, at)
                                                                            : field.check_sums(run);
    if (wrong.empty()) wrong = found;
  }
  return wrong;
}

double busiest_bytes(MPI_Comm comm, const Pattern& pattern, std::size_t element_bytes) {
  double bytes = static_cast<double>(pattern.elements_sent() * element_bytes);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, comm);
  return bytes;
}

}  // namespace halometer

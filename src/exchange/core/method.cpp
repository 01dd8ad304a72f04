#include "method.hpp"

#include "registry.hpp"

#include "exchange/routes/combine.hpp"
#include "mpi/windows.hpp"

#include <halocline/more/trace.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <mutex>
#include <set>

namespace halocline::methods {

namespace {

std::vector<int> peers_of(const std::vector<Link>& links) {
  std::vector<int> ranks;
  for (const Link& link : links) ranks.push_back(link.peer);
  return ranks;
}

}  // namespace

std::size_t Setup::element_bytes() const {
  return detail::element_bytes(send_fields());
}

std::size_t Setup::bytes(const Link& link) const {
  if (!several) return link.size() * element_bytes();
  std::vector<std::size_t> of_part;
  for (const Field& field : send_fields()) {
    const auto part = static_cast<std::size_t>(field.part);
    if (of_part.size() <= part) of_part.resize(part + 1);
    of_part[part] += field.element_bytes;
  }
  std::size_t sum = 0;
  for (const Block& block : link.blocks)
    if (const auto part = static_cast<std::size_t>(block.part); part < of_part.size())
      sum += block.size() * of_part[part];
  return sum;
}

std::size_t Setup::bytes_sent() const {
  std::size_t sum = 0;
  for (const Link& link : pattern.sends()) sum += bytes(link);
  return sum;
}

Reach Setup::reach(std::size_t number) const {
  const Field& field = fields[number];
  Reach all;
  if (number < fields_in_message()) {
    for (const Link& link : pattern.sends()) all.add(link.blocks, field);
    all.add(pattern.copies_from().blocks, field);
  }
  if (number >= first_receive_field()) {
    for (const Link& link : pattern.receives()) all.add(link.blocks, field);
    all.add(pattern.copies_to().blocks, field);
  }
  return all;
}

Setup Setup::another(const Scheme& with, const Pattern& of) const {
  return {comm.another(), of,    fields,  with,    two_way, framing,  combine,
          apart,          halos, several, unbound, {},      any_order};
}
std::vector<int> Setup::targets() const {
  return peers_of(pattern.sends());
}
std::vector<int> Setup::sources() const {
  return peers_of(pattern.receives());
}

bool Setup::keeps(const Layout& layout) const {
  return memory != nullptr ||
         std::all_of(layout.pieces().begin(), layout.pieces().end(), [&](const Piece& piece) {
           return fields[static_cast<std::size_t>(piece.field)].memory.data() != nullptr;
         });
}

namespace {
[[noreturn]] void out_of_turn(const Scheme& who, const char* said) {
  throw Error(who.str() + ": " + said);
}
}  // namespace

namespace {
/// Never destroyed: exchanges may outlive it.
std::set<const Step*>& living() {
  static auto& all = *new std::set<const Step*>;
  return all;
}
std::mutex& living_mutex() {
  static auto& one = *new std::mutex;
  return one;
}
}  // namespace

Step::Step() {
  static const bool registered =
      (detail::ask_before_end([] {
         const std::lock_guard lock(living_mutex());
         return std::any_of(living().begin(), living().end(),
                            [](const Step* one) { return one->under_way(); });
       }),
       true);
  static_cast<void>(registered);
  const std::lock_guard lock(living_mutex());
  living().insert(this);
}

Step::~Step() {
  const std::lock_guard lock(living_mutex());
  living().erase(this);
}

void Step::begin(const Scheme& who) {
  if (state_ == State::finishing)
    out_of_turn(who, "start: the step before has ended in an error; make a new exchange");
  if (state_ != State::idle) out_of_turn(who, "start: a step is under way; finish it first");
  state_ = State::started;
}

void Step::open(const Scheme& who) {
  begin(who);
  state_ = State::opened;
}

void Step::must_be_open(const Scheme& who) const {
  if (state_ != State::opened) out_of_turn(who, "ready: no step is open; call open() first");
}

void Step::finish(const Scheme& who) {
  if (state_ == State::idle) out_of_turn(who, "finish: no step is under way; start one first");
  if (state_ == State::finishing)
    out_of_turn(who, "finish: this step has ended in an error; make a new exchange");
  state_ = State::finishing;
}

Method::Method(Setup setup)
    : setup_(std::move(setup)),
      bases_(bases_of(setup_.fields)),
      local_(
          std::make_unique<detail::LayoutCopy>(setup_.send_layout(setup_.pattern.copies_from()),
                                               setup_.receive_layout(setup_.pattern.copies_to()))),
      name_(setup_.scheme.str()),
      awaited_(detail::step_with_peers(setup_)) {}

void Method::become(const Scheme& scheme) {
  setup_.scheme = scheme;
  name_ = scheme.str();
  awaited_ = detail::step_with_peers(setup_);
}

Method::~Method() = default;

bool Method::ends_alone() const {
  return detail::facts(scheme()).frames.made_alone;
}

void Method::rebind(std::span<const Field> fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    setup_.fields[f].data = fields[f].data;
    bases_[f] = static_cast<std::byte*>(fields[f].data);
  }
  rebound();
}

void Method::open() {
  const std::size_t all = pattern().elements_sent();
  missing_.store(all, std::memory_order_relaxed);
  if (all == 0) start();
}

void Method::ready(std::size_t, std::size_t, std::size_t count) {
  if (count == 0) return;
  std::size_t before = missing_.load(std::memory_order_relaxed);
  do {
    if (before < count)
      throw Error(name_ + ": ready: " + std::to_string(count) + " elements are marked ready, but " +
                  std::to_string(before) + " are not yet; mark each once in a step");
  } while (!missing_.compare_exchange_weak(before, before - count, std::memory_order_acq_rel));
  if (before == count) start();
}

bool Method::await(std::size_t, std::size_t, std::size_t) {
  return false;
}

void Method::copy_local() const {
  if (setup_.combine == Combine::replace) return local_->run(bases_, bases_);
  const Layout from = setup_.send_layout(setup_.pattern.copies_from());
  std::vector<std::byte> message(from.bytes());
  from.pack(bases_, message.data());
  detail::combine(setup_.receive_layout(setup_.pattern.copies_to()), bases_, message.data(),
                  setup_.combine, setup_.fields);
}

Pattern Method::change(Pattern, std::vector<Field>) {
  throw Error(name_ +
              ": this exchange was made for one pattern; make it with "
              "ExchangeOptions{.changes = true}");
}

Pattern Method::replace(Pattern pattern, std::vector<Field> fields) {
  for (std::size_t f = 0; f < std::min(fields.size(), setup_.fields.size()); ++f)
    fields[f].part = setup_.fields[f].part;
  if (!fields.empty()) setup_.fields = std::move(fields);
  bases_ = bases_of(setup_.fields);
  return std::exchange(setup_.pattern, std::move(pattern));
}

HaloView Method::view(std::size_t link, std::size_t number, std::size_t field) const {
  const Block& block = pattern().receives().at(link).blocks.at(number);
  const std::span<const Field> fields = setup_.receive_fields();
  if (setup_.several) {
    const detail::FieldsOfParts parts(fields);
    const auto of = parts[block.part];
    if (parts.several()) field = field < of.size() ? of[field] : fields.size();
  }
  if (field >= fields.size())
    throw Error(name_ + ": view: field " + std::to_string(field) + " of " +
                std::to_string(fields.size()));
  const Field& in = fields[field];
  std::byte* const base = bases_[setup_.first_receive_field() + field];
  const auto unit = static_cast<std::ptrdiff_t>(in.element_bytes);
  const auto place = [&](std::ptrdiff_t plane, std::ptrdiff_t row, std::ptrdiff_t element) {
    return in.place(static_cast<std::size_t>(block.offset + plane * block.stride[0] +
                                             row * block.stride[1] + element));
  };
  const std::ptrdiff_t first = place(0, 0, 0);
  if (in.is_dense()) return {base + first, {block.stride[0] * unit, block.stride[1] * unit, unit}};
  const auto [planes, rows, row] = block.count;
  const std::array<std::ptrdiff_t, 3> stride{planes > 1 ? place(1, 0, 0) - first : 0,
                                             rows > 1 ? place(0, 1, 0) - first : 0,
                                             row > 1 ? place(0, 0, 1) - first : unit};
  for (std::ptrdiff_t p = 0; p < static_cast<std::ptrdiff_t>(planes); ++p)
    for (std::ptrdiff_t r = 0; r < static_cast<std::ptrdiff_t>(rows); ++r)
      for (std::ptrdiff_t e = 0; e < static_cast<std::ptrdiff_t>(row); ++e)
        if (place(p, r, e) != first + p * stride[0] + r * stride[1] + e * stride[2])
          throw Error(name_ + ": view: block " + std::to_string(number) + " of link " +
                      std::to_string(link) + " is no box of field " + std::to_string(field));
  return {base + first, stride};
}

}  // namespace halocline::methods

namespace halocline::detail {

namespace {

std::vector<trace::detail::Link> traced(const Setup& setup, const std::vector<Link>& links) {
  std::vector<trace::detail::Link> all;
  for (const Link& link : links) all.push_back({link.peer, setup.bytes(link)});
  return all;
}

}  // namespace

std::uint16_t traced_as(const Setup& setup, MPI_Comm comm) {
  return trace::detail::describe(comm, setup.scheme.str(), traced(setup, setup.pattern.sends()),
                                 traced(setup, setup.pattern.receives()),
                                 facts(setup.scheme).waits(setup.scheme));
}

std::string ranks_text(MPI_Comm comm, std::vector<int> ranks) {
  if (mpi::detail::world_is_there()) ranks = mpi::translate(comm, ranks, world());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  constexpr std::size_t most = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  if (ranks.size() > most) text += " and " + std::to_string(ranks.size() - most) + " more";
  return text;
}

std::string step_with_peers(const Setup& setup) {
  std::vector<int> peers = setup.sources();
  const std::vector<int> targets = setup.targets();
  peers.insert(peers.end(), targets.begin(), targets.end());
  return setup.scheme.str() +
         (peers.empty() ? "" : ": a step with " + ranks_text(setup.comm, std::move(peers)));
}

namespace {
constexpr const char* change_together = "; both ends of a link must change together";
}

void refuse_length(const Setup& setup, int peer, std::size_t expected, std::size_t sent) {
  throw Error(setup.scheme.str() + ": rank " + std::to_string(mpi::rank(setup.comm)) + " expects " +
              std::to_string(expected) + " bytes from rank " + std::to_string(peer) +
              ", which sent " + std::to_string(sent) + change_together);
}

void refuse_long_message(const Setup& setup) {
  throw Error(setup.scheme.str() + ": rank " + std::to_string(mpi::rank(setup.comm)) +
              ": a message is longer than expected" + change_together);
}

bool oversubscribed(MPI_Comm comm) {
  return !mpi::all_of(comm, !Patience::yields());
}

}  // namespace halocline::detail

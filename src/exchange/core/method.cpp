#include "method.hpp"

#include "registry.hpp"

#include "exchange/routes/combine.hpp"
#include "mpi/windows.hpp"

#include <halocline/trace.hpp>
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

Setup Setup::another(const Scheme& with, const Pattern& of) const {
  return {comm.another(), of, fields, with, two_way, framing, combine, apart, halos};
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
bool left_in_the_middle = false;
std::mutex& living_mutex() {
  static auto& one = *new std::mutex;
  return one;
}
}  // namespace

Step::Step() {
  static const bool registered =
      (detail::ask_before_end([] {
         const std::lock_guard lock(living_mutex());
         return left_in_the_middle || std::any_of(living().begin(), living().end(),
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
  left_in_the_middle = left_in_the_middle || under_way();
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

void Method::open() {
  const std::size_t all = pattern().elements_sent();
  missing_.store(all, std::memory_order_relaxed);
  if (all == 0) start();
}

void Method::ready(std::size_t, std::size_t, std::size_t count) {
  if (count == 0) return;
  const std::size_t before = missing_.fetch_sub(count, std::memory_order_acq_rel);
  if (before < count)
    throw Error(name_ + ": ready: more elements are marked ready than are sent in a step");
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
  if (!fields.empty()) setup_.fields = std::move(fields);
  bases_ = bases_of(setup_.fields);
  return std::exchange(setup_.pattern, std::move(pattern));
}

View Method::view(std::size_t link, std::size_t block, std::size_t field) const {
  const Block& halo = pattern().receives().at(link).blocks.at(block);
  const std::size_t received = setup_.first_receive_field() + field;
  const auto unit = static_cast<std::ptrdiff_t>(setup_.fields.at(received).element_bytes);
  return {bases_[received] + halo.offset * unit, {halo.stride[0] * unit, halo.stride[1] * unit}};
}

}  // namespace halocline::methods

namespace halocline::detail {

namespace {

std::vector<trace::detail::Link> traced(const std::vector<Link>& links, std::size_t element_bytes) {
  std::vector<trace::detail::Link> all;
  for (const Link& link : links) all.push_back({link.peer, link.size() * element_bytes});
  return all;
}

}  // namespace

std::uint16_t traced_as(const Scheme& scheme, MPI_Comm comm, const Pattern& pattern,
                        std::size_t element_bytes) {
  return trace::detail::describe(comm, scheme.str(), traced(pattern.sends(), element_bytes),
                                 traced(pattern.receives(), element_bytes),
                                 facts(scheme).waits(scheme));
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

bool oversubscribed(MPI_Comm comm) {
  return !mpi::all_of(comm, !Patience::yields());
}

}  // namespace halocline::detail

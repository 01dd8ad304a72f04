#include <halocline/more/section.hpp>

#include "base/text.hpp"
#include "common_choice.hpp"
#include "running.hpp"

#include <algorithm>
#include <utility>

namespace halocline {

namespace {

/// A choice of the program's own.
class OwnChoice final : public detail::Choosable {
 public:
  OwnChoice(std::string name, std::span<const int> values)
      : name_(std::move(name)), values_(values.begin(), values.end()) {}

  std::size_t options() const override { return values_.size(); }
  std::string option(std::size_t number) const override {
    return name_ + "=" + std::to_string(values_[number]);
  }
  void use(std::size_t number) override { now_ = number; }

  const std::string& name() const noexcept { return name_; }
  std::span<const int> values() const noexcept { return values_; }
  int value() const noexcept { return values_[now_]; }

 private:
  std::string name_;
  std::vector<int> values_;
  std::size_t now_ = 0;
};

template <class State>
State& still_here(const std::unique_ptr<State>& state) {
  if (!state) throw Error("section: this one has been moved from; use the one it was moved to");
  return *state;
}

/// So much that sums and quotients of a run's laps are finite.
constexpr double least_work = 1e-100, most_work = 1e100;

void must_be_work(double work) {
  if (!(work >= least_work && work <= most_work))
    throw Error("section: a lap of " + base::text(work) +
                " work; it is above 0 and finite, from 1e-100 to 1e100");
}

/// Why one of these cannot be in a section on `comm`, or nothing.
std::string objection(MPI_Comm comm, std::span<methods::Method* const> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    methods::Method& one = *all[i];
    const std::string which =
        "section: exchange " + std::to_string(i) + " by " + one.setup().scheme.str();
    if (!detail::chooses_while_running(one))
      return which +
             " chooses nothing while it runs; make it with auto+when=running, each for one section";
    if (std::ranges::count(all, all[i]) > 1)
      return which + " is named twice; a section has each of its exchanges once";
    if (detail::laps_of(one) == nullptr)
      return which + " is, or was, in another section; make another one, each for one section";
    int likeness = MPI_UNEQUAL;
    HALOCLINE_MPI(MPI_Comm_compare, one.setup().comm, comm, &likeness);
    if (likeness != MPI_IDENT && likeness != MPI_CONGRUENT)
      return which + " is on a communicator of other ranks than the section's; give it that one";
  }
  return {};
}

}  // namespace

struct Section::Lap::State {
  explicit State(MPI_Comm comm) : channel(methods::Channel::on(comm)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { part_from_lap(); }
  /// The lap that `lap()` has begun will end nothing any more.
  void part_from_lap() noexcept {
    if (lap != nullptr) std::exchange(lap, nullptr)->section_ = nullptr;
  }
  const Lap* lap = nullptr;  ///< which stays where it is
  methods::Channel channel;
  std::vector<std::shared_ptr<OwnChoice>> choices{};
  std::vector<std::shared_ptr<detail::Choosable>> common{};
  detail::Laps laps{channel, "section", detail::lap_rules(channel)};
};

Section::Section(MPI_Comm comm, std::span<Exchange* const> exchanges)
    : state_(std::make_unique<Lap::State>(comm)) {
  // All are looked at first: where one does not fit, the others keep laps of their own.
  std::vector<methods::Method*> all;
  for (const Exchange* const exchange : exchanges) all.push_back(&exchange->method());
  mpi::agree(comm, objection(comm, all));
  std::vector<std::vector<std::shared_ptr<detail::Choosable>>> alike;
  for (Exchange* const exchange : exchanges) {
    auto candidates = choosable(*exchange);
    const auto others = std::ranges::find(
        alike, candidates->likeness(), [](const auto& some) { return some.front()->likeness(); });
    if (others != alike.end())
      others->push_back(std::move(candidates));
    else
      alike.push_back({std::move(candidates)});
  }
  for (auto& some : alike) {
    if (some.size() > 1)
      some = {state_->common.emplace_back(std::make_shared<detail::CommonChoice>(std::move(some)))};
    state_->laps.add(some.front());
  }
}
std::shared_ptr<detail::Choosable> Section::choosable(const Exchange& exchange) {
  return detail::join(exchange.method());
}

void Section::add(const std::shared_ptr<detail::Choosable>& choosable) {
  still_here(state_).laps.add(choosable);
}

std::shared_ptr<detail::Choosable> Section::member(std::size_t number) const {
  return still_here(state_).laps.member(number);
}

Section::~Section() = default;
Section::Section(Section&&) noexcept = default;
Section& Section::operator=(Section&&) noexcept = default;

Section::Lap::Lap(State& section, double work) : section_(&section), work_(work) {
  section.lap = this;
}

Section::Lap::~Lap() {
  if (section_ == nullptr) return;
  section_->laps.end(work_);
  section_->lap = nullptr;
}

Section::Lap Section::lap(double work) {
  must_be_work(work);
  begin();
  return Lap(*state_, work);
}

void Section::begin() {
  still_here(state_).laps.must_be_at_rest();
  state_->laps.compare_proposals();
  state_->laps.begin();
}

void Section::end(double work) {
  if (!still_here(state_).laps.open()) throw Error("section: no lap is under way; begin one first");
  must_be_work(work);
  still_here(state_).part_from_lap();
  still_here(state_).laps.end(work);
}

int Section::choice(const std::string& name, std::span<const int> values) {
  for (const auto& one : still_here(state_).choices) {
    if (one->name() != name) continue;
    if (!std::ranges::equal(one->values(), values))
      throw Error("section: choice '" + name + "' had other values before; it keeps them");
    return one->value();
  }
  if (values.empty()) throw Error("section: choice '" + name + "' has no values; give it some");
  std::string words = "'" + name + "' of";
  for (const int value : values) words += " " + std::to_string(value);
  still_here(state_).choices.push_back(std::make_shared<OwnChoice>(name, values));
  still_here(state_).laps.propose(still_here(state_).choices.back(), std::move(words));
  return values.front();
}

bool Section::decided() const {
  return still_here(state_).laps.contest() != nullptr &&
         still_here(state_).laps.contest()->decided();
}
long Section::laps() const {
  return still_here(state_).laps.made();
}
Section::Findings Section::findings() const {
  return still_here(state_).laps.findings();
}
Section::Findings Section::findings(const Exchange& exchange) {
  const detail::Laps* const laps = detail::laps_of(exchange.method());
  if (laps == nullptr)
    throw Error("section: an exchange by " + exchange.scheme().str() +
                " has no laps of its own; make it with auto+when=running, and ask its section if "
                "it is in one");
  return laps->findings();
}
std::string Section::report() const {
  return still_here(state_).laps.report();
}

}  // namespace halocline

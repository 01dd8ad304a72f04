#include "running.hpp"

#include "base/text.hpp"
#include "base/variable.hpp"
#include "counsel.hpp"
#include "exchange/core/comm_context.hpp"
#include "exchange/core/inner.hpp"
#include "exchange/routes/framed.hpp"
#include "exchange/routes/on_device.hpp"
#include "mpi/collectives.hpp"

#include <halocline/more/tuner.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

namespace halocline::detail {

namespace {

/// What is the same on all ranks of it.
std::string likeness_of(const Situation& situation) {
  const Situation::Shape& pattern = situation.pattern;
  std::string text =
      situation.job.asked + ' ' + pattern.memory + ' ' + std::to_string(pattern.fields);
  for (const double size : pattern.sizes) text += ' ' + base::text(size);
  return text + (pattern.two_way ? " two ways" : "");
}

/// Shared memory and windows, which these have not, take most of the time of setting up: 15 to 100
/// times as long as p2p:nonblocking was measured.
constexpr double dearest = 50;
bool is_cheap(const Scheme& scheme) {
  return !scheme.matches("shm:*") && !scheme.matches("rma:*");
}

/// Those of a communicator that live: exchanges in one situation share one, and with it what was
/// read for it. On rank 0.
struct Advisers {
  explicit Advisers(MPI_Comm) {}
  std::map<std::string, std::weak_ptr<Adviser>> all{};
};

/// The schemes of one exchange, each set up when it is used first. All work on the same fields.
class Candidates final : public Choosable {
 public:
  explicit Candidates(const Setup& setup)
      // Halos are filled, since what a caller reads in place it may not look for in each step anew.
      : setup_(setup),
        asked_(setup.scheme.without("when").without("access")),
        on_device_(on_device(setup)) {
    // What `auto` has chosen for such a pattern when it was made is known here, too.
    const Situation here = situation(setup_.another(asked_, setup_.pattern));
    likeness_ =
        likeness_of(here) + ' ' + (setup_.combine == Combine::replace ? "replaces" : "combines");
    std::weak_ptr<Adviser>& known = setup_.comm.shared<Advisers>("advisers").all[likeness_];
    mpi::together(setup_.comm, [&] {
      if (mpi::rank(setup_.comm) > 0) return;
      adviser_ = known.lock();
      if (!adviser_) known = adviser_ = make_adviser(asked_.with("when", "running"), here);
    });
    several_islands_ = mpi::size(setup_.comm) > here.job.ranks_per_island;
    // Other programs on these cores disturb the one or the other: the ranks talk about twice as
    // often to set up p2p:nonblocking as for this.
    const auto asks = std::chrono::steady_clock::now();
    lore_ = lore(setup_.comm, adviser_.get());
    add(lore_.favourite);
    const auto since = std::chrono::steady_clock::now();
    if (!prepare(0).empty()) {
      all_.clear();
      add("p2p:nonblocking");
      set_up(all_.front());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
    const std::chrono::duration<double> expected =
        is_cheap(all_.front().scheme) ? dearest * std::min<decltype(took)>(took, 2 * (since - asks))
                                      : took;
    set_up_ = mpi::from_rank(setup_.comm, 0, expected.count());
    survived(0);  // to be set up; laps may begin much later
    for (std::size_t i = 0; i < lore_.others.size(); ++i) {
      const Section::Tried& one = lore_.others[i];
      if (one.what == lore_.favourite && one.times.value > 0) times_of_favourite_ = one.times.value;
      if (one.times.value > 0 && one.what != lore_.favourite &&
          (!runner_up_ || one.times.value < lore_.others[*runner_up_].times.value))
        runner_up_ = i;
    }
    // Where nothing is sent there is nothing to choose.
    if (here.pattern.sizes[0] == 0) adviser_.reset();
    if (here.pattern.sizes[0] > 0) enter(lore_.first);
  }

  std::size_t options() const override { return all_.size(); }
  std::string option(std::size_t number) const override { return all_[number].scheme.str(); }
  std::optional<std::size_t> yardstick() const override {
    const auto found = std::ranges::find(all_, Scheme("p2p:nonblocking"), &Candidate::scheme);
    if (found == all_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all_.begin());
  }
  std::string likeness() const override { return likeness_; }
  std::vector<Section::Tried> left_out() const override { return left_out_; }

  double set_up() const override { return set_up_; }
  std::string prepare(std::size_t number) override {
    Candidate& one = all_[number];
    if (one.method) return {};
    trying(number);
    std::string refusal;
    try {
      set_up(one);
    } catch (const Timeout&) {
      failed(number);
      throw;  // the ranks are no longer together
    } catch (const Error& problem) {
      refusal = std::string("refused: ") + problem.what();  // the same on all ranks
      survived(number);
    }
    return refusal;
  }
  void begins() override { trying(0); }
  void survived(std::size_t number) override {
    if (adviser_) adviser_->survived(all_[number].scheme);
  }
  void failed(std::size_t number) {
    if (adviser_) adviser_->failed(all_[number].scheme);
  }
  /// The scheme in use has thrown.
  void failed() { failed(now_); }
  /// An option that lost in an earlier run is tried again if it was the one compared with, or came
  /// close: if it wins now, things have changed.
  Prior prior(std::size_t number) const override {
    const std::string name = option(number);
    const auto known = std::ranges::find(lore_.others, name, &Section::Tried::what);
    if (known == lore_.others.end()) return {};
    const bool again =
        number == yardstick() || (runner_up_ && &*known == &lore_.others[*runner_up_]);
    return {known->times.value / times_of_favourite_, again ? "" : known->why};
  }
  void conclude(const Section::Findings& laps, const Section::Chosen& mine, bool end) override {
    if (adviser_) adviser_->conclude(laps, mine, end);
  }
  void use(std::size_t number) override { wanted_ = number; }
  bool dismiss(std::size_t number) override {
    if (number == now_ || number == wanted_) return false;
    if (number > 0) all_[number].method.reset();  // with that a section would begin
    return true;
  }
  void settle() override {
    if (on_settling_) on_settling_();
  }
  void on_settling(std::function<void()> act) { on_settling_ = std::move(act); }
  bool busy() const noexcept override { return step_ != nullptr && step_->under_way(); }

  std::size_t more(std::size_t number) override {
    std::vector<Scheme> wanted;
    if (adviser_)
      wanted = variants(of(number), asked_, several_islands_, !setup_.pattern.stages().empty(),
                        on_device_ && asked_.is("device", "auto"));
    const std::size_t before = all_.size();
    enter(counsel(setup_.comm, adviser_.get(), wanted));
    return all_.size() - before;
  }

  /// The caller's.
  void follow(const Step& step) { step_ = &step; }
  /// The caller lets go of the exchange, perhaps before what chooses for it.
  void leave() noexcept {
    on_settling_ = {};
    leaves();
    step_ = nullptr;
  }
  /// And it ends.
  void end() noexcept { all_.clear(); }

  Inner& method() { return *all_[now_].method; }
  /// The one in use, which may have made choices of its own.
  const Scheme& scheme() const { return of(now_); }
  /// Before a step: what is wanted is in use from now on. Whether something else was.
  bool change() noexcept { return std::exchange(now_, wanted_) != wanted_; }

 private:
  /// What a job does not survive the next one leaves out, and begins with p2p:nonblocking.
  void trying(std::size_t number) {
    const Scheme& scheme = all_[number].scheme;
    if (adviser_ && scheme.str() != "p2p:nonblocking") adviser_->trying(scheme);
  }
  struct Candidate {
    Scheme scheme;
    std::optional<Inner> method{};
  };
  void set_up(Candidate& one) const {
    const std::string& device = asked_.option("device");
    const bool stays = asked_.is("device", "auto");
    Setup setup =
        setup_.another(stays ? one.scheme : one.scheme.with("device", device), setup_.pattern);
    setup.halos = Halos::filled;
    one.method.emplace(std::move(setup));
  }
  /// What it has become, if it was used.
  const Scheme& of(std::size_t number) const {
    const Candidate& one = all_[number];
    return one.method ? one.method->method().setup().scheme : one.scheme;
  }
  /// Enters what rank 0 has listed and has no objection to.
  void enter(const std::vector<Counsel>& words) {
    for (const auto& [scheme, objection] : words)
      if (objection.empty())
        add(scheme);
      else if (std::ranges::find(left_out_, scheme.str(), &Section::Tried::what) == left_out_.end())
        left_out_.push_back({.what = scheme.str(), .why = objection});
  }
  void add(const Scheme& scheme) {
    if (std::ranges::none_of(all_, [&](const Candidate& one) { return one.scheme == scheme; }))
      all_.push_back({scheme});
  }

  const Setup& setup_;
  const Scheme asked_;
  const bool on_device_;
  std::shared_ptr<Adviser> adviser_;  // on rank 0
  double set_up_ = 0;
  bool several_islands_ = false;
  std::string likeness_;
  Lore lore_;
  std::optional<std::size_t> runner_up_;  // of these
  double times_of_favourite_ = 1;
  std::vector<Candidate> all_;
  std::size_t now_ = 0, wanted_ = 0;
  std::function<void()> on_settling_;
  std::vector<Section::Tried> left_out_;
  const Step* step_ = nullptr;
};

/// Without a section, a lap is from one start to the next.
class Running final : public Method {
 public:
  explicit Running(Setup s)
      : Method(std::move(s)), candidates_(std::make_shared<Candidates>(setup())) {
    candidates_->follow(step);
    candidates_->on_settling([this] {
      if (!candidates_->busy()) change();
    });
    asked_ = scheme();
    laps_.emplace(setup().comm, asked_.str(), lap_rules(setup().comm));
    laps_->add(candidates_);
    become(candidates_->scheme());
  }
  ~Running() override {
    leave();
    candidates_->end();
  }
  bool ends_alone() const override { return false; }
  void leave() noexcept override {
    laps_.reset();
    candidates_->leave();
  }

  void start() override {
    if (by_parts_) return;  // the last part is on its way
    begin();
    tried([this] { candidates_->method().start(measuring); });
  }
  void finish() override {
    candidates_->method().follow(stream);
    tried([this] { candidates_->method().finish(times); });
    traffic += candidates_->method().take_traffic();
    by_parts_ = false;
  }
  /// The candidate sends each part when it can; what is not ready yet is counted here, too.
  void open() override {
    begin();
    by_parts_ = true;
    tried([this] { candidates_->method().open(measuring); });
    Method::open();
  }
  void ready(std::size_t link, std::size_t first, std::size_t count) override {
    candidates_->method().ready(link, first, count);
    Method::ready(link, first, count);
  }
  /// Whether parts arrive one by one is known of this step, and of no other: of no elements it is
  /// no.
  bool await(std::size_t link, std::size_t first, std::size_t count) override {
    return count > 0 && candidates_->method().await(link, first, count);
  }
  void rebound() override { candidates_->method().rebind(setup().fields); }
  std::vector<int> awaited() const override { return candidates_->method().method().awaited(); }
  std::size_t avoidable_bytes() const override {
    return candidates_->method().method().avoidable_bytes();
  }

  const Laps* laps() const noexcept { return laps_ ? &*laps_ : nullptr; }
  std::shared_ptr<Choosable> join(const Step& of_caller) {
    if (!laps_) return nullptr;  // another section has it
    laps_.reset();
    candidates_->use(0);  // what a section takes to be in use
    candidates_->follow(of_caller);
    return candidates_;
  }

 private:
  void begin() {
    if (laps_) {
      laps_->end(1);
      laps_->begin();
    }
    change();
    candidates_->method().follow(stream);
  }
  void change() {
    if (!candidates_->change()) return;
    become(candidates_->scheme());
    // A candidate that is bound to its fields may have their addresses in other places.
    if (setup().unbound) candidates_->method().rebind(setup().fields);
  }
  template <class Act>
  void tried(Act&& act) {
    try {
      act();
    } catch (...) {
      candidates_->failed();
      throw;
    }
  }

  bool by_parts_ = false;  // this step goes part by part
  Scheme asked_{"p2p:nonblocking"};
  std::shared_ptr<Candidates> candidates_;
  std::optional<Laps> laps_;
};

}  // namespace

std::unique_ptr<Method> make_running(Setup setup) {
  return std::make_unique<Running>(std::move(setup));
}

namespace {

Running* running(Method& method) {
  Method* const behind = behind_frames(method);
  return dynamic_cast<Running*>(behind != nullptr ? behind : &method);
}

}  // namespace

std::shared_ptr<Choosable> join(Method& method) {
  Running* const found = running(method);
  return found == nullptr ? nullptr : found->join(method.step);
}

bool chooses_while_running(Method& method) {
  return running(method) != nullptr;
}

const Laps* laps_of(Method& method) {
  const Running* const found = running(method);
  return found == nullptr ? nullptr : found->laps();
}

/// Launchers need not give all ranks the same variables.
LapContest::Rules lap_rules(MPI_Comm comm) {
  LapContest::Rules rules;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) > 0) return;
    constexpr const char* right = "a share of the run above 0 and below 1, as 0.01";
    const auto share = base::positive_of("HALOCLINE_TUNING_REGRET", right);
    if (share && *share >= 1)
      throw base::wrong_variable("HALOCLINE_TUNING_REGRET",
                                 base::variable("HALOCLINE_TUNING_REGRET"), right);
    if (share) rules.regret = *share;
  });
  rules.regret = mpi::from_rank(comm, 0, rules.regret);
  return rules;
}

}  // namespace halocline::detail

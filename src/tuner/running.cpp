#include "running.hpp"

#include "base/variable.hpp"
#include "counsel.hpp"
#include "exchange/core/inner.hpp"
#include "exchange/routes/framed.hpp"
#include "exchange/routes/on_device.hpp"
#include "mpi/collectives.hpp"

#include <halocline/more/islands.hpp>
#include <halocline/more/tuner.hpp>

#include <algorithm>

namespace halocline::detail {

namespace {

/// The schemes of one exchange, each set up when it is used first. All work on the same fields.
class Candidates final : public Choosable {
 public:
  explicit Candidates(const Setup& setup)
      // Halos are filled, since what a caller reads in place it may not look for in each step anew.
      : setup_(setup),
        asked_(setup.scheme.without("when").without("access")),
        on_device_(on_device(setup)) {
    // What `auto` has chosen for such a pattern when it was made is known here, too.
    const Scheme asked = asked_;
    const Situation here = situation(setup_.another(asked, setup_.pattern));
    mpi::together(setup_.comm, [&] {
      if (mpi::rank(setup_.comm) == 0) adviser_ = make_adviser(asked, here);
    });
    several_islands_ =
        mpi::size(setup_.comm) > mpi::size(Islands(setup_.comm, setup_.scheme.islands()).island());
    const std::string known =
        broadcast(setup_.comm, adviser_ ? adviser_->remembered() : std::string());
    if (!known.empty()) add(known);
    if (known.empty() || !prepare(0).empty()) {
      all_.clear();
      add("p2p:nonblocking");
      set_up(all_.front());
    }
    // Where nothing is sent there is nothing to choose.
    if (here.pattern.sizes[0] == 0) adviser_.reset();
    for (const Counsel& one :
         counsel(setup_.comm, adviser_.get(), adviser_ ? adviser_->first() : std::vector<Scheme>()))
      if (one.objection.empty()) add(one.scheme);
  }

  std::size_t options() const override { return all_.size(); }
  std::string option(std::size_t number) const override { return all_[number].scheme.str(); }

  std::string prepare(std::size_t number) override {
    Candidate& one = all_[number];
    if (one.method) return {};
    // What a job does not survive the next one leaves out. Other jobs wait meanwhile, so that this
    // is of its set-up alone.
    const Tournament::Announce announced = adviser_ && number > 0 ? adviser_->announce() : nullptr;
    if (announced) announced(one.scheme.str());
    std::string refusal;
    try {
      set_up(one);
    } catch (const Timeout&) {
      throw;  // the ranks are no longer together
    } catch (const Error& problem) {
      refusal = std::string("refused: ") + problem.what();  // the same on all ranks
    }
    return refusal;
  }
  void use(std::size_t number) override { wanted_ = number; }
  bool busy() const noexcept override { return step_ != nullptr && step_->under_way(); }

  std::size_t more(std::size_t number) override {
    std::vector<Scheme> wanted;
    if (adviser_)
      wanted = variants(of(number), asked_, several_islands_, !setup_.pattern.stages().empty(),
                        on_device_ && asked_.is("device", "auto"));
    const std::size_t before = all_.size();
    for (const Counsel& one : counsel(setup_.comm, adviser_.get(), wanted))
      if (one.objection.empty()) add(one.scheme);
    return all_.size() - before;
  }

  /// The caller's.
  void follow(const Step& step) { step_ = &step; }
  /// The exchange has ended before what chose for it.
  void end() {
    step_ = nullptr;
    all_.clear();
  }

  Inner& method() { return *all_[now_].method; }
  /// The one in use, which may have made choices of its own.
  const Scheme& scheme() const { return of(now_); }
  /// Before a step: what is wanted is in use from now on. Whether something else was.
  bool change() noexcept { return std::exchange(now_, wanted_) != wanted_; }

 private:
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
  void add(const Scheme& scheme) {
    if (std::ranges::none_of(all_, [&](const Candidate& one) { return one.scheme == scheme; }))
      all_.push_back({scheme});
  }

  const Setup& setup_;
  const Scheme asked_;
  const bool on_device_;
  std::unique_ptr<Adviser> adviser_;  // on rank 0
  bool several_islands_ = false;
  std::vector<Candidate> all_;
  std::size_t now_ = 0, wanted_ = 0;
  const Step* step_ = nullptr;
};

/// Without a section, a lap is from one start to the next.
class Running final : public Method {
 public:
  explicit Running(Setup s)
      : Method(std::move(s)), candidates_(std::make_shared<Candidates>(setup())) {
    candidates_->follow(step);
    asked_ = scheme();
    laps_.emplace(setup().comm, asked_.str(), lap_rules());
    laps_->add(candidates_);
    become(candidates_->scheme());
  }
  ~Running() override {
    if (laps_) laps_->abandon();
    candidates_->end();
  }

  void start() override {
    if (by_parts_) return;  // the last part is on its way
    begin();
    candidates_->method().start(measuring);
  }
  void finish() override {
    candidates_->method().follow(stream);
    candidates_->method().finish(times);
    traffic += candidates_->method().take_traffic();
    by_parts_ = false;
  }
  /// The candidate sends each part when it can; what is not ready yet is counted here, too.
  void open() override {
    begin();
    by_parts_ = true;
    candidates_->method().open(measuring);
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
    if (candidates_->change()) {
      become(candidates_->scheme());
      // A candidate that is bound to its fields may have their addresses in other places.
      if (setup().unbound) candidates_->method().rebind(setup().fields);
    }
    candidates_->method().follow(stream);
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

std::shared_ptr<Choosable> join(Method& method) {
  Method* const behind = behind_frames(method);
  auto* const running = dynamic_cast<Running*>(behind != nullptr ? behind : &method);
  return running == nullptr ? nullptr : running->join(method.step);
}

LapContest::Rules lap_rules() {
  LapContest::Rules rules;
  const auto share = base::positive_of("HALOCLINE_TUNING_REGRET", "the run, as 0.01");
  if (share && *share >= 1)
    throw base::wrong_variable("HALOCLINE_TUNING_REGRET", base::variable("HALOCLINE_TUNING_REGRET"),
                               "a share of the run below 1, as 0.01");
  if (share) rules.regret = *share;
  return rules;
}

}  // namespace halocline::detail

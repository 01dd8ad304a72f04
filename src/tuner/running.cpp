#include "running.hpp"

#include "base/variable.hpp"
#include "counsel.hpp"
#include "exchange/core/inner.hpp"
#include "mpi/collectives.hpp"

#include <halocline/more/islands.hpp>
#include <halocline/more/tuner.hpp>

#include <algorithm>

namespace halocline::detail {

namespace {

/// The schemes of one exchange, each set up when it is used first. All work on the same fields.
class Candidates final : public Choosable {
 public:
  explicit Candidates(const Setup& setup) : setup_(setup) {
    // What `auto` has chosen for such a pattern when it was made is known here, too.
    const Scheme asked = setup_.scheme.without("when");
    const Situation here = situation(setup_.another(asked, setup_.pattern));
    mpi::together(setup_.comm, [&] {
      if (mpi::rank(setup_.comm) == 0) adviser_ = make_adviser(asked, here);
    });
    several_islands_ =
        mpi::size(setup_.comm) > mpi::size(Islands(setup_.comm, setup_.scheme.islands()).island());
    const std::string known =
        broadcast(setup_.comm, adviser_ ? adviser_->remembered() : std::string());
    add(Scheme(known.empty() ? "p2p:nonblocking" : known));
    // Where nothing is sent there is nothing to choose.
    if (here.pattern.sizes[0] == 0) adviser_.reset();
    for (const Counsel& one :
         counsel(setup_.comm, adviser_.get(), adviser_ ? adviser_->first() : std::vector<Scheme>()))
      if (one.objection.empty()) add(one.scheme);
    prepare(0);
    use(0);
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
      Setup setup = setup_.another(one.scheme, setup_.pattern);
      setup.halos = Halos::filled;
      one.method.emplace(std::move(setup));
    } catch (const Timeout&) {
      throw;  // the ranks are no longer together
    } catch (const Error& problem) {
      refusal = std::string("refused: ") + problem.what();  // the same on all ranks
    }
    return refusal;
  }
  void use(std::size_t number) override {
    now_ = number;
    changed_ = true;
  }
  bool busy() const noexcept override { return step_ != nullptr && step_->under_way(); }

  std::size_t more(std::size_t number) override {
    std::vector<Scheme> wanted;
    if (adviser_)
      wanted = variants(all_[number].scheme, setup_.scheme, several_islands_,
                        !setup_.pattern.stages().empty());
    const std::size_t before = all_.size();
    for (const Counsel& one : counsel(setup_.comm, adviser_.get(), wanted))
      if (one.objection.empty()) add(one.scheme);
    return all_.size() - before;
  }

  void follow(const Step& step) { step_ = &step; }
  /// The exchange has ended before what chose for it.
  void end() {
    step_ = nullptr;
    all_.clear();
  }

  Inner& method() { return *all_[now_].method; }
  const Scheme& scheme() const { return all_[now_].scheme; }
  /// Since this was asked last.
  bool changed() noexcept { return std::exchange(changed_, false); }

 private:
  struct Candidate {
    Scheme scheme;
    std::optional<Inner> method{};
  };
  void add(const Scheme& scheme) {
    if (std::ranges::none_of(all_, [&](const Candidate& one) { return one.scheme == scheme; }))
      all_.push_back({scheme});
  }

  const Setup& setup_;
  std::unique_ptr<Adviser> adviser_;  // on rank 0
  bool several_islands_ = false;
  std::vector<Candidate> all_;
  std::size_t now_ = 0;
  bool changed_ = false;
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
    if (laps_) next_lap();
    if (candidates_->changed()) {
      become(candidates_->scheme());
      candidates_->method().rebind(setup().fields);
    }
    candidates_->method().follow(stream);
    candidates_->method().start(measuring);
  }
  void finish() override {
    candidates_->method().follow(stream);
    candidates_->method().finish(times);
    traffic += candidates_->method().take_traffic();
  }
  void rebound() override { candidates_->method().rebind(setup().fields); }
  std::size_t avoidable_bytes() const override {
    return candidates_->method().method().avoidable_bytes();
  }

  std::shared_ptr<Choosable> join() {
    if (!laps_) return nullptr;  // another section has it
    laps_.reset();
    return candidates_;
  }

 private:
  void next_lap() {
    laps_->end(1);
    laps_->begin();
  }

  Scheme asked_{"p2p:nonblocking"};
  std::shared_ptr<Candidates> candidates_;
  std::optional<Laps> laps_;
};

}  // namespace

std::unique_ptr<Method> make_running(Setup setup) {
  return std::make_unique<Running>(std::move(setup));
}

std::shared_ptr<Choosable> join(Method& method) {
  auto* const running = dynamic_cast<Running*>(&method);
  return running == nullptr ? nullptr : running->join();
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

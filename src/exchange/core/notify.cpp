#include "notify.hpp"

#include "exchange/core/trade.hpp"
#include "exchange/rma/rma_words.hpp"
#include "mpi/come_to_rest.hpp"
#include "mpi/under_way.hpp"

namespace halocline::detail {

namespace {

/// Empty messages, distinguished by order alone.
class MessageNotifier final : public Notifier {
 public:
  MessageNotifier(MPI_Comm comm, const std::vector<int>& targets, const std::vector<int>& sources,
                  int tag, const char* what)
      : Notifier(targets.size()),
        comm_(comm),
        targets_(targets),
        sources_(sources),
        tag_(tag),
        what_(what),
        sends_(UnderWay::others, 2 * targets.size()),
        receives_(UnderWay::receives, sources.size()),
        odd_(targets.size(), 0) {}

  void signal(std::size_t link) override {
    // The message of two steps ago has been received, by contract.
    MPI_Request& request = sends_[2 * link + odd_[link]];
    odd_[link] ^= 1;
    wait_one(what_, request);
    HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, targets_[link], tag_, comm_, &request);
  }

  void await() override {
    for (std::size_t i = 0; i < sources_.size(); ++i)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, sources_[i], tag_, comm_, &receives_[i]);
    wait_all(what_, receives_);
  }

 private:
  MPI_Comm comm_;
  std::vector<int> targets_, sources_;
  int tag_;
  const char* what_;
  UnderWay sends_, receives_;
  std::vector<std::uint8_t> odd_;
};

/// Each source has a word of its own, which holds the number of its step.
class FlagNotifier final : public Notifier {
 public:
  FlagNotifier(const Channel& comm, const std::vector<int>& targets,
               const std::vector<int>& sources, const char* what)
      : Notifier(targets.size()),
        what_(what),
        words_(comm.shared<WordPool>("words"), sources.size() * Words::line),
        targets_(targets),
        sources_(sources.size()),
        sent_(targets.size(), 0) {
    std::vector<std::int64_t> mine(sources.size());
    for (std::size_t i = 0; i < mine.size(); ++i)
      mine[i] = words_.place() + static_cast<std::int64_t>(i * Words::line);
    places_ = trade(comm, sources, mine, targets, 1);
  }

  void signal(std::size_t link) override {
    words_.change(targets_[link], places_[link], MPI_REPLACE, ++sent_[link], what_);
  }

  void await() override {
    ++step_;
    for (std::size_t i = 0; i < sources_; ++i) words_.await(i * Words::line, step_, what_);
  }

 private:
  const char* what_;
  WordPool::Part words_;
  std::vector<int> targets_;
  std::size_t sources_;
  std::vector<std::int64_t> places_;  // of my word at each target
  std::vector<Words::Word> sent_;
  Words::Word step_ = 0;
};

/// All sources add to one word. There are two, for even and odd steps: a source may be one step
/// ahead of the others, but never two.
class CounterNotifier final : public Notifier {
 public:
  CounterNotifier(const Channel& comm, const std::vector<int>& targets,
                  const std::vector<int>& sources, const char* what)
      : Notifier(targets.size()),
        what_(what),
        words_(comm.shared<WordPool>("words"), 2 * Words::line),
        targets_(targets),
        sources_(static_cast<Words::Word>(sources.size())),
        places_(trade(comm, sources, std::vector<std::int64_t>(sources.size(), words_.place()),
                      targets, 1)),
        sent_(targets.size(), 0) {}

  void signal(std::size_t link) override {
    const auto parity = static_cast<std::int64_t>(sent_[link]++ % 2 * Words::line);
    words_.change(targets_[link], places_[link] + parity, MPI_SUM, 1, what_);
  }

  void await() override {
    const std::size_t parity = step_++ % 2;
    expected_[parity] += sources_;
    words_.await(parity * Words::line, expected_[parity], what_);
  }

 private:
  const char* what_;
  WordPool::Part words_;
  std::vector<int> targets_;
  Words::Word sources_;
  std::vector<std::int64_t> places_;  // of the words at each target
  std::vector<std::size_t> sent_;
  std::size_t step_ = 0;
  Words::Word expected_[2] = {0, 0};
};

}  // namespace

std::unique_ptr<Notifier> make_notifier(const std::string& how, const Channel& comm,
                                        const std::vector<int>& targets,
                                        const std::vector<int>& sources, int tag,
                                        const char* what) {
  if (how == "flag") return std::make_unique<FlagNotifier>(comm, targets, sources, what);
  if (how == "counter") return std::make_unique<CounterNotifier>(comm, targets, sources, what);
  return std::make_unique<MessageNotifier>(comm, targets, sources, tag, what);
}

Handshake::Handshake(const Setup& setup, int slots, const char* what)
    : channel_(setup.comm), targets_(setup.targets()), slots_(slots) {
  const std::string how = setup.scheme.option("notify");
  arrivals_ =
      make_notifier(how, setup.comm, setup.targets(), setup.sources(), setup.comm.tag(0), what);
  if (slots < 2 || !setup.two_way)
    permits_ =
        make_notifier(how, setup.comm, setup.sources(), setup.targets(), setup.comm.tag(1), what);
}

void Handshake::await_permits() {
  if (!permits_) return;
  if (unasked_ < slots_)
    ++unasked_;
  else
    permits_->await();
}

Handshake::~Handshake() {
  // The permissions for steps that do not come are on their way all the same.
  const bool at_rest = mpi::come_to_rest([this] {
    for (; permits_ && unasked_ > 0; --unasked_) permits_->await();
  });
  if (!at_rest && !abandoning()) channel_.keep();
}

}  // namespace halocline::detail

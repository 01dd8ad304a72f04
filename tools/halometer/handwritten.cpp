#include "handwritten.hpp"

#include <halocline/more/mpi.hpp>

#include "loop.hpp"

#include <sched.h>
#include <algorithm>
#include <atomic>
#include <cstring>

namespace halometer {

using namespace halocline;

namespace {

constexpr int tag = 23;

void copy_row(double* to, const double* from, std::size_t n) {
  if (n <= 4)
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
  else
    std::memcpy(to, from, n * sizeof(double));
}

void pack(const double* field, const std::vector<Block>& boxes, double* message) {
  for (const Block& box : boxes)
    each_row(box, [&](std::ptrdiff_t row) {
      copy_row(message, field + row, box.count[2]);
      message += box.count[2];
    });
}

void unpack(double* field, const std::vector<Block>& boxes, const double* message) {
  for (const Block& box : boxes)
    each_row(box, [&](std::ptrdiff_t row) {
      copy_row(field + row, message, box.count[2]);
      message += box.count[2];
    });
}

void copy(double* to, const std::vector<Block>& to_boxes, const double* from,
          const std::vector<Block>& from_boxes) {
  for (std::size_t i = 0; i < to_boxes.size(); ++i) {
    const Block &a = from_boxes[i], &b = to_boxes[i];
    for (std::size_t plane = 0; plane < b.count[0]; ++plane)
      for (std::size_t row = 0; row < b.count[1]; ++row) {
        const auto p = static_cast<std::ptrdiff_t>(plane), r = static_cast<std::ptrdiff_t>(row);
        copy_row(to + b.offset + p * b.stride[0] + r * b.stride[1],
                 from + a.offset + p * a.stride[0] + r * a.stride[1], b.count[2]);
      }
  }
}

/// The cells of a link as one keeps them by hand: an index each where they lie apart, else boxes.
class Cells {
 public:
  explicit Cells(const Link& link) : boxes_(link.blocks) {
    const auto single = [](const Block& box) { return box.size() == 1; };
    if (std::all_of(boxes_.begin(), boxes_.end(), single))
      for (const Block& box : boxes_) indices_.push_back(box.offset);
  }
  void pack(const double* field, double* message) const {
    if (indices_.empty()) return halometer::pack(field, boxes_, message);
    for (std::size_t i = 0; i < indices_.size(); ++i) message[i] = field[indices_[i]];
  }
  void unpack(double* field, const double* message) const {
    if (indices_.empty()) return halometer::unpack(field, boxes_, message);
    for (std::size_t i = 0; i < indices_.size(); ++i) field[indices_[i]] = message[i];
  }

 private:
  std::vector<Block> boxes_;
  std::vector<std::ptrdiff_t> indices_;
};

class Handwritten : public Work {
 public:
  Handwritten(MPI_Comm comm, const Pattern& pattern, std::size_t elements, const Scheme& memory,
              Rewrite rewrite, Rows owned)
      : fields_{PatternField(comm, pattern, elements, sizeof(double), memory, owned),
                PatternField(comm, pattern, elements, sizeof(double), memory, owned)},
        rewrite_(rewrite),
        loop_({&fields_[0], &fields_[1]}, rewrite,
              [&](std::size_t turn, std::size_t link, std::size_t block) {
                return fields_[turn].in_field(pattern.receives()[link].blocks[block]);
              }) {}

  void prepare() override { fields_[0].write(rewrite_); }
  void step() override { exchange(0); }
  bool alone() const override { return rewrite_ != Rewrite::none; }
  bool has_loop() const override { return rewrite_ != Rewrite::none; }
  void loop(std::size_t steps, bool exchanging) override {
    std::function<void(std::size_t)> with;
    if (exchanging) with = [this](std::size_t turn) { exchange(turn); };
    loop_.run(steps, with);
  }
  std::string check() override {
    std::string wrong;
    for (std::size_t turn = 0; turn < 2; ++turn) {
      const PatternField& field = fields_[turn];
      const std::string found = fields_[turn].check(
          [&] { exchange(turn); },
          [&](std::size_t link, std::size_t e) { return field.in_halo(link, e); });
      if (wrong.empty()) wrong = found;
    }
    return wrong;
  }

 protected:
  /// Makes the halos of one of the two fields right.
  virtual void exchange(std::size_t turn) = 0;

  double* data(std::size_t turn) const { return static_cast<double*>(fields_[turn].field().data); }
  const Pattern& pattern() const { return fields_[0].pattern(); }
  const Memory& memory(std::size_t turn) const { return fields_[turn].field().memory; }
  void copy_own(std::size_t turn) const {
    copy(data(turn), pattern().copies_to().blocks, data(turn), pattern().copies_from().blocks);
  }

 private:
  std::array<PatternField, 2> fields_;
  Rewrite rewrite_;
  Loop loop_;
};

class Messages final : public Handwritten {
 public:
  Messages(MPI_Comm comm, const Pattern& pattern, std::size_t elements, Rewrite rewrite, Rows owned)
      : Handwritten(comm, pattern, elements, "p2p:nonblocking", rewrite, owned),
        comm_(mpi::Comm::duplicate(comm)) {
    for (const Link& link : pattern.sends()) {
      leaving_.emplace_back(link);
      send_.emplace_back(link.size());
    }
    for (const Link& link : pattern.receives()) {
      arriving_.emplace_back(link);
      receive_.emplace_back(link.size());
    }
    requests_.resize(send_.size() + receive_.size(), MPI_REQUEST_NULL);
  }

 private:
  void exchange(std::size_t turn) override {
    const auto& sends = pattern().sends();
    const auto& receives = pattern().receives();
    const int arriving = static_cast<int>(receives.size());
    MPI_Request* const sending = requests_.data() + arriving;
    for (std::size_t i = 0; i < receives.size(); ++i)
      MPI_Irecv(receive_[i].data(), static_cast<int>(receive_[i].size()), MPI_DOUBLE,
                receives[i].peer, tag, comm_, &requests_[i]);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      leaving_[i].pack(data(turn), send_[i].data());
      MPI_Isend(send_[i].data(), static_cast<int>(send_[i].size()), MPI_DOUBLE, sends[i].peer, tag,
                comm_, &sending[i]);
    }
    copy_own(turn);
    for (int left = arriving; left > 0; --left) {
      int arrived = 0;
      MPI_Waitany(arriving, requests_.data(), &arrived, MPI_STATUS_IGNORE);
      const auto i = static_cast<std::size_t>(arrived);
      arriving_[i].unpack(data(turn), receive_[i].data());
    }
    MPI_Waitall(static_cast<int>(sends.size()), sending, MPI_STATUSES_IGNORE);
  }

  mpi::Comm comm_;
  std::vector<Cells> leaving_, arriving_;
  std::vector<std::vector<double>> send_, receive_;
  std::vector<MPI_Request> requests_;
};

class Copy final : public Handwritten {
 public:
  Copy(MPI_Comm comm, const Pattern& pattern, std::size_t elements, Rewrite rewrite, Rows owned)
      : Handwritten(comm, pattern, elements, "shm:signal+access=copy", rewrite, owned),
        flags_(comm, 2 * line, MemoryKind::shared) {
    std::string complaint;
    for (const Link& link : pattern.receives())
      if (memory(0).of_peer(comm, link.peer) == nullptr ||
          memory(1).of_peer(comm, link.peer) == nullptr ||
          flags_.of_peer(comm, link.peer) == nullptr)
        complaint = std::string(handwritten_copy) + ": rank " + std::to_string(link.peer) +
                    " does not share memory with rank " + std::to_string(mpi::rank(comm));
    mpi::agree(comm, complaint);
    learn_boxes(comm);
    HALOCLINE_MPI(MPI_Barrier, comm);  // flags are zero before anybody looks
  }

 private:
  void exchange(std::size_t turn) override {
    ++step_;
    flag(flags_.data(), 0).store(step_, std::memory_order_release);
    copy_own(turn);
    for (const Neighbour& one : neighbours_) {
      await(flag(one.flags, 0));
      copy(data(turn), pattern().receives()[one.link].blocks, one.fields[turn], one.boxes);
    }
    flag(flags_.data(), 1).store(step_, std::memory_order_release);
    for (const Neighbour& one : neighbours_) await(flag(one.flags, 1));
  }

  static constexpr std::size_t line = 128;  // the processor fetches cache lines in pairs
  struct Neighbour {
    std::size_t link;
    std::array<const double*, 2> fields;
    std::byte* flags;
    std::vector<Block> boxes;  // of its field
  };

  static std::atomic_ref<std::int64_t> flag(std::byte* flags, std::size_t number) {
    return std::atomic_ref(*reinterpret_cast<std::int64_t*>(flags + number * line));
  }

  void await(std::atomic_ref<std::int64_t> flag) const {
    for (int polls = 0; flag.load(std::memory_order_acquire) < step_;)
      if (++polls > 2000) sched_yield(), polls = 0;
  }

  /// Where in a neighbour's field that lies which lands in mine.
  void learn_boxes(MPI_Comm comm) {
    const auto& sends = pattern().sends();
    const auto& receives = pattern().receives();
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const int peer = receives[i].peer;
      const auto field = [&](std::size_t turn) {
        return reinterpret_cast<const double*>(memory(turn).of_peer(comm, peer));
      };
      neighbours_.push_back({i,
                             {field(0), field(1)},
                             flags_.of_peer(comm, peer),
                             std::vector<Block>(receives[i].blocks.size())});
    }
    for (Neighbour& one : neighbours_)
      HALOCLINE_MPI(MPI_Irecv, one.boxes.data(), static_cast<int>(one.boxes.size() * sizeof(Block)),
                    MPI_BYTE, receives[one.link].peer, tag, comm, &requests.emplace_back());
    for (const Link& link : sends)
      HALOCLINE_MPI(MPI_Isend, link.blocks.data(),
                    static_cast<int>(link.blocks.size() * sizeof(Block)), MPI_BYTE, link.peer, tag,
                    comm, &requests.emplace_back());
    HALOCLINE_MPI(MPI_Waitall, static_cast<int>(requests.size()), requests.data(),
                  MPI_STATUSES_IGNORE);
  }

  Memory flags_;
  std::vector<Neighbour> neighbours_;
  std::int64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Work> make_handwritten_messages(MPI_Comm comm, const Pattern& pattern,
                                                std::size_t elements, Rewrite rewrite, Rows owned) {
  return std::make_unique<Messages>(comm, pattern, elements, rewrite, owned);
}

std::unique_ptr<Work> make_handwritten_copy(MPI_Comm comm, const Pattern& pattern,
                                            std::size_t elements, Rewrite rewrite, Rows owned) {
  return std::make_unique<Copy>(comm, pattern, elements, rewrite, owned);
}

}  // namespace halometer

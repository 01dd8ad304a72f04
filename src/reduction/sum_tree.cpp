// Tree: every rank adds its part to those of its two children and passes the sum to its parent;
// the total comes down the same way. A part is asked for as late as it can be: when those of the
// children are there.

#include "async_kinds.hpp"
#include "mailbox.hpp"

namespace halocline::detail {

namespace {

class Tree final : public RoundedSum {
 public:
  explicit Tree(MPI_Comm ranks) : RoundedSum(ranks), rank_(mpi::rank(comm())) {
    for (int child = 2 * rank_ + 1; child <= 2 * rank_ + 2; ++child)
      if (child < mpi::size(comm())) children_.push_back({child, std::nullopt});
  }
  ~Tree() override { come_to_rest(); }

 private:
  enum Tag { up, down };
  struct Child {
    int rank;
    std::optional<double> sum;
  };

  bool begin(const std::function<double()>& mine) override {
    bool all = true;
    for (Child& child : children_) {
      if (!child.sum) child.sum = arrived(comm(), child.rank, up);
      all = all && child.sum;
    }
    if (!all) {
      quiet();
      return false;
    }
    sum_ = mine();
    for (Child& child : children_) sum_ += *std::exchange(child.sum, std::nullopt);
    if (rank_ != 0) up_.send((rank_ - 1) / 2, sum_);
    return true;
  }

  std::optional<double> total() override {
    quiet();
    const std::optional<double> sum =
        rank_ == 0 ? std::optional(sum_) : arrived(comm(), (rank_ - 1) / 2, down);
    for (const Child& child : children_)
      if (sum) down_.send(child.rank, *sum);
    return sum;
  }

  bool quiet() override {
    const bool up_empty = up_.empty();
    return down_.empty() && up_empty;
  }

  int rank_;
  std::vector<Child> children_;
  double sum_ = 0;  // of my subtree, in the round begun
  Outbox up_{comm(), up}, down_{comm(), down};
};

}  // namespace

std::unique_ptr<AsyncSum> make_sum_tree(MPI_Comm comm) {
  return std::make_unique<Tree>(comm);
}

}  // namespace halocline::detail

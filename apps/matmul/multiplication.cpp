#include "multiplication.hpp"

#include "product.hpp"

#include <machine/stopwatch.hpp>

#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace matmul {

using namespace halocline;

namespace {

/// Whether panels wander from rank to rank. Those that are read where they lie stay there: in
/// Cannon's algorithm, too, each rank then reads them from their owners, in the same order.
bool passes_on(const Plan& plan) {
  const bool direct = plan.scheme.has("access") && plan.scheme.is("access", "direct");
  return plan.algorithm == Algorithm::cannon && !direct;
}

}  // namespace

Part part_of(const Plan& plan, int rank) {
  const std::int64_t deepest = halocline::part_of(plan.shape.k, plan.cut.k, 0).size();
  return part_of_rank(plan.shape, plan.cut, rank, [&](Range k, const Cut& cut) {
    return plan.algorithm == Algorithm::cannon ? shifted_panels(k, cut, plan.widest, deepest)
                                               : natural_panels(k, cut, plan.widest);
  });
}

Schedule schedule_of(const Plan& plan, const Part& part) {
  // Idle ranks take part in as many exchanges as the others; the first layer is the deepest.
  const int steps = static_cast<int>(part_of(plan, 0).panels.size());
  if (passes_on(plan)) return shifting(part, steps);
  return fetching(part, steps, plan.algorithm != Algorithm::summa);
}

double bytes_needed(const Plan& plan, const Part& part) {
  if (part.idle) return 0;
  double numbers = 0;
  for (const Panel& panel : part.panels) {
    if (panel.owner_of_a == part.j)
      numbers += static_cast<double>(part.rows.size() * panel.k.size());
    if (panel.owner_of_b == part.i)
      numbers += static_cast<double>(panel.k.size() * part.columns.size());
  }
  const auto buffers = [&](int ring) {
    if (ring == 1) return 0;
    return passes_on(plan) ? static_cast<int>(part.panels.size()) / ring + 1 : 2;
  };
  numbers += static_cast<double>(part.width()) *
             (static_cast<double>(part.rows.size()) * buffers(part.cut.n) +
              static_cast<double>(part.columns.size()) * buffers(part.cut.m));
  numbers += static_cast<double>(part.columns.size()) *
             static_cast<double>(part.rows.size() + (part.cut.k - 1) * part.sum(part.l).size());
  return sizeof(double) * numbers;
}

Multiplication::Multiplication(MPI_Comm comm, const Plan& plan)
    : comm_(comm),
      plan_(plan),
      part_(part_of(plan, mpi::rank(comm))),
      supply_(comm, part_, schedule_of(plan, part_), plan.scheme,
              passes_on(plan) ? Halos::filled : Halos::in_place),
      sum_(comm, part_, plan.scheme) {}

Account Multiplication::run(const std::function<void(int)>& after) {
  Account account;
  const auto begin = machine::Clock::now();
  const auto timed = [&](auto&& act) {
    const machine::Stopwatch time(account.panels);
    act();
  };
  timed([&] {
    supply_.start(0);
    supply_.finish(0);
  });
  const std::int64_t columns = part_.columns.size();
  bool add = false;
  for (int step = 0; step < supply_.steps(); ++step) {
    timed([&] { supply_.start(step + 1); });
    const bool brings = supply_.brings(step + 1);
    bool finished = false;
    const double felt = account.panels;
    if (const Factor now = supply_.factor(step); now.k.size() > 0) {
      const machine::Stopwatch time(account.compute);
      const Factors factors{
          part_.rows.size(),        columns, now.k.size(), {now.a, now.stride_of_a},
          {now.b, now.stride_of_b}, add};
      if (brings && plan_.shape.n == 1 && plan_.threads > 1) {
        // A vector takes about as long to come as to be multiplied: one thread is there for it.
        account.panels += multiply_in_tasks(factors, sum_.block(), columns, plan_.threads,
                                            [&] { supply_.finish(step + 1); });
        finished = true;
      } else {
        // MPI moves a message on when it is called.
        std::function<void()> between;
        if (brings) between = [&] { timed([&] { let_progress(comm_); }); };
        multiply(factors, sum_.block(), columns, plan_.threads, between);
      }
      add = true;
    }
    account.compute -= account.panels - felt;
    if (!finished) timed([&] { supply_.finish(step + 1); });
    if (after) after(step);
  }
  {
    const machine::Stopwatch time(account.layers);
    sum_.run();
  }
  account.total = machine::seconds_since(begin);
  return account;
}

double Multiplication::exchanges_alone() {
  HALOCLINE_MPI(MPI_Barrier, comm_);
  const auto begin = machine::Clock::now();
  for (int step = 0; step <= supply_.steps(); ++step) {
    supply_.start(step);
    supply_.finish(step);
  }
  return machine::seconds_since(begin);
}

}  // namespace matmul

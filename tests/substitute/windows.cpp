// Windows that are used alike at every fence, and sometimes not: `windows SCENARIO [SEED]`. Each
// rank keeps a picture of what its window must hold.

#include "checked.hpp"

#include <map>
#include <string>
#include <vector>

using namespace checked;

namespace {

/// A put of so many numbers, `gap` apart at the target, to a place there.
struct Put {
  int origin, target, place, count, gap;
};

constexpr int room = 64;  // numbers of each origin in each window, twice for those that alternate

/// A window, a picture of it, and what all ranks put into all others in an epoch: the same lists on
/// all ranks.
struct Used {
  MPI_Win window = MPI_WIN_NULL;
  double* memory = nullptr;
  std::vector<double> picture, sent;
  int step = 0;

  explicit Used(bool allocate = true) {
    const auto elements = static_cast<std::size_t>(room * ranks);
    picture.assign(elements, 0);
    if (allocate) {
      MPI_Win_allocate(static_cast<MPI_Aint>(elements * sizeof(double)), sizeof(double),
                       MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    } else {
      own_.assign(elements, 0);
      memory = own_.data();
      MPI_Win_create(memory, static_cast<MPI_Aint>(elements * sizeof(double)), sizeof(double),
                     MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    }
    for (std::size_t i = 0; i < elements; ++i) memory[i] = 0;
    fence(MPI_MODE_NOPRECEDE);
  }
  void end() { MPI_Win_free(&window); }

  /// What is read here others must not put yet: another fence comes first, or a barrier does.
  void fence(int assertion = 0, bool more_to_come = false) {
    pause_at_random();
    MPI_Win_fence(assertion, window);
    if (more_to_come) return;
    for (std::size_t i = 0; i < picture.size(); ++i) expect(memory[i], picture[i], "window", step);
    ++step;
    if ((assertion & MPI_MODE_NOSUCCEED) == 0) MPI_Barrier(MPI_COMM_WORLD);
  }

  /// Carries out this rank's puts, and paints what others put here. Origin's buffers stay until the
  /// next call.
  void put(const std::vector<Put>& puts, MPI_Datatype vector = MPI_DATATYPE_NULL) {
    sent.clear();
    for (const Put& one : puts) sent.resize(sent.size() + static_cast<std::size_t>(one.count));
    std::size_t at = 0;
    for (const Put& one : puts) {
      for (int i = 0; i < one.count; ++i) {
        const double number = value(one.origin, one.target, 0, step, i);
        if (one.target == me)
          picture[static_cast<std::size_t>(one.origin * room + one.place + i * one.gap)] = number;
        sent[at + static_cast<std::size_t>(i)] = number;
      }
      if (one.origin == me) {
        const MPI_Aint place = one.origin * room + one.place;
        if (one.gap == 1)
          MPI_Put(sent.data() + at, one.count, MPI_DOUBLE, one.target, place, one.count, MPI_DOUBLE,
                  window);
        else
          MPI_Put(sent.data() + at, one.count, MPI_DOUBLE, one.target, place, 1, vector, window);
        pause_at_random();
      }
      at += static_cast<std::size_t>(one.count);
    }
  }

 private:
  std::vector<double> own_;
};

constexpr int strided = 5;
MPI_Datatype vector_type() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(strided, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

std::vector<Put> random_puts(Stream& stream) {
  std::vector<Put> puts;
  for (int origin = 0; origin < ranks; ++origin)
    for (int target = 0; target < ranks; ++target)
      for (int place = 0; place + 12 < room / 2; place += 12) {
        const int kind = stream.below(4);
        if (kind == 1) puts.push_back({origin, target, place, 1 + stream.below(10), 1});
        if (kind == 2) puts.push_back({origin, target, place, strided, 2});
      }
  if (puts.empty()) puts.push_back({0, ranks - 1, 0, 3, 1});
  return puts;
}

// ---- scenarios
// -----------------------------------------------------------------------------------

/// What happens instead of, or besides, the usual puts of a step.
using Surprise = void (*)(Used&, int step, const std::vector<Put>&, MPI_Datatype);

void steps(Stream stream, int count, Surprise surprise, bool allocate = true) {
  const std::vector<Put> puts = random_puts(stream);
  MPI_Datatype vector = vector_type();
  Used used(allocate);
  for (int step = 0; step < count; ++step) {
    if (surprise != nullptr && step >= 40)
      surprise(used, step, puts, vector);
    else
      used.put(puts, vector);
    used.fence();
  }
  used.end();
  MPI_Type_free(&vector);
}

void same(Stream stream) {
  steps(stream, 120, nullptr);
  steps(stream, 60, nullptr, false);
}

/// As halos are put: two halves in turn, an empty epoch after each, with all assertions.
void cycle(Stream stream) {
  const std::vector<Put> puts = random_puts(stream);
  std::vector<Put> others = puts;
  for (Put& one : others) one.place += room / 2;
  MPI_Datatype vector = vector_type();
  Used used;
  for (int step = 0; step < 60; ++step) {
    used.fence(MPI_MODE_NOPRECEDE, true);
    used.put(step % 2 ? others : puts, vector);
    used.fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED);
  }
  used.end();
  MPI_Type_free(&vector);
}

/// One rank puts more, or less, at some step.
void more(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    std::vector<Put> now = puts;
    if (step == 55) now.push_back({ranks - 1, 0, room / 2, 4, 1});
    used.put(now, vector);
  });
}
void less(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    std::vector<Put> now = puts;
    if (step == 55) now.pop_back();
    if (step == 60) now.clear();
    used.put(now, vector);
  });
}
/// Every step is another one from here on.
void never(Stream stream) {
  static Stream draws(1);
  draws = stream;
  steps(stream, 90, [](Used& used, int, const std::vector<Put>&, MPI_Datatype vector) {
    used.put(random_puts(draws), vector);
  });
}
/// A rank gets and accumulates besides.
void gets(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    used.put(puts, vector);
    static double got, one = 1;
    const int place = room - 1;  // of origin 0, where nobody puts
    if (step == 55 && me == ranks - 1)
      MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, place, 1, MPI_DOUBLE, MPI_SUM, used.window);
    if (step == 55 && me == 0) used.picture[static_cast<std::size_t>(place)] += 1;
    if (step == 60 && me == ranks - 1)
      MPI_Get(&got, 1, MPI_DOUBLE, 0, place, 1, MPI_DOUBLE, used.window);
    if (step == 61 && me == ranks - 1) expect(got, 1, "get", step);
  });
}
/// Nothing but a get in the very step that surprises: it finds what the last one has put.
void get_first(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    static double got = 0;
    const Put& first = puts.front();
    if (step == 56 && me == 0)
      expect(got, value(first.origin, first.target, 0, used.step - 2, 0), "get", step);
    if (step != 55)
      used.put(puts, vector);
    else if (me == 0)
      MPI_Get(&got, 1, MPI_DOUBLE, first.target, first.origin * room + first.place, 1, MPI_DOUBLE,
              used.window);
  });
}
/// Locks between fences.
void locks(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    if (step == 55) {
      MPI_Barrier(MPI_COMM_WORLD);
      static double number = 4711;
      if (me == ranks - 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, used.window);
        MPI_Put(&number, 1, MPI_DOUBLE, 0, room - 2, 1, MPI_DOUBLE, used.window);
        MPI_Win_unlock(0, used.window);
      }
      if (me == 0) used.picture[room - 2] = number;
      MPI_Barrier(MPI_COMM_WORLD);
      used.fence();
    }
    used.put(puts, vector);
  });
}
/// Post and start between fences.
void pscw(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    if (step == 55) {
      MPI_Group all = MPI_GROUP_NULL;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      MPI_Win_post(all, 0, used.window);
      MPI_Win_start(all, 0, used.window);
      const double number = 815 + me;
      MPI_Put(&number, 1, MPI_DOUBLE, (me + 1) % ranks, room - 3, 1, MPI_DOUBLE, used.window);
      MPI_Win_complete(used.window);
      MPI_Win_wait(used.window);
      MPI_Group_free(&all);
      used.picture[room - 3] = 815 + (me + ranks - 1) % ranks;
      used.fence(MPI_MODE_NOPRECEDE);
    }
    used.put(puts, vector);
  });
}
/// A datatype is freed right after the put, and another one has its handle.
void freed(Stream stream) {
  steps(stream, 80, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    if (step < 55) {
      used.put(puts, vector);
      return;
    }
    MPI_Datatype own = vector_type();
    used.put(puts, own);
    MPI_Type_free(&own);
    MPI_Type_contiguous(strided, MPI_DOUBLE, &own);
    MPI_Type_commit(&own);
    MPI_Type_free(&own);
  });
}
/// The window is freed while it is carried, and others come, also with types made for each step.
void many(Stream stream) {
  for (int i = 0; i < 9; ++i) {
    const std::vector<Put> puts = random_puts(stream);
    Used used(i % 2 == 0);
    for (int step = 0; step < 20; ++step) {
      MPI_Datatype vector = vector_type();
      used.put(puts, vector);
      if (i % 3 != 0) MPI_Type_free(&vector);
      used.fence();
      if (i % 3 == 0) MPI_Type_free(&vector);
    }
    used.end();
  }
}
/// A rank ends the job in the middle.
void abort(Stream stream) {
  steps(stream, 400, [](Used& used, int step, const std::vector<Put>& puts, MPI_Datatype vector) {
    if (step == 55 && me == ranks - 1) end_job();
    used.put(puts, vector);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(Stream)> scenarios = {
      {"same", same},   {"cycle", cycle},         {"more", more},   {"less", less},
      {"never", never}, {"gets", gets},           {"locks", locks}, {"pscw", pscw},
      {"freed", freed}, {"get_first", get_first}, {"many", many},   {"abort", abort}};
  begin(argc, argv);
  const auto chosen = scenarios.find(argc > 1 ? argv[1] : "");
  if (chosen == scenarios.end()) MPI_Abort(MPI_COMM_WORLD, 2);
  chosen->second(Stream(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1));
  return end();
}

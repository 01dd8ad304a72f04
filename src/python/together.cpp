#include "together.hpp"

#include <halocline/error.hpp>

#include <nanobind/stl/string.h>

namespace halocline::python {

std::string words_of(const nb::python_error& problem) {
  const auto text = nb::cast<std::string>(nb::str(problem.value()));
  const auto type = nb::cast<std::string>(nb::str(nb::object(problem.type().attr("__name__"))));
  return nb::isinstance(problem.value(),
                        nb::module_::import_("halocline.errors").attr("HaloclineError"))
             ? text
             : type + ": " + text;
}

void Member::let_go() noexcept {
  gone = true;
  // Without MPI an end is local.
  if (!alone && mpi::running()) return;
  object.reset();
  keeps.clear();
}

Ranks::Ranks(MPI_Comm comm)
    : comm_(mpi::Comm::duplicate(comm)), alone_(mpi::size(comm_.get()) == 1) {}

Ranks& Ranks::of(MPI_Comm comm) {
  mpi::expect_ranks(comm);
  static int key = MPI_KEYVAL_INVALID;
  if (key == MPI_KEYVAL_INVALID)
    HALOCLINE_MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, &Ranks::forget, &key, nullptr);
  void* found = nullptr;
  int there = 0;
  HALOCLINE_MPI(MPI_Comm_get_attr, comm, key, static_cast<void*>(&found), &there);
  if (there != 0) return *static_cast<Ranks*>(found);
  const Waits others;
  std::unique_ptr<Ranks> made(new Ranks(comm));
  HALOCLINE_MPI(MPI_Comm_set_attr, comm, key, made.get());
  return *made.release();
}

void Ranks::meet(const std::string& complaint, std::int64_t same, const char* what) {
  std::vector<std::int64_t> all{same, -same};
  for (const auto& member : members_) all.push_back(member->gone ? 1 : 0);
  {
    const Waits others;
    all = mpi::agree(comm_.get(), complaint, std::move(all));
  }
  if (all[0] != -all[1])
    throw Error(std::string(what) + " differs among the ranks: from " + std::to_string(all[0]) +
                " to " + std::to_string(-all[1]) + "; give the same on all of them");
  std::vector<std::shared_ptr<Member>> left, gone;
  for (std::size_t i = 0; i < members_.size(); ++i)
    (all[i + 2] == 1 ? gone : left).push_back(std::move(members_[i]));
  members_ = std::move(left);
  {
    const nb::gil_scoped_release others;
    for (const auto& member : gone) member->object.reset();
  }
}

std::shared_ptr<Member> Ranks::add(std::shared_ptr<void> object) {
  auto member = std::make_shared<Member>(Member{.object = std::move(object), .alone = alone_});
  if (!alone_) members_.push_back(member);
  return member;
}

/// When the communicator is freed, which is collective, too: so its ranks can meet once more. What
/// some still have stays for ever; so does all that is there when MPI ends, since a rank may come
/// to that alone.
int Ranks::forget(MPI_Comm comm, int, void* ranks, void*) {
  auto* const mine = static_cast<Ranks*>(ranks);
  if (comm == MPI_COMM_WORLD || !mpi::running() || Py_IsInitialized() == 0) return MPI_SUCCESS;
  const nb::gil_scoped_acquire python;
  try {
    mine->meet();
    if (mine->members_.empty()) delete mine;
  } catch (...) {  // peers are gone, or the user has no patience
  }
  return MPI_SUCCESS;
}

}  // namespace halocline::python

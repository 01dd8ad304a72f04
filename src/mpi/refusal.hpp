#pragma once
// What is refused to ranks that make something together: MPI has no further window, a node no room,
// a rank no memory. It may be refused to some of them alone, such as those of an island or of a
// neighbourhood; if only these threw, the others would wait for them for ever.

#include <halocline/more/mpi.hpp>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace halocline::mpi {

/// Why `step` fails, in words; empty if it does not. A Timeout passes, for others may not hear of
/// it, and so does what interrupts a wait.
template <class Step>
std::string complaint_of(Step&& step) {
  try {
    step();
    return {};
  } catch (const Timeout&) {
    throw;
  } catch (const Error& problem) {
    return problem.what();
  } catch (const std::bad_alloc& problem) {
    return words_of(problem);
  } catch (const std::length_error& problem) {
    return words_of(problem);
  }
}

/// The complaint of the lowest rank that has one, on all ranks; empty if none has. Collective.
std::string complaint_of_all(MPI_Comm comm, const std::string& mine);

/// Throws `complaint`, which all ranks of `comm` do.
[[noreturn]] void refuse(MPI_Comm comm, const std::string& complaint);

/// Makes things of parts of the ranks of `all`, each rank perhaps several, one after the other. A
/// rank that fails goes on with the next one, where others wait for it. In the end all ranks throw,
/// or none.
class InParts {
 public:
  explicit InParts(MPI_Comm all, std::string complaint = {})
      : all_(all), complaint_(std::move(complaint)) {}

  /// Whether it is made.
  template <class Make>
  bool make(Make&& make) {
    const std::string said = complaint_of(make);
    if (complaint_.empty()) complaint_ = said;
    return said.empty();
  }

  /// Throws the same Error on all ranks if one of them has failed, when each has ended by `undo`
  /// what it has made. Collective over `all`.
  template <class Undo>
  void agree(Undo&& undo) {
    const std::string said = complaint_of_all(all_, complaint_);
    if (said.empty()) return;
    undo();
    refuse(all_, said);
  }
  void agree() {
    agree([] {});
  }

 private:
  MPI_Comm all_;
  std::string complaint_;
};

/// While it lives, the ranks of `comm` make something. What they refuse together (`agree`, InParts)
/// is thrown by all of them, so that what they have made by then ends as it would otherwise: no
/// peer is missing. (`abandoning` is false.) Any other exception leaves it as it is.
class Making {
 public:
  explicit Making(MPI_Comm comm);
  ~Making();
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  int ranks_;
  const int* outer_;
};

}  // namespace halocline::mpi

#pragma once
// Copies of others' particles: chosen when lists are built, their positions brought at every step,
// the forces on them sent back.

#include "surroundings.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/section.hpp>
#include <halocline/ragged_exchange.hpp>

#include <optional>
#include <string>
#include <vector>

namespace md {

struct HaloSchemes {
  halocline::Scheme positions{"p2p:nonblocking"};
  halocline::Scheme forces{"p2p:nonblocking"};  ///< on their way back
  halocline::Scheme choice{"p2p:nonblocking"};  ///< of new ghosts
};

class Halo {
 public:
  /// Copies of all that is no farther than `reach` from this rank's subdomain, in that part of the
  /// surroundings that the shell keeps. Rank r has part r. Collective.
  Halo(MPI_Comm comm, const Decomposition& decomposition, Shell shell, double reach,
       const HaloSchemes& schemes);

  /// Chooses and brings the ghosts, whose positions are those of now. The order of owned particles
  /// and ghosts, and where they are in memory, stay until the next choice. `exact`: forces are
  /// integers. `kept`: their positions are going to be brought before that; where each step has a
  /// choice of its own, nothing is prepared for it. Collective.
  void choose(Particles& particles, bool exact, bool kept);

  /// The ghosts' positions of this step, if they are kept. Between both, only owned positions may
  /// be read.
  void start();
  void finish(Particles& particles);
  /// Adds the forces on ghosts to those on their originals. Not for the full shell.
  void send_back();

  /// The scheme that brings positions.
  std::string scheme() const;
  /// The section of the steps in which ghosts are kept, where schemes are chosen in steps.
  std::optional<halocline::Section>& section() noexcept { return section_; }
  const std::optional<halocline::Section>& section() const noexcept { return section_; }

 private:
  /// On its way at a choice: to which of the images that the link serves, and where it is there.
  struct Copy {
    std::int64_t image;
    Vector position;
  };

  void bind(Particles& particles, bool exact, bool kept);
  halocline::Pattern pattern(const Particles& particles) const;

  MPI_Comm comm_;
  int me_;
  Shell shell_;
  HaloSchemes schemes_;
  Surroundings around_;
  std::optional<halocline::RaggedExchange> choice_;
  std::optional<halocline::Exchange> positions_, forces_;  ///< from the first choice on
  std::optional<halocline::Section> section_;
};

}  // namespace md

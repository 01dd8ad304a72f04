#pragma once
// Copies of others' particles: chosen when lists are built, their positions brought at every step,
// the forces on them sent back.

#include "decomposition.hpp"

#include <halocline/exchange.hpp>
#include <halocline/ragged_exchange.hpp>

#include <optional>
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

  /// By which positions come.
  const halocline::Scheme& scheme() const noexcept {
    return positions_ ? positions_->scheme() : choice_->scheme();
  }

 private:
  /// What one image keeps of me, or I of it.
  struct Copies {
    int part;
    Vector away;                       ///< from where the owner has them
    Zone zone = anywhere;              ///< of those that I keep
    Region region{};                   ///< of those that I give: who keeps them, as I see it
    unsigned borders = 0;              ///< those of mine that they have to be near, a set of bits
    std::vector<int> chosen{};         ///< of my particles, for it
    std::size_t first = 0, count = 0;  ///< of my ghosts, from it
  };
  /// On its way at a choice: to which of the images that the link serves, and where it is there.
  struct Copy {
    std::int64_t image;
    Vector position;
  };

  void select(const Particles& particles);
  void bind(Particles& particles, bool exact, bool kept);
  halocline::Pattern pattern(const Particles& particles) const;

  MPI_Comm comm_;
  int me_;
  Shell shell_;
  double reach_;
  HaloSchemes schemes_;
  Region mine_;
  // In the order of ranks, then of shifts as those see them who keep the copies.
  std::vector<Copies> kept_, given_;
  std::array<std::vector<int>, 64> towards_;  ///< which of `given_` may want what is near borders
  std::vector<int> near_;                     ///< which of them each owned particle is near
  std::vector<int> sources_, targets_;
  std::optional<halocline::RaggedExchange> choice_;
  std::optional<halocline::Exchange> positions_, forces_;  ///< from the first choice on
};

}  // namespace md

// LAMMPS' data files and extended XYZ as the programs write them that are used most, and what is
// refused, with its line.

#include "common/complaint.hpp"

#include <formats/particles.hpp>

#include <gtest/gtest.h>

#include <filesystem>

using namespace formats;

namespace {

struct Content {
  ParticleHead head;
  std::vector<ParticleFact> facts;
  std::vector<std::string> notes;
};

class Particles : public testing::Test {
 protected:
  Particles() { std::filesystem::create_directory(folder_); }
  ~Particles() override { std::filesystem::remove_all(folder_); }

  Content read(const std::string& name, const std::string& text) {
    const std::string file = folder_ + "/" + name;
    std::ofstream(file, std::ios::binary) << text;
    const auto reader = open_particles(file, "f");
    Content content;
    while (reader->next(content.facts)) continue;
    EXPECT_FALSE(reader->next(content.facts));
    content.head = reader->head();
    content.notes = reader->notes();
    return content;
  }
  /// With its words, but for where the file is.
  std::string refusal(const std::string& name, const std::string& text) {
    return complaint([&] { read(name, text); });
  }

 private:
  const std::string folder_ = testing::TempDir() + "particles-" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old;
  return text.replace(at, old.size(), by);
}

// --- LAMMPS ---

class Lammps : public Particles {
 protected:
  Content read(const std::string& text) { return Particles::read("in.data", text); }
  std::string refusal(const std::string& text) { return Particles::refusal("in.data", text); }
  std::string without(const std::string& old, const std::string& by) {
    return refusal(replaced(all, old, by));
  }

  const std::string head =
      "LAMMPS data file via write_data, version 2 Aug 2023, timestep = 0, units = lj\n"
      "\n"
      "2 atoms\n"
      "1 atom types\n"
      "\n"
      "0 10 xlo xhi\n"
      "-1 9 ylo yhi\n"
      "0 1.0e+1 zlo zhi\n"
      "\n";  // 9 lines
  const std::string masses = "Masses\n\n1 2.5  # Ar\n\n";
  const std::string pairs = "Pair Coeffs # lj/cut\n\n1 3 1.1 4.0\n\n";
  const std::string atoms = "Atoms # atomic\n\n2 1 9.5 0 1 0 0 -1\n1 1 +1.5D0 2 3 0 0 0\n\n";
  const std::string velocities = "Velocities\n\n1 0.1 0 0\n2 0 0 -0.1\n";
  const std::string all = head + masses + pairs + atoms + velocities;
};

TEST_F(Lammps, WhatWriteDataWritesIsRead) {
  const Content content = read(all);
  EXPECT_EQ(content.head.particles, 2);
  EXPECT_EQ(content.head.origin, (Vector{0, -1, 0}));
  EXPECT_EQ(content.head.edges, (Vector{10, 10, 10}));
  EXPECT_EQ(content.head.mass, 2.5);
  EXPECT_EQ(content.head.epsilon, 3);
  EXPECT_EQ(content.head.sigma, 1.1);
  EXPECT_EQ(content.head.cutoff, 4);
  ASSERT_EQ(content.facts.size(), 4u);
  EXPECT_EQ(content.facts[1].id, 1);
  EXPECT_EQ(content.facts[1].values, (Vector{1.5, 2, 3}));
  EXPECT_EQ(content.facts[1].line, 21);
  EXPECT_EQ(content.facts[3].kind, ParticleFact::Kind::velocity);
  EXPECT_EQ(content.facts[3].values, (Vector{0, 0, -0.1}));
  EXPECT_TRUE(content.notes.empty());
}

TEST_F(Lammps, SectionsHaveAnyOrder) {
  const Content content = read(head + atoms + velocities + "\n" + pairs + masses);
  EXPECT_EQ(content.head.mass, 2.5);
  EXPECT_EQ(content.head.epsilon, 3);
  EXPECT_EQ(content.head.cutoff, 4);
  EXPECT_EQ(content.facts.size(), 4u);
  EXPECT_EQ(refusal(head + velocities + "\n" + atoms), "f:10: Velocities come after Atoms");
  EXPECT_EQ(refusal(all + "\n" + masses), "f:28: there is a section Masses in line 10 already");
}

TEST_F(Lammps, AtomStylesThatFitAreRead) {
  const auto of_style = [&](const std::string& style, const std::string& columns) {
    const Content content = read(head + "Atoms  # " + style + "\n\n1 " + columns + "1 2 3\n2 " +
                                 columns + "1 2 4 0 0 0 # last\n");
    EXPECT_EQ(content.facts.at(1).values, (Vector{1, 2, 4})) << style;
  };
  of_style("atomic", "1 ");
  of_style("atomic/kk", "1 ");
  of_style("charge", "1 0.0 ");
  for (const char* style : {"bond", "angle", "molecular"}) of_style(style, "7 1 ");
  of_style("full", "7 1 0 ");
  EXPECT_EQ(without("# atomic", "#sphere"),
            "f:18: atoms are of style sphere; atomic, charge, bond, angle, molecular and full are "
            "read");
  EXPECT_EQ(refusal(head + "Atoms # charge\n\n1 1 -0.8 1 2 3\n"),
            "f:12: charge -0.8; particles have no charge here");
  EXPECT_EQ(refusal(head + "Atoms\n\n1 1 0 1 2 3\n"),
            "f:12: has 6 columns; what they are must be said, such as 'Atoms # charge' or 'Atoms # "
            "full'");
  EXPECT_EQ(refusal(head + "Atoms # full\n\n1 7 1 1 2 3\n"),
            "f:12: has 6 columns; an atom is: id molecule type charge x y z, perhaps three image "
            "numbers");
}

TEST_F(Lammps, CoefficientsOfAnotherPotentialAreRefused) {
  const auto styled = [&](const std::string& style) { return without("# lj/cut", "# " + style); };
  EXPECT_EQ(styled("morse"), "f:14: coefficients are of pair style morse; lj/cut is read");
  EXPECT_EQ(styled("lj/cut/coul/cut"),
            "f:14: coefficients are of pair style lj/cut/coul/cut; lj/cut is read");
  EXPECT_EQ(styled("hybrid"), "f:14: coefficients are of pair style hybrid; lj/cut is read");
  EXPECT_EQ(styled("lj/cut/omp"), "");
  EXPECT_EQ(without("1 3 1.1 4.0", "1 lj/cut 3 1.1"), "f:16: epsilon 'lj/cut' is no number");
  EXPECT_EQ(without("1 3 1.1 4.0", "1 3 1.1 4.0 5 6"),
            "f:16: has 6 columns; those of lj/cut are: type epsilon sigma, perhaps a cut-off");
  EXPECT_EQ(without("1 3 1.1 4.0", "1 3 1.1 -4"), "f:16: cut-off -4 must be above 0");
  EXPECT_EQ(without("1 2.5", "1 -1"), "f:12: mass -1 must be above 0");
}

TEST_F(Lammps, SectionsAreAsLongAsTheyShould) {
  EXPECT_EQ(without("1 3 1.1 4.0\n", ""), "f:17: a new section after 0 of 1 lines of Pair Coeffs");
  EXPECT_EQ(without("2 0 0 -0.1\n", ""), "f: ends after line 25 with 1 of its 2 velocities");
  EXPECT_EQ(without("1 2.5", "1 2.5\n1 2.5"),
            "f:13: there are more lines of Masses than the 1 it says");
  EXPECT_EQ(refusal(head + masses), "f: has no section Atoms");
  EXPECT_EQ(without("2 atoms", "1000000000000 atoms"),
            "f:23: a new section after 2 of 1000000000000 atoms");
}

TEST_F(Lammps, TypesAreOneKindOfParticles) {
  const std::string two = replaced(head, "1 atom types", "3 atom types");
  const std::string both = "Atoms\n\n1 1 1 1 1\n2 3 2 2 2\n\n";
  const auto read_masses = [&](const std::string& of_3) {
    return refusal(two + "Masses\n\n1 2\n2 9\n3 " + of_3 + "\n\n" + both);
  };
  EXPECT_EQ(read_masses("2"), "");  // type 2 does not occur
  EXPECT_EQ(
      read_masses("3"),
      "f:14: says something else than line 12; particles are of one kind here, with one mass, "
      "epsilon, sigma and cut-off");
  const auto read_pairs = [&](const std::string& of_13) {
    return refusal(two + both + "PairIJ Coeffs # lj/cut\n\n1 1 1 1 3\n1 2 9 1 3\n1 3 " + of_13 +
                   "\n2 2 8 1 3\n2 3 7 1 3\n3 3 1 1 3\n");
  };
  EXPECT_EQ(read_pairs("1 1 3"), "");
  EXPECT_EQ(read_pairs("1 1 4").substr(0, 45), "f:19: says something else than line 17; parti");
  EXPECT_EQ(
      refusal(two + "Atom Type Labels\n\n1 Ar\n2 Kr\n3 C-3\n\nMasses\n\nAr 2\nKr 4\nC-3 2\n\n" +
              "Atoms\n\n1 Ar 1 1 1\n2 C-3 2 2 2\n"),
      "");
  EXPECT_EQ(refusal(two + "Atoms\n\n1 4 1 1 1\n"), "f:12: type 4; there are 1 to 3");
}

TEST_F(Lammps, HeadersSayNothingThatWouldBeLost) {
  const auto with = [&](const std::string& line) {
    return without("1 atom types\n", "1 atom types\n" + line + "\n");
  };
  EXPECT_EQ(with("0 bonds\n0 crossterms\n2 bond types\n3 extra bond per atom\n0 0 0 xy xz yz"), "");
  EXPECT_EQ(with("1 bonds").substr(0, 24), "f:5: there are 'bonds'; ");
  EXPECT_EQ(with("0 1 0 xy xz yz").substr(0, 22), "f:5: the box is tilted");
  EXPECT_EQ(with("10 0 0 avec").substr(0, 31), "f:5: a box of general vectors; ");
  EXPECT_EQ(refusal(all + "\nBonds\n\n1 1 1 2\n").substr(0, 40),
            "f:28: section 'Bonds' is not one that is");
  const Content content = read(replaced(all, "1 atom types", "1 atom types\n1 bond types") +
                               "\nBond Coeffs\n\n1 100 1\n");
  EXPECT_EQ(content.notes, std::vector<std::string>{"f: section Bond Coeffs is not used"});
  EXPECT_EQ(content.head.mass, 2.5);
}

// --- Extended XYZ ---

class Xyz : public Particles {
 protected:
  Content read(const std::string& pairs, const std::string& columns = "") {
    return Particles::read("F.XYZ", text(pairs, columns));
  }
  std::string refusal(const std::string& pairs, const std::string& columns = "") {
    return Particles::refusal("F.XYZ", text(pairs, columns));
  }
  static std::string text(const std::string& pairs, const std::string& columns) {
    return "2\n" + pairs + "\nX 1 +1 1" + columns + "\nX 4 4 4.D0" + columns + "\n";
  }
  const std::string lattice = "Lattice=\"9 0 0 0 8 0 0 0 7\"";
  const std::string places = " Properties=species:S:1:pos:R:3";
};

TEST_F(Xyz, BoxesAreWrittenInManyWays) {
  for (const char* box :
       {"Lattice=\"9 0 0 0 8 0 0 0 7\"", "Lattice = '9.0 0 0  0 8 0 0 0 7'",
        "Lattice={9 0 0 0 8 0 0 0 7}", "Lattice={{9 0 0} {0 8 0} {0 0 7}}",
        "Lattice= [[9,0,0],[0,8,0],[0,0,7]]", "Lattice =[[9, 0, 0], [0, 8, 0], [0, 0, 7]]",
        "Lattice=\"9 8 7\"", "\"Lattice\"=\"9 0 0 0 8 0 0 0 7\"",
        "Lattice=\"9 0 5.5e-16 0 8 0 0 0 7\" title=\"a \\\"b\\\" = c\" free words"}) {
    const Content content = read(box + places);
    EXPECT_EQ(content.head.edges, (Vector{9, 8, 7})) << box;
    EXPECT_EQ(content.head.open, (std::array<bool, 3>{})) << box;
    EXPECT_EQ(content.facts.at(0).values, (Vector{1, 1, 1}));
  }
  EXPECT_EQ(read(lattice).facts.size(), 2u);  // as properties are unless they are told
  EXPECT_EQ(refusal("Lattice=\"9 0 0 1 8 0 0 0 7\""),
            "f:2: Lattice: the box must be rectangular, with edges along x, y and z");
  EXPECT_EQ(refusal("water").substr(0, 14), "f:2: has no La");
  EXPECT_EQ(refusal("Lattice=\"9 0 0 0 8 0 0 0 7 pbc=T"),
            "f:2: what begins with '\"9 0 0 0 8 0 0 0 7 p...' has no end");
  EXPECT_EQ(refusal("Lattice=[9 0 0 0 8 0 0 0 7").substr(0, 24), "f:2: what begins with '[");
}

TEST_F(Xyz, AxesArePeriodicInManyWays) {
  for (const char* pbc :
       {"pbc=\"T T F\"", "pbc=[True, true,False]", "pbc={1 1 0}", "pbc=TTF", "pbc=\"TRUE T 0\""})
    EXPECT_EQ(read(lattice + " " + pbc).head.open, (std::array{false, false, true})) << pbc;
  EXPECT_EQ(read(lattice + " pbc=F").head.open, (std::array{true, true, true}));
  EXPECT_EQ(refusal(lattice + " pbc=\"T F\""), "f:2: pbc must be three of T and F, not 'T F'");
  EXPECT_EQ(refusal(lattice + " pbc=\"2 T F\""), "f:2: pbc must be three of T and F, not '2 T F'");
}

TEST_F(Xyz, ColumnsAreInAnyOrder) {
  const Content content =
      read(lattice + places + ":forces:R:3:id:I:1:momenta:R:3:mass:R:1", " 7 7 7 5 1 2 3 4");
  ASSERT_EQ(content.facts.size(), 4u);
  EXPECT_EQ(content.facts[0].id, 5);
  EXPECT_EQ(content.facts[1].kind, ParticleFact::Kind::momentum);
  EXPECT_EQ(content.facts[1].values, (Vector{1, 2, 3}));
  EXPECT_EQ(content.head.mass, 4);
  EXPECT_EQ(content.notes, std::vector<std::string>{"f: not read are the columns forces"});
  for (const char* name : {"velo", "vel", "velocity", "velocities"}) {
    const Content moving = read(lattice + places + ":" + name + ":R:3", " 1 2 3");
    EXPECT_EQ(moving.facts.at(3).kind, ParticleFact::Kind::velocity);
  }
  EXPECT_EQ(refusal(lattice + places + ":velo:R:2", " 1 2").substr(0, 16), "f:2: Properties=");
  EXPECT_EQ(refusal(lattice + places + ":id:I:1", ""), "f:3: has 4 columns, its properties are 5");
  EXPECT_EQ(refusal(lattice + places + ":id:I:1", " -1"),
            "f:3: number -1 of a particle is negative");
}

TEST_F(Xyz, ParticlesAreOfOneKind) {
  const std::string two = "2\n" + lattice + "\nAr 1 1 1\nNe 4 4 4\n";
  EXPECT_EQ(Particles::refusal("f.xyz", two),
            "f:4: species Ne beside Ar; particles are of one kind here");
  EXPECT_EQ(refusal(lattice + places + ":mass:R:1", " 0"), "f:3: mass 0 must be above 0");
}

TEST_F(Xyz, TheFirstOfSeveralFramesIsRead) {
  const std::string one = text(lattice, "");
  const auto frames = [&](const std::string& all) { return Particles::read("f.extxyz", all); };
  EXPECT_EQ(frames(one + "\n\n").notes.size(), 0u);
  EXPECT_EQ(frames(one + one).notes,
            std::vector<std::string>{"f: the first of several frames is read"});
  EXPECT_EQ(Particles::refusal("f.xyz", one + "X 5 5 5\n"),
            "f:5: there are more particles than the 2 it says");
  EXPECT_EQ(Particles::refusal("f.xyz", replaced(one, "2\n", "3\n")),
            "f: ends after line 4 with 2 of its 3 particles");
}

TEST_F(Particles, WhatAFileIsItsFirstBytesSay) {
  EXPECT_EQ(read("frame", "1\nLattice=\"9 0 0 0 8 0 0 0 7\"\nX 1 1 1\n").head.particles, 1);
  EXPECT_EQ(refusal("c", "halocline state\n etc"),
            "f: is a checkpoint (--restart); extended XYZ and LAMMPS' data files are read");
  EXPECT_EQ(refusal("c.xyz", ""), "f: is empty");
  EXPECT_EQ(refusal("c.data", "no\nsuch\nthing\n").substr(0, 34),
            "f:2: there is no line 'N atoms' be");
}

}  // namespace

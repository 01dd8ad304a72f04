// ends_mpi_in_a_lap FILE: auto in a program's own steps, with a file of choices. As soon as a note
// says that a candidate is tried, the program ends MPI, and never ends its exchange.

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/tuner.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace halocline;

namespace {

/// Rank 0 writes them.
bool there_are_notes(const std::filesystem::path& file) {
  const auto is_note = [](const auto& one) {
    return one.path().filename().string().find(".measuring-") != std::string::npos;
  };
  const std::filesystem::directory_iterator folder(file.parent_path());
  return std::any_of(begin(folder), end(folder), is_note);
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "ends_mpi_in_a_lap", [](int count, char** words) {
    if (count != 2) throw Error("usage: ends_mpi_in_a_lap FILE");
    Tuning::current().file = words[1];
    Tuning::current().remark = &print_remark;
    // Which nobody ever ends.
    static const auto& grid = *new Grid(world(), {30, 30});
    static const auto& array = *new Array<double>(grid, "auto");
    static auto& exchange = *new Exchange(grid.halo(), array, "auto+when=running");
    static auto& section = *new Section(world(), {&exchange});
    int noted = 0;
    for (int lap = 0; lap < 100'000 && noted == 0; ++lap) {
      section.begin();
      exchange.run();
      noted = mpi::all_of(world(), mpi::rank(world()) > 0 || there_are_notes(words[1])) ? 1 : 0;
      if (noted == 0) section.end();
    }
    if (noted != 0 && mpi::rank(world()) == 0) std::puts("ends while a note is there");
    return noted != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  });
}

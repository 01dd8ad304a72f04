// Exchanges the halos of a grid: ROWS COLUMNS STEPS numbered|renumbered. Cells of 512 bytes, so
// that they are most of what crosses between hosts.

#include <halocline/halocline.hpp>

#include <cstdlib>
#include <string_view>

using namespace halocline;

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "halo_steps", [](int count, char** words) {
    if (count != 5) throw Error("halo_steps ROWS COLUMNS STEPS numbered|renumbered");
    using Cell = std::array<double, 64>;
    const Grid grid(world(), {std::atoll(words[1]), std::atoll(words[2])},
                    {.corners = false, .renumber = std::string_view(words[4]) == "renumbered"});
    const Scheme scheme("p2p:nonblocking");
    const Array<Cell> field(grid, scheme);
    Exchange exchange(grid.comm(), grid.halo(), field, scheme);
    for (int step = std::atoi(words[3]); step > 0; --step) exchange.run();
    return EXIT_SUCCESS;
  });
}

// Writes the reference's solution as raw doubles and prints iterations and residuum:
// partdiff_reference METHOD LINES FUNC TERM VALUE FILE
#include "reference.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  if (argc != 7) return EXIT_FAILURE;
  const bool accuracy = std::string(argv[4]) == "1";
  const double value = std::atof(argv[5]);
  const Reference result =
      reference(std::string(argv[1]) == "2", std::strtoul(argv[2], nullptr, 10),
                std::string(argv[3]) == "2", accuracy ? value : 0, static_cast<std::size_t>(value));
  std::FILE* const file = std::fopen(argv[6], "wb");
  if (!file) return EXIT_FAILURE;
  std::fwrite(result.values.data(), sizeof(double), result.values.size(), file);
  std::fclose(file);
  std::printf("%zu %e\n", result.iterations, result.residuum);
}

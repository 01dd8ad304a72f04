// The time of OpenBLAS' own dgemm with all its threads, beside which matmul is measured:
// dgemm M N K REPETITIONS prints the seconds of each.

#include <cblas.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "Usage: dgemm M N K REPETITIONS\n");
    return EXIT_FAILURE;
  }
  const int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  const auto numbers = [](int rows, int columns) {
    std::vector<double> all(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i * 7 % 17) - 8;
    return all;
  };
  const std::vector<double> a = numbers(m, k), b = numbers(k, n);
  std::vector<double> c = numbers(m, n);
  for (int i = 0; i < std::atoi(argv[4]); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 0,
                c.data(), n);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::printf("%.9f\n", time.count());
  }
}

// sparse_matrix NAME FOLDER: a matrix as spmv generates it, as the three arrays of CRS in files of
// raw 32-bit integers and doubles, for peers that are not ours.

#include <spmv/generate.hpp>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

template <class Number, class Numbers>
void write(const std::string& file, const Numbers& numbers) {
  const std::vector<Number> as(numbers.begin(), numbers.end());
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(as.data()),
            static_cast<std::streamsize>(as.size() * sizeof(Number)));
  if (!out.flush()) throw halocline::Error(file + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw halocline::Error("usage: sparse_matrix NAME FOLDER");
    const spmv::Generator generator = spmv::generator("sparse_matrix", argv[1]);
    const spmv::Matrix matrix = spmv::generate(generator, {0, generator.size});
    const std::string folder = std::string(argv[2]) + "/";
    write<std::int32_t>(folder + "begin", matrix.begin);
    write<std::int32_t>(folder + "columns", matrix.columns);
    write<double>(folder + "values", matrix.values);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}

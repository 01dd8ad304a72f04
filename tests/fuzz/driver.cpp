// driver FOLDER: gives the reader that the folder is named after each of the examples in it, which
// it must be able to read unless their names begin with "bad", and what befalls them: bytes
// changed, cut out, doubled, put from one into another. HALOCLINE_SOAK=SEED draws other damage, and
// more of it.

#include "fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace {

/// What is damaged is damaged by these, too.
const std::vector<std::string> words{"\n",
                                     "\r\n",
                                     "%",
                                     "-1",
                                     "0",
                                     "99999999999999999999",
                                     "1e400",
                                     "nan",
                                     "\t",
                                     "\xef\xbb\xbf",
                                     "(",
                                     ")",
                                     "'",
                                     "\"",
                                     ",",
                                     "L",
                                     ":",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     "=",
                                     "+",
                                     "*",
                                     "#",
                                     "null",
                                     "true",
                                     "\\u0000",
                                     std::string(1, '\0'),
                                     "\xff",
                                     "3.0",
                                     "9223372036854775807"};

class Damage {
 public:
  Damage(const std::vector<std::string>& examples, unsigned seed)
      : examples_(examples), engine_(seed) {}

  std::string operator()() {
    std::string text = any(examples_);
    for (std::size_t times = 1 + below(4); times > 0; --times) {
      const std::size_t at = below(text.size() + 1), length = std::min(below(9), text.size() - at);
      switch (below(5)) {
        case 0: text.replace(at, length, any(words)); break;
        case 1: text.insert(at, any(words)); break;
        case 2: text.erase(at, length); break;
        case 3: text.insert(at, text.substr(at, length)); break;
        default: {
          const std::string& other = any(examples_);
          text.replace(at, length, other.substr(below(other.size() + 1), length));
        }
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  const std::string& any(const std::vector<std::string>& list) { return list[below(list.size())]; }

  const std::vector<std::string>& examples_;
  std::mt19937 engine_;
};

int drive(const fuzz::Target& target, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
  std::ranges::sort(files);
  std::vector<std::string> examples;
  bool right = !files.empty();
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    examples.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    const bool good = !file.filename().string().starts_with("bad");
    if (target.reads(examples.back()) == good) continue;
    std::printf("%s: it is %s\n", file.c_str(), good ? "refused" : "read");
    right = false;
  }
  const char* const soak = std::getenv("HALOCLINE_SOAK");
  Damage damaged(examples, soak ? static_cast<unsigned>(std::atoi(soak)) : 34);
  int read = 0;
  const int runs = soak ? 200'000 : 2'000;
  for (int i = 0; i < runs; ++i) {
    const std::string text = damaged();
    std::ofstream("fuzz." + std::string(target.name()) + ".last", std::ios::binary) << text;
    read += target.reads(text);
  }
  std::printf("%zu examples; of %d damaged ones %d were read\n", examples.size(), runs, read);
  return right && read > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc == 2 ? argv[1] : "";
  for (const fuzz::Target* target = fuzz::Target::first(); target; target = target->next())
    if (target->name() == folder.filename()) return drive(*target, folder);
  std::puts("usage: driver FOLDER, which is named after a reader of this program");
  return EXIT_FAILURE;
}

// Files that somebody has damaged: bytes changed, cut out, doubled, put from one file into another.

#include "fuzz.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> whole_files{
    "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 4.5\n2 1 -1e3\n2 2 4\n3 3 "
    "1D0\n",
    "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n-2\n3\n",
    "%%MatrixMarket matrix coordinate complex general\n2 3 2\n1 3 1 0\n2 1 .5 -1\n",
    "%%MatrixMarket matrix coordinate pattern general\r\n2 3 2\r\n1 3\r\n2 1\r\n",
    "4 4 111 1\n1 1 2 1 4 9\n1 2 1 1 3 9\n1 0 4 1 2 9\n1 3 3 1 1 9\n",
    "\xef\xbb\xbf"
    "3 2\n2\n1 3\n2\n",
    formats::npy_header({2, 3}) + std::string(48, '\0'),
    "\x93NUMPY\x01" + std::string(1, '\0') + "=" + std::string(1, '\0') +
        "{'descr': '>f8', 'fortran_order':\tTrue, \"shape\": (1L,), } \n" + std::string(8, 'x'),
};
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
                                     ",",
                                     "L",
                                     std::string(1, '\0'),
                                     "\xff",
                                     "3.0",
                                     "9223372036854775807"};

class Damage {
 public:
  explicit Damage(unsigned seed) : engine_(seed) {}

  std::string operator()() {
    std::string text = whole_files[below(whole_files.size())];
    for (std::size_t times = 1 + below(4); times > 0; --times) {
      const std::size_t at = below(text.size() + 1), length = std::min(below(9), text.size() - at);
      switch (below(5)) {
        case 0: text.replace(at, length, words[below(words.size())]); break;
        case 1: text.insert(at, words[below(words.size())]); break;
        case 2: text.erase(at, length); break;
        case 3: text.insert(at, text.substr(at, length)); break;
        default: {
          const std::string& other = whole_files[below(whole_files.size())];
          text.replace(at, length, other.substr(below(other.size()), length));
        }
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  std::mt19937 engine_;
};

}  // namespace

TEST(Damaged, IsReadOrRefusedInOneLine) {
  const char* const soak = std::getenv("HALOCLINE_SOAK");
  Damage damaged(soak ? static_cast<unsigned>(std::atoi(soak)) : 34);
  int read = 0;
  for (int i = 0; i < (soak ? 5'000'000 : 20'000); ++i) {
    const std::string text = damaged();
    for (void (*const reader)(std::string_view) :
         {fuzz::numbers, fuzz::lines, fuzz::market, fuzz::metis, fuzz::npy})
      read += fuzz::reads(reader, text) && reader != fuzz::lines && reader != fuzz::numbers ? 1 : 0;
  }
  EXPECT_GT(read, 100);  // much of it was nearly right
}

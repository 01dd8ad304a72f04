// Matrix Market files as SciPy, MATLAB, SuiteSparse, Eigen and hands write them.

#include "common/complaint.hpp"

#include <formats/market.hpp>
#include <formats/share.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace formats;

namespace {

const std::string head = "%%MatrixMarket matrix coordinate real general\n";

/// Row by row, the way it is read.
std::vector<double> dense(const std::string& text, const Usable& usable = {}) {
  Lines lines(text, "f.mtx", 0);
  const MarketHeader header = read_market_header(lines, usable);
  std::vector<double> all(static_cast<std::size_t>(header.rows * header.columns));
  const auto at = [&](std::int64_t row, std::int64_t column) -> double& {
    return all[static_cast<std::size_t>(row * header.columns + column)];
  };
  const bool both = header.symmetry != Symmetry::general;
  if (header.dense) {
    const std::vector<double> numbers = read_numbers(lines, header);
    auto next = numbers.begin();
    for (std::int64_t column = 0; column < header.columns; ++column)
      for (std::int64_t row = !both ? 0 : column + (header.symmetry == Symmetry::skew ? 1 : 0);
           row < header.rows; ++row) {
        at(row, column) = *next;
        if (both && row != column) at(column, row) = mirrored(*next, header.symmetry);
        ++next;
      }
    return all;
  }
  for (const Entry& entry : read_entries(lines, header)) {
    at(entry.row, entry.column) += entry.value;
    if (both && entry.row != entry.column)
      at(entry.column, entry.row) += mirrored(entry.value, header.symmetry);
  }
  return all;
}

std::string says(const std::string& text, const Usable& usable = {}) {
  return complaint([&] { dense(text, usable); });
}

}  // namespace

TEST(Market, IsReadAsItIsWritten) {
  const std::vector<double> four{4, 0, 0, 0, 4, 0, 0, 0, 4};
  const std::string entries = "3 3 3\n1 1 4\n2 2 4\n3 3 4\n";
  for (const std::string& text : std::vector<std::string>{
           head + entries,
           head + entries.substr(0, entries.size() - 1),
           head + "3 3 3\n% a comment after the size\n1 1 4\n% and here\n2 2 4\n3 3 4\n% end\n",
           head + "\n" + entries + "\n\n",
           head + "  % c\n" + entries,
           head + "%\n%%\n\t% tab\n" + entries,
           "\xef\xbb\xbf" + head + entries,
           "%%"
           "MatrixMarket\tmatrix\tcoordinate\treal\tgeneral\n3\t3\t3\n1\t1\t4\n2\t2\t4\n3\t3\t4\n",
           std::string("%%MatrixMarket  matrix coordinate  real general\r\n3 3 3\r\n1 1 4\r\n"
                       "2 2 4\r\n3 3 4\r\n"),
           std::string(
               "%%MatrixMarket matrix coordinate real general\r3 3 3\r1 1 4\r2 2 4\r3 3 4\r"),
           std::string("%%matrixmarket MATRIX Coordinate Double General\n3 3 3\n  1   1  4.\n") +
               "2 2 +4\n3 3 0.4D+01\n",
           "%%MatrixMarket matrix coordinate integer general\n" + entries,
           "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n" + entries,
           "%%MatrixMarket matrix coordinate real hermitian\n" + entries,
           head + "3 3 4\n3 3 4\n1 1 1\n2 2 4\n1 1 3\n",  // in any order; what is twice is added
           std::string(
               "%%MatrixMarket matrix array real general\n3 3\n% c\n4\n0\n0\n\n0\n4\n0\n0\n0\n"
               "4\n"),
           std::string("%%MatrixMarket matrix array real general\n3 3\n4 0 0\n0 4 0\n0 0 4\n"),
           std::string("%%MatrixMarket matrix array integer symmetric\n3 3\n4\n0\n0\n4\n0\n4\n"),
       })
    EXPECT_EQ(dense(text), four) << text;
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n"),
            (std::vector<double>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n"),
            (std::vector<double>{4, -1, -1, 0}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n1 2 -1\n"),
            (std::vector<double>{4, -1, -1, 0}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n"),
            (std::vector<double>{0, -3, 3, 0}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
            (std::vector<double>{0, -1, -2, 1, 0, -3, 2, 3, 0}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate complex general\n1 2 1\n1 2 3 -1\n",
                  {.complex = true}),
            (std::vector<double>{0, 3}));
  EXPECT_EQ(dense(head + "0 3 0\n"), std::vector<double>{});
}

TEST(Market, IsKnownByItsBeginning) {
  for (const char* text :
       {"%%MatrixMarket matrix", "%MatrixMarket matrix", "\xef\xbb\xbf%%matrixmarket"})
    EXPECT_TRUE(is_market(Lines(std::string_view(text), "f", 0))) << text;
  for (const char* text : {"", "% MatrixMarket", "3 2\n2\n", "%%Matrix"})
    EXPECT_FALSE(is_market(Lines(std::string_view(text), "f", 0))) << text;
}

TEST(Market, NamesTheLineThatIsWrong) {
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::string whole = "%%MatrixMarket matrix coordinate integer general\n";
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "1: ends where '%%MatrixMarket matrix' should be"},
      {"%MatrixMarket matrix coordinate real general\n",
       "1: begins with '%MatrixMarket matrix coordinat...', but must begin with '%%MatrixMarket "
       "matrix'"},
      {"%%MatrixMarket vector array real general\n",
       "1: begins with '%%MatrixMarket vector array re...', but must begin with '%%MatrixMarket "
       "matrix'"},
      {"%%MatrixMarket matrix list real general\n",
       "1: is 'list', but must be array or coordinate"},
      {"%%MatrixMarket matrix coordinate complex general\n",
       "1: has 'complex' values, but must have real or integer ones"},
      {"%%MatrixMarket matrix array pattern general\n",
       "1: has 'pattern' values, but must have real or integer ones"},
      {"%%MatrixMarket matrix coordinate real\n",
       "1: is '', but must be general, symmetric or skew-symmetric"},
      {head + "% nothing\n", "3: ends where the size should be"},
      {head + "2 2\n", "2: has no number of entries"},
      {head + "2 2 1 1\n", "2: has '1', which is too much"},
      {head + "2 2 -1\n", "2: has a negative number of rows, columns or entries"},
      {head + "2.0 2 1\n", "2: number of rows '2.0' is no whole number"},
      {head + "99999999999999999999 2 1\n",
       "2: number of rows '99999999999999999999' is too large, the most is 9223372036854775807"},
      {array + "4294967296 4294967296\n", "2: is 4294967296 x 4294967296, which no file can hold"},
      {symmetric + "2 3 0\n", "2: is 2 x 3, but must be square to be symmetric"},
      {head + "2 2 2\n1 1 1\n3 1 1\n", "4: is outside of 2 x 2"},
      {head + "2 2 2\n1 1 1\n0 1 1\n", "4: is outside of 2 x 2"},
      {head + "2 2 1\n1 1\n", "3: has no value"},
      {head + "2 2 1\n1 1 1 0\n", "3: has '0', which is too much"},
      {head + "2 2 1\n1 1.0 1\n", "3: column '1.0' is no whole number"},
      {head + "2 2 1\n1 1 1e400\n", "3: value '1e400' is too large, the most is 1.8e308"},
      {head + "2 2 1\n1 1 nan\n", "3: value 'nan' is not finite"},
      {whole + "2 2 1\n1 1 1.0\n", "3: value '1.0' is no whole number"},
      {whole + "2 2 1\n1 1 99999999999999999999\n",
       "3: value '99999999999999999999' is too large, the most is 9223372036854775807"},
      {head + "2 2 1\n1 1 1\n% c\n\n1 1 1\n", "6: has more entries than it says"},
      {head + "2 2 3\n1 1 1\n2 2 1\n", "5: ends where an entry should be: there are 2 of 3"},
      {array + "2 1\n1\n2\n3\n", "5: has more numbers than it says"},
      {array + "2 1\n1\n", "4: ends where a number should be: there are 1 of 2"},
      {symmetric + "2 2 4\n1 1 4\n2 1 -1\n1 2 -1\n2 2 4\n",
       "5: is on the other side of the diagonal than line 4; a symmetric file must have one of the "
       "two triangles"},
      {skew + "2 2 1\n1 1 4\n", "3: is on the diagonal, which must be 0 to be skew-symmetric"},
      {head + "2 2 1\n1 1 \xff\n", "3: value '\xef\xbf\xbd' is no number"},
      {head + std::string("2 2 1\n1 1 \0\n", 12), "3: is no text, as it has a byte of 0"},
  };
  for (const auto& [text, what] : cases) EXPECT_EQ(says(text), "f.mtx:" + what);
  EXPECT_EQ(says(head, {.coordinate = false}),
            "f.mtx:1: is 'coordinate', but must be array (a dense matrix)");
  EXPECT_EQ(says(array, {.array = false}),
            "f.mtx:1: is 'array', but must be coordinate (a sparse matrix)");
}

TEST(Market, HasCommentsOfAnyLength) {
  const std::string long_line = "%" + std::string(3 << 20, 'c') + "\n";
  EXPECT_EQ(dense(head + long_line + "1 1 1\n" + long_line + "1 1 7\n"), std::vector<double>{7});
}

TEST(Market, IsSortedByRows) {
  const Rows rows = by_rows({{5, 2, 1}, {4, 0, 2}, {5, 1, 3}, {5, 2, 4}}, 4, 3);
  EXPECT_EQ(rows.begin, (std::vector<std::int64_t>{0, 1, 3, 3}));
  EXPECT_EQ(rows.columns, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(rows.values, (std::vector<double>{2, 3, 5}));
}

TEST(Share, HasEachLineOnce) {
  const std::string file = testing::TempDir() + "formats-share.txt";
  for (const std::string body :
       {"", "a\n", "a\nbb\n\nccc\ndddddddddddddddd\ne", "aaaaaaaaaaaaaaaa"}) {
    std::ofstream(file, std::ios::binary) << "head\n" << body;
    const auto end = static_cast<std::int64_t>(5 + body.size());
    for (int shares = 1; shares < 12; ++shares) {
      std::string all;
      for (int share = 0; share < shares; ++share) {
        const std::string text = share_of_lines(file, 5, end, shares, share);
        EXPECT_TRUE(all.empty() || text.empty() || all.back() == '\n') << body << shares;
        all += text;
      }
      EXPECT_EQ(all, body) << shares;
    }
    EXPECT_EQ(complaint([&] { share_of_lines(file, 5, end + 1, 1, 0); }),
              file + ": cannot be read, or has become shorter");
  }
  std::filesystem::remove(file);
}

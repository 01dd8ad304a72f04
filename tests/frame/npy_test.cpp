// The header of NumPy's files, as NumPy writes and reads it.

#include <frame/npy.hpp>

#include <gtest/gtest.h>
#include <halocline/mpi.hpp>

using namespace frame;

namespace {

std::string with_version(char version, const std::string& dictionary) {
  std::string all = "\x93NUMPY";
  all += {version, 0, static_cast<char>(dictionary.size()), 0};
  if (version > 1) all += {0, 0};
  return all + dictionary;
}

}  // namespace

TEST(Npy, IsWhatNumPyWrites) {
  // numpy.save of numpy.zeros(3) and numpy.zeros((2, 5)).
  std::string vector = "\x93NUMPY\x01";
  vector += {0, 0x76, 0};
  vector += "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  vector.resize(127, ' ');
  vector += '\n';
  EXPECT_EQ(npy_header({3}), vector);
  const std::string matrix = npy_header({2, 5});
  EXPECT_EQ(matrix.size(), 128u);
  EXPECT_EQ(matrix.substr(10, 59), "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 5), }");
}

TEST(Npy, ReadsWhatItWrites) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{7}, {1, 9'000'000'000}}) {
    const std::string head =
        shape.size() == 1 ? npy_header({shape[0]}) : npy_header({shape[0], shape[1]});
    EXPECT_TRUE(is_npy(head));
    const NpyHeader header = read_npy_header(head + "numbers");
    EXPECT_EQ(header.type, "'<f8'");
    EXPECT_EQ(header.shape, shape);
    EXPECT_FALSE(header.by_columns);
    EXPECT_EQ(header.begin, static_cast<std::int64_t>(head.size()));
  }
}

TEST(Npy, ReadsOtherVersionsAndOrders) {
  const std::string text = "{'shape':(4,3),'fortran_order':True,'descr':'>i4'}\n";
  const NpyHeader header = read_npy_header(with_version(2, text));
  EXPECT_EQ(header.type, "'>i4'");
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{4, 3}));
  EXPECT_TRUE(header.by_columns);
  EXPECT_EQ(header.begin, static_cast<std::int64_t>(12 + text.size()));
}

TEST(Npy, RefusesWhatEndsEarlyAndUnderstandsNoOtherShapes) {
  EXPECT_FALSE(is_npy("NUMPY"));
  const std::string head = npy_header({3});
  EXPECT_THROW(read_npy_header(head.substr(0, 50)), halocline::Error);
  EXPECT_THROW(read_npy_header(head.substr(0, 7)), halocline::Error);
  for (const char* shape : {"", "'shape': ()", "'shape': (a,)", "'shape': (3 4)", "'shape': (3"}) {
    const std::string text = std::string("{'descr': '<f8', ") + shape + "}\n";
    const NpyHeader header = read_npy_header(with_version(1, text));
    EXPECT_NE(header.shape, (std::vector<std::int64_t>{3})) << shape;
    EXPECT_NE(header.shape, (std::vector<std::int64_t>{3, 4})) << shape;
  }
}

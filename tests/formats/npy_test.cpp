// The header of NumPy's files, as NumPy writes and reads it.

#include "common/complaint.hpp"

#include <formats/npy.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <sstream>

using namespace formats;

namespace {

using Shape = std::vector<std::int64_t>;

/// A file with that dictionary and so many bytes of numbers.
std::string file_of(const std::string& dictionary, std::size_t numbers, char version = 1) {
  std::string all = "\x93NUMPY";
  all += {version, 0, static_cast<char>(dictionary.size()), 0};
  if (version > 1) all += {0, 0};
  return all + dictionary + std::string(8 * numbers, '\0');
}

NpyHeader header_of(const std::string& file) {
  std::istringstream in(file);
  const NpyHeader header = read_npy_header(in, "f.npy");
  EXPECT_EQ(in.tellg(), header.begin);
  return header;
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
  const NpyHeader vector = header_of(npy_header({7}) + std::string(56, 'x'));
  EXPECT_EQ(vector.shape, Shape{7});
  EXPECT_EQ(vector.begin, 128);
  const NpyHeader matrix = header_of(npy_header({2, 3}) + std::string(48, 'x'));
  EXPECT_EQ(matrix.shape, (Shape{2, 3}));
  EXPECT_FALSE(matrix.by_columns);
  EXPECT_FALSE(matrix.swapped);
}

TEST(Npy, ReadsThePythonThatNumPyReads) {
  for (const char* text : {
           "{'descr':'<f8','fortran_order':True,'shape':(4,3)}",
           "{'shape': (4, 3), 'fortran_order':\tTrue, 'descr': '<f8', }   \n",
           "{\"descr\": \"|f8\", \"fortran_order\": True, \"shape\": (4L, 3L)}\n",
           " { 'descr' :\n'=f8',\n'fortran_order' :\tTrue ,\r\n'shape' : ( 4 , 3 , ) , }\n",
           "{u'descr': 'float64', u'fortran_order': True, u'shape': (4, 3)}",
           "{'descr': 'd', 'fortran_order': True, 'shape': (+4, 3)}",
       }) {
    const NpyHeader header = header_of(file_of(text, 12));
    EXPECT_EQ(header.shape, (Shape{4, 3})) << text;
    EXPECT_TRUE(header.by_columns) << text;
    EXPECT_FALSE(header.swapped) << text;
  }
  for (const char version : {1, 2, 3}) {
    const std::string text = "{'descr': '>f8', 'fortran_order': False, 'shape': (2,)}";
    const NpyHeader header = header_of(file_of(text, 2, version));
    EXPECT_TRUE(header.swapped);
    EXPECT_EQ(header.begin, static_cast<std::int64_t>(text.size()) + (version == 1 ? 10 : 12));
  }
  EXPECT_EQ(header_of(file_of("{'descr':'<f8','fortran_order':False,'shape':()}", 1)).shape,
            Shape{});
  EXPECT_EQ(header_of(file_of("{'descr':'<f8','fortran_order':False,'shape':(0, 7)}", 0)).shape,
            (Shape{0, 7}));
}

TEST(Npy, SwapsBytes) {
  std::array numbers{std::bit_cast<double>(std::uint64_t{0xf03f}), 0.0};  // 1, the other way round
  swap_bytes(numbers);
  EXPECT_EQ(numbers, (std::array{1.0, 0.0}));
}

TEST(Npy, SaysWhatIsWrong) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return file_of(text.replace(text.find(from), from.size(), to), 3);
  };
  const std::string header = "f.npy: the header of this .npy file ";
  const std::pair<std::string, std::string> cases[] = {
      {"NUMPY", "f.npy: is no .npy file"},
      {"\x93NUMPY", "f.npy: is cut short in its header"},
      {file_of(good, 3).substr(0, 9), "f.npy: is cut short in its header"},
      {file_of(good, 3).substr(0, 50), "f.npy: is cut short in its header"},
      {file_of(good, 3, 4), "f.npy: is a .npy file of version 4.0; it must be 1.0, 2.0 or 3.0"},
      {file_of(good, 2), "f.npy: has 81 bytes; an array of 3 needs 89"},
      {file_of(good, 4), "f.npy: has 97 bytes; an array of 3 needs 89"},
      {std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12),
       "f.npy: says that its header has 4294967295 bytes; at most 1048576 are read"},
      {with("<f8", "<f4"), header + "says that it holds numbers of type '<f4'; they must be "
                                    "doubles, '<f8'"},
      {with("'<f8'", "[('a', '<f8')]"), header + "says that it holds records; they must be "
                                                 "doubles, '<f8'"},
      {with("False", "None"), header + "has the fortran_order 'None, 'shape': (3,)}', which must "
                                       "be True or False"},
      {with("False", "Falsely"), header + "has 'ly, 'shape': (3,)}' where a , should be"},
      {with("(3,)", "(-3,)"), header + "has the shape's length -3; there must be a whole number "
                                       ">= 0"},
      {with("(3,)", "(99999999999999999999,)"),
       header + "has the shape's length '99999999999999999999' is too large, the most is "
                "9223372036854775807; there must be a whole number >= 0"},
      {with("(3,)", "(4294967296, 4294967296)"),
       "f.npy: says that it holds 4294967296 x 4294967296 numbers; no file has 1.374e+11 GiB"},
      {with("(3,)", "(3)"), header + "has a shape that is no tuple"},
      {with("(3,)", "(3 4)"), header + "has '4)}' where a ) should be"},
      {with("(3,)", "(,)"), header + "has the shape's length '' is no number; there must be a "
                                     "whole number >= 0"},
      {with("(3,)", "[3]"), header + "has '[3]}' where a ( should be"},
      {with("'shape'", "'form'"), header + "has the key 'form'"},
      {with(", 'shape': (3,)", ""), header + "must have descr, fortran_order and shape, once each"},
      {with("'shape'", "'shape': (3,), 'shape'"),
       header + "must have descr, fortran_order and shape, once each"},
      {with("}", ""), header + "ends where a , should be"},
      {with("}", "} x"), header + "goes on with 'x'"},
  };
  for (const auto& [file, says] : cases) EXPECT_EQ(complaint([&] { header_of(file); }), says);
}

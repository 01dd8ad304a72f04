#pragma once
// What every back end does on its device, written once.

#include <halocline/more/device_each.hpp>

namespace halocline::detail {

/// The address of word `i` of a message in the pieces.
HALOCLINE_ON_DEVICE inline std::byte* place(const DevicePiece* pieces, std::int64_t count,
                                            std::int64_t i, int word_bytes) {
  std::int64_t low = 0, high = count;  // the last piece that begins at or before i
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (pieces[middle].begin <= i ? low : high) = middle;
  }
  const DevicePiece& piece = pieces[low];
  const std::int64_t in = i - piece.begin, row = in / piece.words;
  return piece.data + row / piece.rows * piece.plane_stride + row % piece.rows * piece.stride +
         in % piece.words * word_bytes;
}

/// Calls act(a word's type) for the size of a word.
template <class Act>
void with_word(int word_bytes, Act act) {
  if (word_bytes == 8) return act(std::uint64_t{});
  if (word_bytes == 4) return act(std::uint32_t{});
  act(std::uint8_t{});
}

template <class Word>
void pack_words(const DevicePiece* pieces, std::int64_t count, std::int64_t words, void* message,
                DeviceStream stream) {
  Word* const to = static_cast<Word*>(message);
  each_on_device(stream, words, [=] HALOCLINE_ON_DEVICE(std::int64_t i) {
    to[i] = *reinterpret_cast<const Word*>(place(pieces, count, i, sizeof(Word)));
  });
}

template <class Word>
void unpack_words(const DevicePiece* pieces, std::int64_t count, std::int64_t words,
                  const void* message, DeviceStream stream) {
  const Word* const from = static_cast<const Word*>(message);
  each_on_device(stream, words, [=] HALOCLINE_ON_DEVICE(std::int64_t i) {
    *reinterpret_cast<Word*>(place(pieces, count, i, sizeof(Word))) = from[i];
  });
}

constexpr std::int64_t parts_of_sum = 1024;

/// Adds numbers up in parts, each in order.
inline void sum_parts(const double* numbers, std::int64_t count, double* parts,
                      DeviceStream stream) {
  each_on_device(stream, parts_of_sum, [=] HALOCLINE_ON_DEVICE(std::int64_t part) {
    double sum = 0;
    for (std::int64_t i = part * count / parts_of_sum; i < (part + 1) * count / parts_of_sum; ++i)
      sum += numbers[i];
    parts[part] = sum;
  });
}

inline double largest_of(const double* numbers, std::int64_t count, DeviceStream stream) {
  return largest_on_device(stream, count, [=] HALOCLINE_ON_DEVICE(std::int64_t i) {
    return numbers[i] < 0 ? -numbers[i] : numbers[i];
  });
}

/// What a device does by kernels alone, in terms of the rest.
class DeviceOfKernels : public Device {
 public:
  void pack(const DevicePiece* pieces, std::int64_t count, std::int64_t words, int word_bytes,
            void* message, DeviceStream stream) final {
    with_word(word_bytes, [=](auto word) {
      pack_words<decltype(word)>(pieces, count, words, message, stream);
    });
  }
  void unpack(const DevicePiece* pieces, std::int64_t count, std::int64_t words, int word_bytes,
              const void* message, DeviceStream stream) final {
    with_word(word_bytes, [=](auto word) {
      unpack_words<decltype(word)>(pieces, count, words, message, stream);
    });
  }
  double sum(const double* numbers, std::int64_t count, DeviceStream stream) final {
    double host[parts_of_sum];
    auto* const parts = static_cast<double*>(borrow(sizeof host, stream));
    sum_parts(numbers, count, parts, stream);
    copy(host, parts, sizeof host, DeviceCopy::to_host, stream);
    give_back(parts, stream);
    double all = 0;
    for (const double part : host) all += part;
    return all;
  }
  double largest(const double* numbers, std::int64_t count, DeviceStream stream) final {
    return largest_of(numbers, count, stream);
  }

 protected:
  /// Memory for what a stream does next.
  virtual void* borrow(std::size_t bytes, DeviceStream stream) = 0;
  /// When all that the stream was told is done, for which this waits.
  virtual void give_back(void* memory, DeviceStream stream) = 0;
};

}  // namespace halocline::detail

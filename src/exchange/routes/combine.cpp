#include "combine.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::detail {

namespace {

/// Rows of numbers; messages need not be aligned for them.
template <class T, class How>
void combine_rows(std::byte* to, std::ptrdiff_t stride, const std::byte* from, std::int64_t rows,
                  std::size_t bytes, How how) {
  const std::size_t count = bytes / sizeof(T);
  for (std::int64_t row = 0; row < rows; ++row, to += stride, from += bytes) {
    auto* const cells = reinterpret_cast<T*>(to);
    for (std::size_t i = 0; i < count; ++i) {
      T arrived;
      std::memcpy(&arrived, from + i * sizeof(T), sizeof(T));
      cells[i] = how(cells[i], arrived);
    }
  }
}

template <class T>
void combine_rows(Combine how, std::byte* to, std::ptrdiff_t stride, const std::byte* from,
                  std::int64_t rows, std::size_t bytes) {
  const auto with = [&](auto one) { combine_rows<T>(to, stride, from, rows, bytes, one); };
  switch (how) {
    case Combine::replace: return with([](T, T arrived) { return arrived; });
    case Combine::sum: return with([](T here, T arrived) { return here + arrived; });
    case Combine::min: return with([](T here, T arrived) { return std::min(here, arrived); });
    case Combine::max: return with([](T here, T arrived) { return std::max(here, arrived); });
  }
}

using Rows = void (*)(Combine, std::byte*, std::ptrdiff_t, const std::byte*, std::int64_t,
                      std::size_t);
Rows rows_of(Number number) {
  switch (number) {
    case Number::float32: return combine_rows<float>;
    case Number::float64: return combine_rows<double>;
    case Number::int32: return combine_rows<std::int32_t>;
    case Number::int64: return combine_rows<std::int64_t>;
    case Number::uint32: return combine_rows<std::uint32_t>;
    case Number::uint64: return combine_rows<std::uint64_t>;
    case Number::unknown: break;
  }
  throw Error("combine: elements that are not numbers");
}

}  // namespace

void combine(const Layout& cells, const Bases& bases, const std::byte* message, Combine how,
             const std::vector<Field>& fields) {
  for (const Piece& piece : cells.pieces()) {
    const auto field = static_cast<std::size_t>(piece.field);
    const Rows rows = rows_of(fields[field].number);
    std::byte* to = bases[field] + piece.offset;
    for (std::int64_t plane = 0; plane < piece.planes; ++plane, to += piece.plane_stride) {
      rows(how, to, piece.row_stride, message, piece.rows,
           static_cast<std::size_t>(piece.row_bytes));
      message += piece.rows * piece.row_bytes;
    }
  }
}

MPI_Op mpi_op(Combine how) noexcept {
  switch (how) {
    case Combine::replace: break;
    case Combine::sum: return MPI_SUM;
    case Combine::min: return MPI_MIN;
    case Combine::max: return MPI_MAX;
  }
  return MPI_REPLACE;
}

MPI_Datatype mpi_type(Number number) noexcept {
  switch (number) {
    case Number::float32: return MPI_FLOAT;
    case Number::float64: return MPI_DOUBLE;
    case Number::int32: return MPI_INT32_T;
    case Number::int64: return MPI_INT64_T;
    case Number::uint32: return MPI_UINT32_T;
    case Number::uint64: return MPI_UINT64_T;
    case Number::unknown: break;
  }
  return MPI_BYTE;
}

const char* name(Combine how) noexcept {
  switch (how) {
    case Combine::replace: return "replace";
    case Combine::sum: return "sum";
    case Combine::min: return "min";
    case Combine::max: return "max";
  }
  return "?";
}

const char* name(Number number) noexcept {
  switch (number) {
    case Number::float32: return "float32";
    case Number::float64: return "float64";
    case Number::int32: return "int32";
    case Number::int64: return "int64";
    case Number::uint32: return "uint32";
    case Number::uint64: return "uint64";
    case Number::unknown: break;
  }
  return "nothing";
}

}  // namespace halocline::detail

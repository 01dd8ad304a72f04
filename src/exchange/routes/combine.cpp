#include "combine.hpp"

#include <algorithm>
#include <complex>
#include <optional>

namespace halocline::detail {

namespace {

template <class T>
struct Sum {
  T operator()(T here, T arrived) const { return here + arrived; }
};
template <class T>
struct Min {
  T operator()(T here, T arrived) const { return std::min(here, arrived); }
};
template <class T>
struct Max {
  T operator()(T here, T arrived) const { return std::max(here, arrived); }
};
struct Or {
  bool operator()(bool here, bool arrived) const { return here || arrived; }
};
struct And {
  bool operator()(bool here, bool arrived) const { return here && arrived; }
};

/// Loops, and the function that they are given; null: there are none.
struct Loops {
  const CombineLoops* loops = nullptr;
  const void* function = nullptr;
};
template <class Function>
constexpr Function function_of{};
template <class T, class Function>
constexpr Loops loops_of{&combining::loops<T, Function>, &function_of<Function>};

/// How numbers of a type are combined.
struct NumberLoops {
  std::size_t bytes = 0;
  Loops sum, min, max;
};

template <class T>
constexpr NumberLoops ordered{sizeof(T), loops_of<T, Sum<T>>, loops_of<T, Min<T>>,
                              loops_of<T, Max<T>>};
template <class T>
constexpr NumberLoops summed{sizeof(T), loops_of<T, Sum<T>>, {}, {}};

NumberLoops numbers_of(Number number) {
  switch (number) {
    case Number::float32: return ordered<float>;
    case Number::float64: return ordered<double>;
    case Number::long_double: return ordered<long double>;
    case Number::int32: return ordered<std::int32_t>;
    case Number::int64: return ordered<std::int64_t>;
    case Number::uint32: return ordered<std::uint32_t>;
    case Number::uint64: return ordered<std::uint64_t>;
    case Number::complex64: return summed<std::complex<float>>;
    case Number::complex128: return summed<std::complex<double>>;
    case Number::boolean:
      return {sizeof(bool), loops_of<bool, Or>, loops_of<bool, And>, loops_of<bool, Or>};
#ifdef HALOCLINE_HAS_FLOAT16
    case Number::float16: return ordered<_Float16>;
#else
    case Number::float16:
#endif
    case Number::unknown: break;
  }
  return {};
}

Loops among(const NumberLoops& numbers, Combine::Known how) {
  switch (how) {
    case Combine::replace: break;
    case Combine::sum: return numbers.sum;
    case Combine::min: return numbers.min;
    case Combine::max: return numbers.max;
  }
  return {};
}

/// The loops for a field's elements, and what they take.
struct Combiner : Loops {
  Combiner(const Field& field, const Combine& how)
      : Loops{how.loops(), how.function()}, bytes(how.bytes()) {
    if (loops != nullptr) return;
    const NumberLoops numbers = numbers_of(field.number);
    Loops::operator=(among(numbers, how.known()));
    bytes = numbers.bytes;
    if (loops == nullptr) throw Error("combine: elements that are not numbers");
  }
  std::size_t bytes;
};

}  // namespace

void combine(const Layout& cells, const Bases& bases, const std::byte* message, const Combine& how,
             const std::vector<Field>& fields) {
  std::size_t last = fields.size();
  std::optional<Combiner> by;
  const auto of = [&](std::int64_t number) -> const Combiner& {
    const auto field = static_cast<std::size_t>(number);
    if (field != last) by.emplace(fields[field], how), last = field;
    return *by;
  };
  const auto rows = [&](std::int64_t field, std::int64_t offset, std::int64_t stride,
                        std::int64_t count, std::int64_t bytes) {
    const Combiner& combiner = of(field);
    combiner.loops->rows(combiner.function, bases[static_cast<std::size_t>(field)] + offset, stride,
                         message, count, static_cast<std::size_t>(bytes) / combiner.bytes);
    message += count * bytes;
  };
  cells.each(
      [&](const ElementList& list) {
        const auto bytes = static_cast<std::int64_t>(list.count) * list.bytes;
        if (list.consecutive)
          return rows(list.field, cells.pieces()[list.begin].offset, bytes, 1, bytes);
        const Combiner& combiner = of(list.field);
        std::byte* const base = bases[static_cast<std::size_t>(list.field)];
        const auto count = static_cast<std::size_t>(list.bytes) / combiner.bytes;
        cells.with_indices(list, [&](auto indices) {
          if constexpr (sizeof indices.front() == sizeof(std::int32_t))
            combiner.loops->narrow(combiner.function, base, indices, list.unit, message, count);
          else
            combiner.loops->wide(combiner.function, base, indices, list.unit, message, count);
        });
        message += bytes;
      },
      [&](const Piece& piece) {
        for (std::int64_t plane = 0; plane < piece.planes; ++plane)
          rows(piece.field, piece.offset + plane * piece.plane_stride, piece.row_stride, piece.rows,
               piece.row_bytes);
      });
}

void combine(const Link& cells, std::span<const Field> fields, const std::byte* message,
             const Combine& how) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Combiner combiner(fields[f], how);
    each_rows(cells, fields.subspan(f, 1), message,
              [&](std::byte* to, std::ptrdiff_t stride, std::int64_t rows, std::ptrdiff_t bytes,
                  const std::byte* from) {
                combiner.loops->rows(combiner.function, to, stride, from, rows,
                                     static_cast<std::size_t>(bytes) / combiner.bytes);
              });
    message += cells.size() * fields[f].element_bytes;
  }
}

std::string combine_complaint(const Field& field, const Combine& how) {
  if (how.loops() != nullptr) {
    if (how.number() != Number::unknown && field.number != Number::unknown &&
        how.number() != field.number)
      return std::string("is of ") + name(field.number) +
             ", but its elements are to be combined by "
             "a function of " +
             name(how.number());
    if (field.element_bytes % how.bytes() != 0)
      return "has elements of " + std::to_string(field.element_bytes) +
             " bytes, but the function that they are to be combined by takes " +
             std::to_string(how.bytes());
    return {};
  }
  if (field.number == Number::unknown)
    return std::string("has elements of an unknown type, which combine=") + name(how) +
           " cannot work on; it knows real, complex and integer numbers of 4 and 8 bytes, among "
           "others; give those, or a function of your own that combines";
  if (among(numbers_of(field.number), how.known()).loops == nullptr)
    return std::string("is of ") + name(field.number) + ", which combine=" + name(how) +
           " cannot work on; give a function of your own that combines";
  return {};
}

std::string accumulate_complaint(const Field& field, const Combine& how) {
  if (how.loops() != nullptr) return "MPI combines, and knows no functions of the caller's";
  if (how != Combine::replace && mpi_type(field.number) == MPI_BYTE)
    return std::string("MPI combines, and has no type for ") + name(field.number);
  return {};
}

bool order_matters(Number number) noexcept {
  switch (number) {
    case Number::float16:
    case Number::float32:
    case Number::float64:
    case Number::long_double:
    case Number::complex64:
    case Number::complex128: return true;
    default: return false;
  }
}

MPI_Op mpi_op(const Combine& how, Number number) noexcept {
  const bool logical = number == Number::boolean;
  switch (how.known()) {
    case Combine::replace: break;
    case Combine::sum: return logical ? MPI_LOR : MPI_SUM;
    case Combine::min: return logical ? MPI_LAND : MPI_MIN;
    case Combine::max: return logical ? MPI_LOR : MPI_MAX;
  }
  return MPI_REPLACE;
}

MPI_Datatype mpi_type(Number number) noexcept {
  switch (number) {
    case Number::float32: return MPI_FLOAT;
    case Number::float64: return MPI_DOUBLE;
    case Number::long_double: return MPI_LONG_DOUBLE;
    case Number::int32: return MPI_INT32_T;
    case Number::int64: return MPI_INT64_T;
    case Number::uint32: return MPI_UINT32_T;
    case Number::uint64: return MPI_UINT64_T;
    case Number::complex64: return MPI_C_FLOAT_COMPLEX;
    case Number::complex128: return MPI_C_DOUBLE_COMPLEX;
    case Number::boolean: return MPI_C_BOOL;
    case Number::float16:
    case Number::unknown: break;
  }
  return MPI_BYTE;
}

const char* name(const Combine& how) noexcept {
  if (how.loops() != nullptr) return "a function";
  switch (how.known()) {
    case Combine::replace: return "replace";
    case Combine::sum: return "sum";
    case Combine::min: return "min";
    case Combine::max: return "max";
  }
  return "?";
}

const char* name(Number number) noexcept {
  switch (number) {
    case Number::float16: return "float16";
    case Number::float32: return "float32";
    case Number::float64: return "float64";
    case Number::long_double: return "long double";
    case Number::int32: return "int32";
    case Number::int64: return "int64";
    case Number::uint32: return "uint32";
    case Number::uint64: return "uint64";
    case Number::complex64: return "complex64";
    case Number::complex128: return "complex128";
    case Number::boolean: return "bool";
    case Number::unknown: break;
  }
  return "nothing";
}

}  // namespace halocline::detail

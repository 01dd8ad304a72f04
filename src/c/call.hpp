#pragma once
// What every function of the C interface does: it checks what C cannot, calls C++, and turns an
// exception into a code and a line.

#include <halocline/halocline.h>
#include <halocline/error.hpp>

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halocline::c {

/// What only a caller from C can get wrong.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// The code of the exception that is being handled, whose line last_error has from now on.
int failed(const char* function) noexcept;

/// Runs the body of a function of the interface.
template <class Body>
int call(const char* function, Body&& body) noexcept {
  try {
    body();
    return HALOCLINE_SUCCESS;
  } catch (...) {
    return failed(function);
  }
}

/// Where this function has failed on a rank of `comm` (`code`, and last_error), throws its code and
/// line on all of them. Collective.
void agree(MPI_Comm comm, int code);

/// What `prepare()` makes of a caller's arguments, before ranks do something together: if they are
/// wrong on one of them, all fail alike. Collective.
template <class Prepare>
auto agreed(const char* function, MPI_Comm comm, Prepare&& prepare) {
  std::optional<decltype(prepare())> prepared;
  agree(comm, call(function, [&] { prepared.emplace(prepare()); }));
  return *std::move(prepared);
}

[[noreturn]] void is_null(const char* name);
[[noreturn]] void is_negative(const char* name, std::int64_t number);
[[noreturn]] void is_too_small(const char* name, std::int64_t number);
[[noreturn]] void is_no_kind(const char* name, int kind);

/// What a pointer points to, which must not be NULL.
template <class T>
T& at(T* pointer, const char* name) {
  if (pointer == nullptr) is_null(name);
  return *pointer;
}

/// The C++ object of a handle.
template <class Handle>
auto& in(Handle* handle, const char* name) {
  return at(handle, name).it;
}

template <std::integral Integer>
std::size_t size(Integer number, const char* name) {
  if (number < 0) is_negative(name, number);
  return static_cast<std::size_t>(number);
}

/// Reads the options that a program gives as it knows them: `given` are the `size` bytes, of which
/// this library knows the first `known`; `initialiser` is what they begin with. Throws if there is
/// no such size, or if what it does not know is not 0.
void read_options(void* options, std::size_t known, const void* given, std::int64_t size,
                  const char* initialiser);
/// The same the other way round, for a program that asks.
void write_options(const void* options, std::size_t known, void* to, std::int64_t size,
                   const char* initialiser);

/// The options that a program gives, of this version or another; NULL: the defaults.
template <class Options>
Options known(const Options* given, Options options, const char* initialiser) {
  if (given != nullptr) read_options(&options, sizeof options, given, given->size, initialiser);
  return options;
}

/// The size of something that there must be.
template <std::integral Integer>
std::size_t size_above_0(Integer number, const char* name) {
  if (number < 1) is_too_small(name, number);
  return static_cast<std::size_t>(number);
}

/// How many bytes so many of these are; throws where no memory has as many.
inline std::size_t product(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all) || all > PTRDIFF_MAX) throw std::bad_alloc();
  return all;
}

/// One of `kinds` constants that count from 0.
inline int kind(int number, int kinds, const char* name) {
  if (number < 0 || number >= kinds) is_no_kind(name, number);
  return number;
}

/// A list, which may be NULL where it is empty.
template <class To, class From>
std::vector<To> list(const From* entries, std::size_t count, const char* name) {
  if (count == 0) return {};
  return {&at(entries, name), entries + count};
}

/// Gives what a body makes, in a handle of its own.
template <class Handle, class Make>
int create(const char* function, Handle** handle, const char* name, Make&& make) noexcept {
  return call(function, [&] {
    at(handle, name) = nullptr;
    *handle = new Handle{make()};
  });
}

/// The same of what ranks make together, of what `prepare()` has made of the arguments.
template <class Handle, class Prepare, class Make>
int create_on(const char* function, MPI_Comm comm, Handle** handle, const char* name,
              Prepare&& prepare, Make&& make) noexcept {
  return call(function, [&] {
    auto prepared = agreed(function, comm, [&] {
      at(handle, name) = nullptr;
      return prepare();
    });
    *handle = new Handle{make(prepared)};
  });
}

template <class Handle>
int end(Handle** handle) noexcept {
  if (handle != nullptr) {
    delete *handle;
    *handle = nullptr;
  }
  return HALOCLINE_SUCCESS;
}

/// Writes one answer.
template <class T, class Ask>
int give(const char* function, T* answer, const char* name, Ask&& ask) noexcept {
  return call(function, [&] {
    T& there = at(answer, name);
    there = static_cast<T>(ask());
  });
}

/// Writes a list of answers.
template <class T, class Entries>
void write(const Entries& entries, T* to, const char* name) {
  if (entries.empty()) return;
  T* place = &at(to, name);
  for (const auto& entry : entries) *place++ = static_cast<T>(entry);
}

}  // namespace halocline::c

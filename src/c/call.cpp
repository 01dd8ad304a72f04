#include "call.hpp"

#include "mpi/refusal.hpp"

#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace halocline::c {

namespace {

thread_local std::string last_line;
/// If there is no memory for the line.
thread_local const char* last_words = "";

/// What a rank has failed with, on all.
class Agreed : public Error {
 public:
  Agreed(int code, const std::string& line) : Error(line), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

int remember(int code, const char* words, const char* function = nullptr) noexcept {
  try {
    last_line = function == nullptr ? words : std::string(function) + ": " + words;
    last_words = last_line.c_str();
  } catch (...) {
    last_words = "out of memory";
  }
  return code;
}

}  // namespace

int failed(const char* function) noexcept {
  try {
    throw;
  } catch (const Agreed& problem) {
    return remember(problem.code(), problem.what());
  } catch (const ArgumentError& problem) {
    return remember(HALOCLINE_ERROR_ARGUMENT, problem.what(), function);
  } catch (const Timeout& problem) {
    return remember(HALOCLINE_ERROR_TIMEOUT, problem.what());
  } catch (const mpi::CallFailed& problem) {
    return remember(HALOCLINE_ERROR_MPI, problem.what());
  } catch (const Error& problem) {
    return remember(HALOCLINE_ERROR, problem.what());
  } catch (const std::bad_alloc& problem) {
    return remember(HALOCLINE_ERROR_MEMORY, words_of(problem));
  } catch (const std::length_error& problem) {
    return remember(HALOCLINE_ERROR_MEMORY, words_of(problem));
  } catch (const std::exception& problem) {
    return remember(HALOCLINE_ERROR_UNKNOWN, problem.what());
  } catch (...) {
    return remember(HALOCLINE_ERROR_UNKNOWN, "unknown error");
  }
}

void agree(MPI_Comm comm, int code) {
  std::string line;
  if (code != HALOCLINE_SUCCESS) line = std::to_string(code) + last_words;
  const std::string said = mpi::complaint_of_all(comm, line);
  if (!said.empty()) throw Agreed(said[0] - '0', said.substr(1));
}

namespace {

/// How many of the `size` bytes of options both a program and the library know.
std::size_t shared_bytes(std::size_t known, std::int64_t size, const char* initialiser) {
  constexpr std::int64_t most = 4096;  // of a program that has set it
  if (size < static_cast<std::int64_t>(sizeof size) || size > most)
    throw ArgumentError("options.size is " + std::to_string(size) +
                        ", which is no size of them: " + "begin with = " + initialiser);
  return std::min(known, static_cast<std::size_t>(size));
}

}  // namespace

void read_options(void* options, std::size_t known, const void* given, std::int64_t size,
                  const char* initialiser) {
  std::memcpy(options, given, shared_bytes(known, size, initialiser));
  const auto* const bytes = static_cast<const std::byte*>(given);
  for (auto at = known; at < static_cast<std::size_t>(size); ++at)
    if (bytes[at] != std::byte{0})
      throw ArgumentError("options.size is " + std::to_string(size) + ", but version " +
                          version_text() + " of the library knows " + std::to_string(known) +
                          " bytes of them, and byte " + std::to_string(at) +
                          " is not 0: leave options of later versions as they are, or use the "
                          "library of this header");
}

void write_options(const void* options, std::size_t known, void* to, std::int64_t size,
                   const char* initialiser) {
  const std::size_t bytes = shared_bytes(known, size, initialiser);
  std::memcpy(static_cast<std::byte*>(to) + sizeof size,
              static_cast<const std::byte*>(options) + sizeof size, bytes - sizeof size);
}

void is_null(const char* name) {
  throw ArgumentError(std::string(name) + " is NULL");
}
void is_negative(const char* name, std::int64_t number) {
  throw ArgumentError(std::string(name) + " is " + std::to_string(number) + ", must be >= 0");
}
void is_too_small(const char* name, std::int64_t number) {
  throw ArgumentError(std::string(name) + " is " + std::to_string(number) + ", must be >= 1");
}
void is_no_kind(const char* name, int kind) {
  throw ArgumentError(std::string(name) + " is " + std::to_string(kind) +
                      ", which none of its constants is");
}

}  // namespace halocline::c

const char* halocline_last_error(void) {
  return halocline::c::last_words;
}

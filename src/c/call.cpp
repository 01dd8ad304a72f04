#include "call.hpp"

#include "mpi/refusal.hpp"

#include <halocline/more/mpi.hpp>

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

// JSON, written straight to a file from memory that is there: as one may in a signal handler.
#pragma once

#include "clock.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace recorder {

class Json {
 public:
  explicit Json(int file) : file_(file) {}
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  void raw(char letter) {
    if (size_ == sizeof(buffer_)) flush();
    buffer_[size_++] = letter;
  }
  void raw(const char* words) {
    for (; *words; ++words) raw(*words);
  }
  void number(std::int64_t value) {
    char digits[24];
    int count = 0;
    std::uint64_t rest =
        value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    if (value < 0) raw('-');
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    while (count > 0) raw(digits[--count]);
  }
  // Nanoseconds, as seconds.
  void seconds(std::int64_t value) {
    if (value < 0) {
      raw('-');
      value = -value;
    }
    number(value / 1'000'000'000);
    std::int64_t rest = value % 1'000'000'000;
    if (rest == 0) return;
    raw('.');
    for (std::int64_t digit = 100'000'000; rest != 0; digit /= 10) {
      raw(static_cast<char>('0' + rest / digit));
      rest %= digit;
    }
  }
  void duration(Ticks ticks) { seconds(static_cast<std::int64_t>(nanoseconds(ticks))); }
  void text(const char* words) {
    raw('"');
    for (; *words; ++words) {
      auto letter = static_cast<unsigned char>(*words);
      if (letter == '"' || letter == '\\') raw('\\');
      if (letter < 0x20) {
        raw("\\u00");
        raw("0123456789abcdef"[letter >> 4]);
        raw("0123456789abcdef"[letter & 15]);
      } else {
        raw(static_cast<char>(letter));
      }
    }
    raw('"');
  }

  // Objects and arrays: commas come by themselves.
  void open(char bracket) {
    comma();
    raw(bracket);
    first_ = true;
  }
  void close(char bracket) {
    raw(bracket);
    first_ = false;
  }
  Json& key(const char* words) {
    comma();
    text(words);
    raw(':');
    raw(' ');
    first_ = true;  // no comma before the value
    return *this;
  }
  void value(std::int64_t number_value) {
    comma();
    number(number_value);
  }
  void value_seconds(std::int64_t nanoseconds_value) {
    comma();
    seconds(nanoseconds_value);
  }
  void value_duration(Ticks ticks) {
    comma();
    duration(ticks);
  }
  void value_text(const char* words) {
    comma();
    text(words);
  }
  void value_raw(const char* words) {
    comma();
    raw(words);
  }
  void field(const char* name, std::int64_t number_value) { key(name).value(number_value); }
  void field(const char* name, const char* words) { key(name).value_text(words); }
  void field_duration(const char* name, Ticks ticks) { key(name).value_duration(ticks); }
  void field_moment(const char* name, Ticks ticks) { key(name).value_seconds(moment(ticks)); }
  void line_begins() {
    first_ = true;
    open('{');
  }
  void line_ends() {
    close('}');
    raw('\n');
  }

  void flush() {
    std::size_t done = 0;
    while (done < size_ && error_ == 0) {
      ssize_t wrote = write(file_, buffer_ + done, size_ - done);
      if (wrote > 0) {
        done += static_cast<std::size_t>(wrote);
      } else if (wrote < 0 && errno != EINTR) {
        error_ = errno;
      }
    }
    size_ = 0;
  }
  int error() const { return error_; }

 private:
  void comma() {
    if (!first_) raw(", ");
    first_ = false;
  }

  int file_;
  int error_ = 0;
  bool first_ = true;
  std::size_t size_ = 0;
  char buffer_[1 << 14];
};

}  // namespace recorder

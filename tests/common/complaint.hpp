#pragma once

#include <halocline/error.hpp>

#include <string>

/// What Halocline says when `call` throws its Error; empty if nothing is thrown.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
    return {};
  } catch (const halocline::Error& error) {
    return error.what();
  }
}

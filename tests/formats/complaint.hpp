#pragma once

#include <halocline/error.hpp>

#include <string>

/// What is thrown; "nothing" if nothing is.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
    return "nothing";
  } catch (const halocline::Error& error) {
    return error.what();
  }
}

#pragma once
// A file of choices for one test, on rank 0.

#include <halocline/halocline.hpp>
#include <halocline/more/tuner.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <string>

class Auto : public testing::Test {
 protected:
  Auto() {
    halocline::Tuning::current().file =
        (std::filesystem::temp_directory_path() / ("auto-test-" + std::to_string(getpid()))) /
        "tuning.json";
  }
  ~Auto() override {
    std::filesystem::remove_all(path().parent_path());
    halocline::Tuning::current().file.clear();
  }

  std::filesystem::path path() const { return halocline::Tuning::current().file; }
  static bool root() { return halocline::mpi::rank(halocline::world()) == 0; }
};

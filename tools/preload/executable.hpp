// What is to be run: where it is, and which libraries it loads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace preload {

// What a line on the standard error says before the program has begun.
struct Refusal {
  std::string words;
  int status = 1;
};

// Finds a program as the shell does: by PATH if it names no folder.
std::string find_program(const std::string& name);

enum class Kind { kDynamic, kStatic, kScript, kOther };
struct Executable {
  Kind kind = Kind::kOther;
  std::string linker;       // of a dynamic one: who loads its libraries
  std::string interpreter;  // of a script
};
Executable look_at(const std::string& path);

// What the dynamic linker loads with it.
struct Libraries {
  std::vector<std::string> mpi;    // libraries of MPI
  std::vector<std::string> tools;  // and of others that stand in front of it
};
// Throws if a library of MPI is not there.
Libraries libraries_of(const std::string& path, const Executable& what);

// Is it a tool of MPI's profiling interface: has it functions with MPI's names, and calls PMPI?
bool is_tool(const std::string& path);

bool file_contains(const std::string& path, std::string_view words);

}  // namespace preload

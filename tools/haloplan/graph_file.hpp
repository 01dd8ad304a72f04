#pragma once
// Graphs and partitions from files.

#include <halocline/more/partition.hpp>

#include <string>
#include <vector>

namespace haloplan {

/// A matrix as Matrix Market has it (coordinates; row and column of each entry need each other), or
/// a graph as METIS has it, with its weights and sizes. Throws halocline::Error naming file, line
/// and what is wrong there.
halocline::Graph read_graph(const std::string& file);

/// The part of each vertex, a line each, as gpmetis writes it: parts from 0 on, none of them empty.
std::vector<int> read_parts(const std::string& file, int vertices);

}  // namespace haloplan

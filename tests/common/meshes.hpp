#pragma once
// Meshes for tests of partitions: a torus with a refined part, random points with their neighbours,
// and a plate with a hole. Their vertices are numbered as a generator numbers them.

#include <halocline/more/partition.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <vector>

/// The surface of a torus, of rings of quadrilaterals; in a quarter of them each is cut in four.
/// The coarse mesh is numbered ring by ring, and vertices that refinement adds come after it.
inline halocline::Graph torus(int around, int across) {
  using std::numbers::pi;
  std::map<std::pair<int, int>, int> number;  // by place in the fine grid
  halocline::Graph graph;
  const int fine = 2 * around, finer = 2 * across;
  for (const bool coarse : {true, false})
    for (int i = 0; i < (coarse ? fine : fine / 4); ++i)
      for (int j = 0; j < finer; ++j) {
        if (coarse != (i % 2 == 0 && j % 2 == 0)) continue;
        number[{i, j}] = static_cast<int>(number.size());
        const double u = 2 * pi * i / fine, v = 2 * pi * j / finer;
        graph.places.push_back(
            {(3 + std::cos(v)) * std::cos(u), (3 + std::cos(v)) * std::sin(u), std::sin(v)});
      }
  std::vector<std::pair<int, int>> edges;
  for (const auto& [at, vertex] : number)
    for (const auto& [di, dj] : {std::pair{1, 0}, {0, 1}})
      for (const int step : {1, 2}) {
        const auto next =
            number.find({(at.first + step * di) % fine, (at.second + step * dj) % finer});
        if (next == number.end()) continue;
        edges.emplace_back(vertex, next->second);
        break;
      }
  auto places = std::move(graph.places);
  graph = halocline::Graph::of_edges(static_cast<int>(number.size()), std::move(edges));
  graph.places = std::move(places);
  return graph;
}

/// Points in a square as they are drawn, and all pairs within `radius`.
inline halocline::Graph random_points(int points, double radius) {
  std::mt19937 dice(5);
  std::uniform_real_distribution<double> in_square(0, 1);
  std::vector<std::array<double, 3>> places(static_cast<std::size_t>(points));
  for (auto& place : places) place = {in_square(dice), in_square(dice), 0};
  const int boxes = std::max(1, static_cast<int>(1 / radius));
  const auto box = [&](double x) { return std::min(boxes - 1, static_cast<int>(x * boxes)); };
  std::map<std::pair<int, int>, std::vector<int>> near;
  for (int v = 0; v < points; ++v) {
    const auto& place = places[static_cast<std::size_t>(v)];
    near[{box(place[0]), box(place[1])}].push_back(v);
  }
  std::vector<std::pair<int, int>> edges;
  for (int v = 0; v < points; ++v) {
    const auto& place = places[static_cast<std::size_t>(v)];
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j) {
        const auto found = near.find({box(place[0]) + i, box(place[1]) + j});
        if (found == near.end()) continue;
        for (const int other : found->second) {
          const auto& there = places[static_cast<std::size_t>(other)];
          if (other > v && std::hypot(place[0] - there[0], place[1] - there[1]) < radius)
            edges.emplace_back(v, other);
        }
      }
  }
  halocline::Graph graph = halocline::Graph::of_edges(points, std::move(edges));
  graph.places = std::move(places);
  return graph;
}

/// A plate with a hole, numbered row by row, as the matrix of its bilinear elements has it.
inline halocline::Graph plate_with_a_hole(int side) {
  std::map<std::pair<int, int>, int> number;
  const double middle = side / 2.0;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      if (std::hypot(i - middle, j - middle) > side / 5.0)
        number[{i, j}] = static_cast<int>(number.size());
  std::vector<std::pair<int, int>> edges;
  for (const auto& [at, vertex] : number)
    for (int di = -1; di <= 1; ++di)
      for (int dj = -1; dj <= 1; ++dj)
        if (const auto found = number.find({at.first + di, at.second + dj}); found != number.end())
          edges.emplace_back(vertex, found->second);
  return halocline::Graph::of_edges(static_cast<int>(number.size()), std::move(edges));
}

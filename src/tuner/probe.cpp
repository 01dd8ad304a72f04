#include "probe.hpp"

#include <halocline/wait.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

namespace halocline::detail {

namespace {

/// Calls `visit(address, bytes)` for every contiguous part.
template <class Visit>
void each_row(std::byte* begin, std::array<std::int64_t, 2> count,
              std::array<std::ptrdiff_t, 2> stride, std::size_t bytes, Visit&& visit) {
  for (std::int64_t plane = 0; plane < count[0]; ++plane)
    for (std::int64_t row = 0; row < count[1]; ++row)
      visit(begin + plane * stride[0] + row * stride[1], bytes);
}

/// Calls `visit` for every contiguous part of a receive link's cells, where they can be read.
template <class Visit>
void each_row(const Method& method, std::size_t link, Visit&& visit) {
  const Setup& setup = method.setup();
  const auto& blocks = setup.pattern.receives()[link].blocks;
  for (std::size_t f = 0; f < setup.fields.size(); ++f)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const View view = method.view(link, b, f);
      each_row(const_cast<std::byte*>(view.data),
               {static_cast<std::int64_t>(blocks[b].count[0]),
                static_cast<std::int64_t>(blocks[b].count[1])},
               view.stride, blocks[b].count[2] * setup.fields[f].element_bytes, visit);
    }
}

/// A barrier that lets others work where ranks share a core.
void assemble(const Method& method) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, method.setup().comm, &request);
  wait("auto: the other ranks", request);
}

}  // namespace

Cells::Cells(const Setup& setup) : bases_(bases_of(setup.fields)) {
  const auto add = [&](std::vector<Part>& parts, const Link& link) {
    Part part{.layout = Layout(link.blocks, setup.fields)};
    part.before.resize(part.layout.bytes());
    part.layout.pack(bases_, part.before.data());
    parts.push_back(std::move(part));
  };
  for (const Link& link : setup.pattern.sends()) add(leaving_, link);
  for (const Link& link : setup.pattern.receives()) add(landing_, link);
  add(leaving_, setup.pattern.copies_from());
  add(landing_, setup.pattern.copies_to());
  copied_ = landing_.back().layout;

  // The cells of several links may overlap, so that the last written counts: test values are what
  // is found in the cells when all have been written.
  std::minstd_rand dice(1 + static_cast<unsigned>(mpi::rank(setup.comm)));
  for (int set = 0; set < 2; ++set) {
    for (Part& part : leaving_) {
      part.tests[set].resize(part.before.size());
      for (std::byte& byte : part.tests[set]) byte = static_cast<std::byte>(dice() >> 8);
      part.layout.unpack(bases_, part.tests[set].data());
    }
    for (Part& part : leaving_) part.layout.pack(bases_, part.tests[set].data());
  }
  for (Part& part : landing_) part.tests[0].assign(part.before.size(), std::byte{0xC3});

  for (const Part& part : leaving_)
    for (const Piece& piece : part.layout.pieces())
      each_row(bases_[static_cast<std::size_t>(piece.field)] + piece.offset,
               {piece.planes, piece.rows}, {piece.plane_stride, piece.row_stride},
               static_cast<std::size_t>(piece.row_bytes),
               [&](std::byte* row, std::size_t bytes) { rows_.emplace_back(row, bytes); });
}

void Cells::fill(int set) {
  for (const Part& part : landing_) part.layout.unpack(bases_, part.tests[0].data());
  for (const Part& part : leaving_) part.layout.unpack(bases_, part.tests[set].data());
}

bool Cells::kept(int set) const {
  return std::all_of(leaving_.begin(), leaving_.end(), [&](const Part& part) {
    std::vector<std::byte> now(part.before.size());
    part.layout.pack(bases_, now.data());
    return now == part.tests[set];
  });
}

std::vector<std::byte> Cells::copied() const {
  std::vector<std::byte> bytes(copied_.bytes());
  copied_.pack(bases_, bytes.data());
  return bytes;
}

void Cells::rewrite() const {
  static volatile unsigned char unknown = 0;  // to the compiler
  const std::byte nothing{unknown};
  for (const std::span<std::byte> row : rows_)
    for (std::byte& byte : row) byte ^= nothing;
}

void Cells::restore() const {
  for (const auto* parts : {&leaving_, &landing_})
    for (const Part& part : *parts) part.layout.unpack(bases_, part.before.data());
}

Probe::Probe(std::unique_ptr<Method> method, const Cells& cells)
    : method_(std::move(method)), cells_(cells) {
  for (std::size_t link = 0; link < method_->setup().pattern.receives().size(); ++link)
    each_row(*method_, link,
             [&](std::byte* row, std::size_t bytes) { rows_.emplace_back(row, bytes); });
}

std::vector<std::byte> Probe::arrived(Cells& cells, int set, bool& kept) {
  // Cells that neighbours read in place must not change before all have looked.
  if (method_->direct()) assemble(*method_);
  cells.fill(set);
  method_->start();
  method_->finish();
  std::vector<std::byte> bytes = cells.copied();
  for (std::size_t link = 0; link < method_->setup().pattern.receives().size(); ++link)
    each_row(*method_, link, [&](const std::byte* row, std::size_t size) {
      bytes.insert(bytes.end(), row, row + size);
    });
  kept = cells.kept(set);
  if (method_->direct()) assemble(*method_);
  return bytes;
}

void Probe::one() {
  cells_.rewrite();
  method_->start();
  method_->finish();
  std::byte all{};
  for (const std::span<std::byte> row : rows_)
    for (const std::byte byte : row) all ^= byte;
  seen_ = all;
}

double Probe::seconds(int exchanges) {
  one();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < exchanges; ++i) one();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace halocline::detail

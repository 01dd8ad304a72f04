#include "probe.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

namespace halocline::detail {

namespace {

constexpr std::size_t checked_word = sizeof(std::uint64_t);
// What a core can look ahead is less than computing with so many bytes.
constexpr std::ptrdiff_t most_before = 4096;

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
  const Link& receive = setup.pattern.receives()[link];
  if (!method.direct()) {
    const Layout cells = setup.receive_layout(receive);
    for (const Piece& piece : cells.pieces())
      each_row(static_cast<std::byte*>(setup.fields[static_cast<std::size_t>(piece.field)].data) +
                   piece.offset,
               {piece.planes, piece.rows}, {piece.plane_stride, piece.row_stride},
               static_cast<std::size_t>(piece.row_bytes), visit);
    return;
  }
  for (std::size_t f = 0; f < setup.fields_in_message(); ++f)
    for (std::size_t b = 0; b < receive.blocks.size(); ++b) {
      const Block& block = receive.blocks[b];
      const HaloView view = method.view(link, b, f);
      each_row(
          const_cast<std::byte*>(view.data),
          {static_cast<std::int64_t>(block.count[0]), static_cast<std::int64_t>(block.count[1])},
          {view.stride[0], view.stride[1]}, block.count[2] * setup.fields[f].element_bytes, visit);
    }
}

/// A barrier that lets others work where ranks share a core.
void assemble(const Method& method) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, method.setup().comm, &request);
  wait_one("auto: the other ranks", request);
}

}  // namespace

Cells::Cells(const Setup& setup)
    : bases_(bases_of(setup.fields)),
      constant_(std::ranges::any_of(setup.send_fields(), &Field::read_only)) {
  const auto add = [&](std::vector<Part>& parts, Layout layout) {
    Part part{.layout = std::move(layout)};
    part.before.resize(part.layout.bytes());
    part.layout.pack(bases_, part.before.data());
    parts.push_back(std::move(part));
  };
  for (const Link& link : setup.pattern.sends()) add(sent_, setup.send_layout(link));
  for (const Link& link : setup.pattern.receives()) add(received_, setup.receive_layout(link));
  add(sent_, setup.send_layout(setup.pattern.copies_from()));
  add(received_, setup.receive_layout(setup.pattern.copies_to()));
  copied_ = received_.back().layout;

  // The cells of several links may overlap, so that the last written counts: test values are what
  // is found in the cells when all have been written.
  std::minstd_rand dice(1 + static_cast<unsigned>(mpi::rank(setup.comm)));
  for (int set = 0; set < 2; ++set) {
    for (Part& part : sent_) {
      part.tests[set] = part.before;
      if (constant_) continue;
      for (std::byte& byte : part.tests[set]) byte = static_cast<std::byte>(dice() >> 8);
      part.layout.unpack(bases_, part.tests[set].data());
    }
    for (Part& part : sent_) part.layout.pack(bases_, part.tests[set].data());
  }
  for (Part& part : received_) part.tests[0].assign(part.before.size(), std::byte{0xC3});

  find_rows();
}

void Cells::find_rows() {
  for (std::size_t field = 0; field < bases_.size(); ++field) {
    const auto first = static_cast<std::ptrdiff_t>(rows_.size());
    for (const Part& part : sent_)
      for (const Piece& piece : part.layout.pieces())
        if (static_cast<std::size_t>(piece.field) == field)
          each_row(bases_[field] + piece.offset, {piece.planes, piece.rows},
                   {piece.plane_stride, piece.row_stride},
                   static_cast<std::size_t>(piece.row_bytes),
                   [&](std::byte* row, std::size_t bytes) {
                     rows_.push_back({.cells = {row, bytes}});
                   });
    std::sort(rows_.begin() + first, rows_.end(), [](const Row& one, const Row& other) {
      return one.cells.data() < other.cells.data();
    });
    for (auto row = rows_.begin() + first; row != rows_.end(); ++row) {
      if (row == rows_.begin() + first) continue;
      const std::byte* const end = row->cells.data();
      const std::byte* const begin = std::prev(row)->cells.data() + std::prev(row)->cells.size();
      // Cells that are sent to several ranks are rows that overlap.
      if (begin < end)
        row->before = {std::max(begin, end - std::min(end - begin, most_before)), end};
    }
  }
  beside_.assign(4 * most_before / checked_word, 1);
  result_.resize(most_before / checked_word);
}

void Cells::fill(int set) {
  for (const Part& part : received_) part.layout.unpack(bases_, part.tests[0].data());
  if (constant_) return;
  for (const Part& part : sent_) part.layout.unpack(bases_, part.tests[set].data());
}

bool Cells::kept(int set) const {
  return std::all_of(sent_.begin(), sent_.end(), [&](const Part& part) {
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

void Cells::rewrite() {
  static volatile unsigned char unknown = 0;  // to the compiler
  const std::byte nothing{unknown};
  for (const Row& row : rows_) {
    compute(row.before);
    if (!constant_)
      for (std::byte& byte : row.cells) byte ^= nothing;
  }
}

/// As much as Jacobi's method does in three dimensions: six cells are read and one is written,
/// though not in the caller's field. As integers, since bytes that are none are slow as numbers.
void Cells::compute(std::span<const std::byte> cells) {
  const auto at = [&](std::size_t i) {
    std::uint64_t value;
    std::memcpy(&value, cells.data() + i * checked_word, checked_word);
    return value;
  };
  const std::uint64_t* const south = beside_.data();
  const std::uint64_t *const north = south + result_.size(), *const below = north + result_.size(),
                             *const above = below + result_.size();
  std::uint64_t* const __restrict to = result_.data();
  for (std::size_t i = 1; i + 1 < cells.size() / checked_word; ++i)
    to[i] = ((at(i - 1) + at(i + 1)) + (south[i] + north[i])) + (below[i] + above[i]);
}

void Cells::restore() const {
  for (const auto* parts : {&sent_, &received_}) {
    if (parts == &sent_ && constant_) continue;
    for (const Part& part : *parts) part.layout.unpack(bases_, part.before.data());
  }
}

Probe::Probe(std::unique_ptr<Method> method, Cells& cells)
    : method_(std::move(method)), cells_(cells) {
  for (std::size_t link = 0; link < method_->setup().pattern.receives().size(); ++link)
    each_row(*method_, link,
             [&](std::byte* row, std::size_t bytes) { rows_.emplace_back(row, bytes); });
}

std::vector<std::byte> Probe::arrived(int set, bool& kept) {
  // Cells that neighbours read in place must not change before all have looked.
  if (method_->direct()) assemble(*method_);
  cells_.fill(set);
  method_->start();
  method_->finish();
  std::vector<std::byte> bytes = cells_.copied();
  for (std::size_t link = 0; link < method_->setup().pattern.receives().size(); ++link)
    each_row(*method_, link, [&](const std::byte* row, std::size_t size) {
      bytes.insert(bytes.end(), row, row + size);
    });
  kept = cells_.kept(set);
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

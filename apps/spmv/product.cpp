#include "product.hpp"

#include "slice_columns.hpp"

#include <machine/lap.hpp>
#include <machine/stopwatch.hpp>
#include <machine/stream.hpp>

#include <halocline/more/device_trace.hpp>

#include <algorithm>
#include <limits>

namespace spmv {

using namespace halocline;

namespace {

constexpr int units_a_thread = 64;

/// Columns as places of x.
std::vector<std::int32_t> places_of(MPI_Comm comm, const Matrix& matrix, const Halo& halo,
                                    int threads) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
  const std::int64_t larger = std::max(halo.elements(), matrix.rows.size());
  mpi::agree(comm, larger <= most ? ""
                                  : "a rank has " + std::to_string(larger) +
                                        " rows and columns; take more ranks, for at most " +
                                        std::to_string(most) + " on each");
  std::vector<std::int32_t> places(matrix.columns.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t e = 0; e < places.size(); ++e)
    places[e] = static_cast<std::int32_t>(halo.place(matrix.columns[e]));
  return places;
}

}  // namespace

Style Plan::sharing() const {
  if (style) return *style;
  switch (mode) {
    case Mode::vector: return "masteronly";
    case Mode::naive: return "naive";
    case Mode::task: return "thread";
  }
  throw Error("spmv: there is no such mode");
}

Product::Product(MPI_Comm comm, const Matrix& matrix, const Plan& plan, int inputs)
    : comm_(comm),
      plan_(plan),
      halo_(halo_of(comm, matrix)),
      rows_(matrix.rows.size()),
      entries_(matrix.entries()) {
  // One more element than there are, which is 0.
  auto most = halo_.elements() + 1;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  constexpr std::int64_t line = 8;
  stride_ = static_cast<std::size_t>((most + line - 1) / line * line);
  const std::size_t elements = stride_ * static_cast<std::size_t>(inputs);
  memory_ =
      plan.device ? Array<double>(comm, elements) : Array<double>(comm, elements, plan.scheme);
  if (plan.device) put_on_device(comm, elements);
  const Array<double>& exchanged = plan.device ? there_->x : memory_;
  std::vector<Field> fields;
  for (int input = 0; input < inputs; ++input) {
    Field& field = fields.emplace_back(exchanged);
    field.data = exchanged.data() + static_cast<std::size_t>(input) * stride_;
    field.elements = stride_;
  }
  if (!plan.device)
    styled_.emplace(comm, halo_.pattern, fields, plan.scheme, plan.sharing(), plan.threads,
                    Halos::in_place);
  for (const Field& field : fields) {
    if (styled_) break;
    // What `auto` has chosen for the first is good for the others.
    there_->exchanges.emplace_back(
        comm, halo_.pattern, std::vector{field},
        there_->exchanges.empty() || machine::chooses_in_laps(plan.scheme)
            ? plan.scheme
            : there_->exchanges[0].scheme());
  }
  if (styled_ && machine::chooses_in_laps(plan.scheme)) {
    section_.emplace(comm, std::initializer_list<Exchange*>{});
    styled_->join(*section_);
  }

  std::vector<std::int32_t> places = places_of(comm, matrix, halo_, plan.threads);
  if (reads_in_place()) read_in_place(places);
  std::vector<std::int32_t> inner, border;
  for (std::int32_t row = 0; row < static_cast<std::int32_t>(rows_); ++row) {
    const bool own = needs_nobody(matrix, static_cast<std::size_t>(row), halo_.own);
    (own && (plan.mode != Mode::vector || plan.style) ? inner : border).push_back(row);
  }
  inner_rows_ = std::ssize(inner);
  Rows rows{matrix.begin, places, matrix.values, inner.size() > border.size() ? inner : border};
  choose(rows);
  rows.which = inner;
  inner_ = part(rows, plan_.layout, sigma_);
  rows.which = border;
  border_ = part(rows, plan_.layout, sigma_);
  // Units that threads can share, all with as much to do.
  inner_units_ = inner_.format->shares(units_a_thread * plan.threads);
  border_units_ = border_.format->shares(units_a_thread * plan.threads);
  if (styled_ && plan.sharing() == "partitioned") touch(matrix);
  if (plan.device) {
    there_->inner = DevicePart(there_->device, there_->stream, *inner_.format);
    there_->border = DevicePart(there_->device, there_->stream, *border_.format);
  }
}

void Product::put_on_device(MPI_Comm comm, std::size_t elements) {
  Array<double> x(comm, elements, MemoryKind::device);
  Device& device = *opened_device();
  there_ = std::make_unique<There>(
      device, device.make_stream(), std::move(x),
      Array<double>(comm, static_cast<std::size_t>(rows_), MemoryKind::device),
      std::vector<bool>(elements / stride_, true));
  there_->multiply = reinterpret_cast<DeviceMultiply>(device.kernel("spmv", "spmv_multiply"));
}

void Product::multiply_there(double* y, int which) {
  There& there = *there_;
  const auto input = static_cast<std::size_t>(which);
  double* const x = there.x.data() + input * stride_;
  const auto copy = [&](void* to, const void* from, std::int64_t count, DeviceCopy way) {
    const machine::Stopwatch copying(times.copy);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    const trace::Copy traced(way, bytes);
    there.device.copy(to, from, bytes, way, there.stream);
    there.device.wait(there.stream);
    (way == DeviceCopy::to_host ? there.traffic.to_host : there.traffic.to_device) += bytes;
    ++there.traffic.copies;
  };
  if (there.is_old[input])
    copy(x, memory_.data() + input * stride_, halo_.own.size(), DeviceCopy::to_device);
  there.is_old[input] = false;
  Exchange& exchange = there.exchanges[input];
  {
    const machine::Stopwatch waiting(times.wait);
    exchange.start(there.stream);
  }
  there.multiply(there.inner.rows(), x, there.y.data(), there.stream);
  {
    const machine::Stopwatch waiting(times.wait);
    exchange.finish(there.stream);
  }
  {
    const machine::Stopwatch computing(times.compute);
    there.multiply(there.border.rows(), x, there.y.data(), there.stream);
    there.device.wait(there.stream);
  }
  if (y != nullptr) copy(y, there.y.data(), rows_, DeviceCopy::to_host);
}

DeviceTraffic Product::device_traffic() const {
  if (!there_) return {};
  DeviceTraffic all = there_->traffic;
  for (const Exchange& exchange : there_->exchanges) all += exchange.device_traffic();
  return all;
}

Product::Part Product::part(const Rows& rows, Layout layout, std::int64_t sigma) const {
  Part part;
  const auto zero = static_cast<std::int32_t>(halo_.elements());
  // Where threads take pieces as they come for them, there must be some more blocks.
  const Style sharing = plan_.sharing();
  const int blocks = plan_.threads * (sharing == "masteronly" || sharing == "naive" ? 1 : 16);
  switch (layout) {
    case Layout::crs: part.format = make_crs(rows, plan_.threads); break;
    case Layout::symmetric: part.format = make_symmetric(rows, plan_.threads, blocks, zero); break;
    default: {
      constexpr std::size_t caches = 1 << 25;  // that a rank has for itself, or less
      const Again again = rows.values.size_bytes() > caches ? Again::late : Again::soon;
      part.format = make_sell(rows, plan_.threads, sigma, zero, again);
    }
  }
  part.shares = part.format->shares(plan_.threads);
  return part;
}

/// The format and what it sorts within, where the plan leaves them open: the fastest of some, the
/// same on all ranks. Nothing is measured where SELL fills up next to nothing: then its slices are
/// shorter than CRS, and sorting can save nothing.
void Product::choose(const Rows& rows) {
  sigma_ = std::max<std::int64_t>(1, plan_.sigma);
  if (plan_.layout == Layout::crs || plan_.layout == Layout::symmetric || plan_.sigma > 0) return;
  std::int64_t entries = 0;
  for (const std::int32_t row : rows.which) entries += rows.length(row);
  std::vector<std::pair<Layout, std::int64_t>> candidates{
      {Layout::sell, 1}, {Layout::sell, 32 * slice_rows}, {Layout::sell, 1024 * slice_rows}};
  if (plan_.layout == Layout::automatic) candidates.emplace_back(Layout::crs, 1);
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [layout, sigma] : candidates) {
    const Part one = part(rows, layout, sigma);
    if (least == std::numeric_limits<double>::infinity()) {
      plan_.layout = layout;
      const bool full = static_cast<double>(one.stored()) <= 1.02 * static_cast<double>(entries);
      if (mpi::all_of(comm_, full)) return;
    }
    double seconds = time_of(one, rows);
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    if (seconds < least) least = seconds, plan_.layout = layout, sigma_ = sigma;
  }
}

/// Seconds of a product: the least of some.
double Product::time_of(const Part& part, const Rows& rows) const {
  if (rows.which.empty()) return 0;
  std::vector<double> y(static_cast<std::size_t>(rows_));
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4; ++i) {
    const auto begin = machine::Clock::now();
#pragma omp parallel for schedule(static, 1) num_threads(plan_.threads)
    for (int thread = 0; thread < plan_.threads; ++thread)
      part.multiply(memory_.data(), y.data(), thread);
    if (i > 0) least = std::min(least, machine::seconds_since(begin));
  }
  return least;
}

/// Tells which elements of x from other ranks each unit of the border reads.
void Product::touch(const Matrix& matrix) {
  std::vector<Touched> units;
  for (std::size_t unit = 0; unit + 1 < border_units_.size(); ++unit) {
    std::int64_t least = halo_.elements(), end = 0;
    for (std::int64_t slice = border_units_[unit]; slice < border_units_[unit + 1]; ++slice)
      for (const std::int32_t row : border_.format->rows_of(slice)) {
        const auto r = static_cast<std::size_t>(row);
        for (auto e = static_cast<std::size_t>(matrix.begin[r]);
             e < static_cast<std::size_t>(matrix.begin[r + 1]); ++e) {
          if (halo_.owns(matrix.columns[e])) continue;
          const std::int64_t place = halo_.place(matrix.columns[e]);
          least = std::min(least, place);
          end = std::max(end, place + 1);
        }
      }
    Touched& touched = units.emplace_back();
    if (least < end)
      touched.reads = {.offset = least, .count = {1, 1, static_cast<std::size_t>(end - least)}};
  }
  styled_->touch(units);
}

/// Gives columns that lie in a neighbour's memory the place that they have there, counted from my
/// x. All inputs lie in one array, at the same places on all ranks, so it is the same for them.
void Product::read_in_place(std::vector<std::int32_t>& places) {
  std::vector<std::int32_t> there(halo_.outside.size());
  std::string complaint;
  const auto own = static_cast<std::size_t>(halo_.own.size());
  const auto& receives = halo_.pattern.receives();
  for (std::size_t link = 0; link < receives.size(); ++link) {
    const auto& blocks = receives[link].blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::byte* const at = styled_->view(link, b).data;
      const std::ptrdiff_t away = (at - reinterpret_cast<const std::byte*>(memory_.data())) /
                                  static_cast<std::ptrdiff_t>(sizeof(double));
      for (std::size_t i = 0; i < blocks[b].count[2]; ++i) {
        const std::ptrdiff_t place = away + static_cast<std::ptrdiff_t>(i);
        // A diagonal begins some lanes before.
        const std::ptrdiff_t least = place - slice_rows;
        if (place != static_cast<std::int32_t>(place) || least != static_cast<std::int32_t>(least))
          complaint = plan_.scheme.str() +
                      ": a neighbour's x is too far away to be counted in 32 "
                      "bits; use access=copy";
        there[static_cast<std::size_t>(blocks[b].offset) - own + i] =
            static_cast<std::int32_t>(place);
      }
    }
  }
  mpi::agree(comm_, complaint);
  for (std::int32_t& place : places)
    if (static_cast<std::size_t>(place) >= own)
      place = there[static_cast<std::size_t>(place) - own];
}

std::span<double> Product::x(int input) const {
  if (there_) there_->is_old[static_cast<std::size_t>(input)] = true;
  return {memory_.data() + static_cast<std::size_t>(input) * stride_,
          static_cast<std::size_t>(halo_.own.size())};
}

double Product::bytes() const {
  return inner_.format->bytes() + border_.format->bytes() +
         8.0 * static_cast<double>(halo_.elements());
}

double Product::read() const {
  Format::Memory all = inner_.format->memory();
  for (const auto& part : border_.format->memory()) all.push_back(part);
  all.push_back(
      std::as_bytes(std::span(memory_.data(), static_cast<std::size_t>(halo_.elements()))));
  double bytes = 0;
  for (const auto& part : all) {
    machine::read(part, plan_.threads);
    bytes += static_cast<double>(part.size());
  }
  return bytes;
}

void Product::multiply(double* y, int input) {
  if (there_) return multiply_there(y, input);
  const double* const x = this->x(input).data();
  const auto piece = [&](const Part& part, const std::vector<std::int64_t>& units) {
    return [&, x, y](std::int64_t begin, std::int64_t end, int) {
      part.format->multiply(x, y, units[static_cast<std::size_t>(begin)],
                            units[static_cast<std::size_t>(end)]);
    };
  };
  styled_->step({.inner = std::ssize(inner_units_) - 1,
                 .border = std::ssize(border_units_) - 1,
                 .sweep_inner = piece(inner_, inner_units_),
                 .sweep_border = piece(border_, border_units_)},
                static_cast<std::size_t>(input));
  times.compute += styled_->times().sweep;
  times.wait += styled_->times().exchange;
  styled_->reset_times();
}

}  // namespace spmv

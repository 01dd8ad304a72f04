// gaspi+pack=off: the fields themselves are segments. Rows of cells go from field to field by
// lists, the last of which notifies, and nothing is packed.
//
//   start    gaspi_notify              my halo may be written now
//            gaspi_write_list_notify   to whoever has said so
//   finish   gaspi_notify_waitsome     all has come
//            gaspi_wait                all has left: my cells may be written again

#include "links.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace halocline_gaspi {

namespace {

constexpr int turns = 2;  // of notifications: a message's and the next one's are apart

class InPlace final : public Method {
 public:
  explicit InPlace(Setup s)
      : Method(std::move(s)),
        links_(setup(), ends(pattern().sends()), ends(pattern().receives()), turns, true) {
    mpi::together(comm(), [&] { make_segments(); });
    // Where receivers have what I send.
    std::vector<Numbers> mine;
    for (const Link& link : pattern().receives())
      mine.push_back(runs_of(setup().receive_layout(link)));
    const std::vector<Numbers> theirs = trade(comm(), setup().sources(), mine, setup().targets());
    for (std::size_t link = 0; link < theirs.size(); ++link)
      rows_.push_back(rows(runs_of(setup().send_layout(pattern().sends()[link])), theirs[link]));
  }

  ~InPlace() override {
    if (finished_ == step_ && !mpi::abandoning()) return;
    links_.abandon();
    static auto& kept = *new std::vector<std::vector<std::shared_ptr<FieldSegment>>>;
    kept.push_back(std::move(fields_));  // something may still be on its way
  }

  void start() override {
    ++step_;
    for (std::size_t link = 0; link < pattern().receives().size(); ++link)
      links_.notify_read(link, step_);
    for (std::size_t link = 0; link < rows_.size(); ++link) {
      links_.set_permits(link, step_);
      {
        const auto time = waiting();
        wait_until(what(),
                   [&] { return links_.read_of(link) >= step_ || (let_progress(comm()), false); });
      }
      maybe_delay();
      const auto time = transferring();
      const Layout cells =
          setup().framing ? setup().send_layout(pattern().sends()[link]) : Layout();
      const std::size_t bytes = setup().bytes(pattern().sends()[link]);
      links_.send(link, step_, rows_[link],
                  setup().framing ? setup().in_use(cells.address(bases()), bytes) : bytes);
    }
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    const auto time = waiting();
    for (std::size_t left = pattern().receives().size(); left > 0; --left)
      wait_until(what(),
                 [&] { return links_.next(step_).has_value() || (let_progress(comm()), false); });
    wait_until(what(), [&] { return links_.has_left(step_) || (let_progress(comm()), false); });
    finished_ = step_;
  }

 private:
  /// Messages have no slots.
  static std::vector<NotifiedLinks::End> ends(const std::vector<Link>& links) {
    std::vector<NotifiedLinks::End> all;
    for (const Link& link : links) all.push_back({link.peer, 0});
    return all;
  }

  void make_segments() {
    const std::vector<int> sources = setup().sources();
    const std::vector<int> ranks = mpi::translate(comm(), sources, world());
    const Blocking guard(what());
    for (std::size_t f = 0; f < setup().fields.size(); ++f) {
      const bool received = f >= setup().first_receive_field();
      const Reach reach = setup().reach(f);
      begins_.push_back(reach.begin);
      fields_.push_back(reach.bytes() == 0 ? nullptr
                                           : FieldSegment::of(bases()[f] + reach.begin,
                                                              reach.bytes(), scheme().str()));
      if (received && fields_.back()) fields_.back()->register_at(ranks);
    }
  }

  /// Segment, where in it, and bytes of each row of cells, one after the other.
  Numbers runs_of(const Layout& cells) const {
    Numbers runs;
    for (const Piece& piece : cells.pieces()) {
      const auto field = static_cast<std::size_t>(piece.field);
      const std::int64_t at = piece.offset - begins_[field];
      for (std::int64_t plane = 0; plane < piece.planes; ++plane)
        for (std::int64_t row = 0; row < piece.rows; ++row)
          runs.insert(runs.end(),
                      {fields_[field]->segment(),
                       at + plane * piece.plane_stride + row * piece.row_stride, piece.row_bytes});
    }
    return runs;
  }

  /// Rows of both sides, cut where either of them ends.
  std::vector<NotifiedLinks::Row> rows(Numbers sent, Numbers received) const {
    std::vector<NotifiedLinks::Row> all;
    for (auto out = sent.begin(), in = received.begin();
         out != sent.end() && in != received.end();) {
      const std::int64_t bytes =
          std::min({out[2], in[2], static_cast<std::int64_t>(links_.at_once())});
      const NotifiedLinks::Row row{.from = static_cast<gaspi_segment_id_t>(out[0]),
                                   .to = static_cast<gaspi_segment_id_t>(in[0]),
                                   .from_at = static_cast<gaspi_offset_t>(out[1]),
                                   .to_at = static_cast<gaspi_offset_t>(in[1]),
                                   .bytes = static_cast<gaspi_size_t>(bytes)};
      if (bytes > 0 && !(all.size() > 0 && continues(all.back(), row))) all.push_back(row);
      for (auto* run : {&out, &in}) {
        (*run)[1] += bytes, (*run)[2] -= bytes;
        if ((*run)[2] == 0) *run += 3;
      }
    }
    return all;
  }

  /// Makes a row longer by one that follows it on both sides.
  bool continues(NotifiedLinks::Row& row, const NotifiedLinks::Row& next) const {
    if (next.from != row.from || next.to != row.to || next.from_at != row.from_at + row.bytes ||
        next.to_at != row.to_at + row.bytes || row.bytes + next.bytes > links_.at_once())
      return false;
    row.bytes += next.bytes;
    return true;
  }

  NotifiedLinks links_;
  std::vector<std::shared_ptr<FieldSegment>> fields_;  // null where none of it is exchanged
  std::vector<std::ptrdiff_t> begins_;                 // of what is exchanged of each
  std::vector<std::vector<NotifiedLinks::Row>> rows_;  // of each link that is sent
  std::uint64_t step_ = 0, finished_ = 0;
};

}  // namespace

std::unique_ptr<Method> make_in_place(Setup setup) {
  return std::make_unique<InPlace>(std::move(setup));
}

}  // namespace halocline_gaspi

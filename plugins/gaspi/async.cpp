// gaspi, asynchronous: every link has R slots in its receiver's segment. A message is written into
// the next one, with its number as the notification, if the receiver has read what that held; else
// it is not sent.
//
// Racy: GASPI does not promise that what a write moves is not torn before its notification has
// come. So a link is cut into parts that travel by themselves and are taken as they come.

#include "links.hpp"

#include <halocline/more/waiting.hpp>

namespace halocline_gaspi {

namespace {

/// One direction of a link, or of a part of it.
struct Part {
  std::size_t link;
  int peer;
  Layout cells;
  std::uint64_t number = 0;     ///< of the last message sent, or taken
  std::int64_t permits = 0;     ///< how often its sender was notified of what has been taken
  std::uint64_t iteration = 0;  ///< of the cells that have come
};

class AsyncGaspi final : public PartedMethod {
 public:
  AsyncGaspi(Setup s, const AsyncOptions& options)
      : PartedMethod(std::move(s), options),
        out_(parts(pattern().sends(), outgoing())),
        in_(parts(pattern().receives(), incoming())),
        links_(setup(), ends(out_), ends(in_), buffers(), true) {}

  ~AsyncGaspi() override {
    if (!come_to_rest()) links_.abandon();
  }

 private:
  std::vector<Part> parts(const std::vector<Link>& links, const std::vector<Layout>& layouts) {
    std::vector<Part> all;
    for (std::size_t link = 0; link < links.size(); ++link)
      for (Layout& cells : parts_of(layouts[link]))
        all.push_back({link, links[link].peer, std::move(cells)});
    return all;
  }
  std::vector<NotifiedLinks::End> ends(const std::vector<Part>& parts) const {
    std::vector<NotifiedLinks::End> all;
    for (const Part& part : parts) all.push_back({part.peer, header + part.cells.bytes()});
    return all;
  }
  static std::vector<int> peers(const std::vector<Part>& parts) {
    std::vector<int> ranks;
    for (const Part& part : parts) ranks.push_back(part.peer);
    return ranks;
  }

  void offer(std::uint64_t iteration) override {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::uint64_t number = out_[i].number + 1;
      const auto room = static_cast<std::uint64_t>(buffers());
      if (links_.read_of(i) + room < number || !links_.left(number)) {
        ++counts_.skipped;
        continue;
      }
      pack(out_[i].cells, iteration, links_.place(i, number));
      maybe_delay();
      links_.send(i, number, header + out_[i].cells.bytes());
      out_[i].number = number;
      ++counts_.sent;
    }
  }

  std::size_t collect() override {
    return collect_parts(in_, [&](std::size_t i) { return take(i); });
  }

  bool take(std::size_t i) {
    Part& part = in_[i];
    const std::uint64_t newest = links_.newest_of(i, part.number);
    if (newest == part.number) return false;
    counts_.superseded += newest - part.number - 1;
    ++counts_.received;
    part.number = newest;
    part.iteration = unpack(part.cells, links_.message(i, newest), part.peer);
    links_.notify_read(i, newest);
    ++part.permits;
    return true;
  }

  void settle() override {
    std::vector<Numbers> sent;
    for (const Part& part : out_) sent.push_back({static_cast<std::int64_t>(part.number)});
    const std::vector<Numbers> theirs = trade(comm(), peers(out_), sent, peers(in_));
    wait_until(what(), [&] {
      collect();
      let_progress(comm());
      for (std::size_t i = 0; i < in_.size(); ++i)
        if (in_[i].number < static_cast<std::uint64_t>(theirs[i][0])) return false;
      return true;
    });
    // No rank sends more until all has been read.
    std::vector<Numbers> granted;
    for (const Part& part : in_) granted.push_back({part.permits});
    const std::vector<Numbers> permits = trade(comm(), peers(in_), granted, peers(out_));
    for (std::size_t i = 0; i < out_.size(); ++i)
      links_.set_permits(i, static_cast<std::uint64_t>(permits[i][0]));
    // MPI's messages may be there before GASPI's notifications. Then there is room again.
    wait_until(what(), [&] {
      let_progress(comm());
      for (std::size_t i = 0; i < out_.size(); ++i)
        if (links_.read_of(i) < out_[i].number || !links_.left(out_[i].number + 1)) return false;
      return true;
    });
  }

  std::vector<Part> out_, in_;
  NotifiedLinks links_;
};

}  // namespace

std::unique_ptr<AsyncMethod> make_asynchronous(Setup setup, const AsyncOptions& options) {
  return std::make_unique<AsyncGaspi>(std::move(setup), options);
}

}  // namespace halocline_gaspi

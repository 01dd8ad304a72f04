// gaspi: notified writes. One call moves a message and notifies its receiver; the notification is
// the link's and the step's parity's, as is the slot that the message goes into (links.hpp).
//
//   start    gaspi_wait           the queue of the step before last: its messages have left
//            pack, gaspi_write_notify
//   finish   gaspi_notify_waitsome, unpack whichever has come
//
// Two slots in turn are enough where all links have one in the other direction; elsewhere a
// receiver notifies its sender when it has read. With pack=off there are none (in_place.cpp).

#include "links.hpp"

#include <cstring>
#include <halocline/more/waiting.hpp>

namespace halocline_gaspi {

namespace {

constexpr int slots_of_a_link = 2;

class Packed final : public Method {
 public:
  explicit Packed(Setup s)
      : Method(std::move(s)),
        outgoing_(layouts(pattern().sends(), &Setup::send_layout)),
        incoming_(layouts(pattern().receives(), &Setup::receive_layout)),
        links_(setup(), ends(pattern().sends(), outgoing_), ends(pattern().receives(), incoming_),
               slots_of_a_link, permits()) {}

  ~Packed() override {
    if (finished_ != step_) links_.abandon();
  }

  void start() override {
    ++step_;
    {
      const auto time = waiting();
      wait_until(what(), [&] { return links_.left(step_) || (let_progress(comm()), false); });
    }
    for (std::size_t link = 0; link < outgoing_.size(); ++link) {
      if (permits()) {
        const auto time = waiting();
        wait_until(what(), [&] {
          return links_.read_of(link) + slots_of_a_link >= step_ || (let_progress(comm()), false);
        });
      }
      std::byte* const message = links_.place(link, step_);
      {
        const auto time = packing();
        outgoing_[link].pack(bases(), message);
      }
      maybe_delay();
      const auto time = transferring();
      links_.send(link, step_, setup().in_use(message, outgoing_[link].bytes()));
    }
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    for (std::size_t left = incoming_.size(); left > 0; --left) {
      std::optional<std::size_t> come;
      {
        const auto time = waiting();
        wait_until(what(), [&] {
          come = links_.next(step_);
          return come || (let_progress(comm()), false);
        });
      }
      const auto time = packing();
      unpack(incoming_[*come], links_.message(*come, step_));
    }
    // Not before all have come: who may go on notifies by the same word two steps later.
    for (std::size_t link = 0; permits() && link < incoming_.size(); ++link)
      links_.notify_read(link, step_);
    finished_ = step_;
  }

 private:
  bool permits() const { return !setup().two_way; }

  void unpack(const Layout& cells, const std::byte* message) const {
    if (setup().framing)
      std::memcpy(cells.address(bases()), message, setup().in_use(message, cells.bytes()));
    else
      cells.unpack(bases(), message);
  }

  std::vector<Layout> layouts(const std::vector<Link>& links,
                              Layout (Setup::*in_fields)(const Link&) const) const {
    std::vector<Layout> all;
    for (const Link& link : links) all.push_back((setup().*in_fields)(link));
    return all;
  }
  static std::vector<NotifiedLinks::End> ends(const std::vector<Link>& links,
                                              const std::vector<Layout>& layouts) {
    std::vector<NotifiedLinks::End> all;
    for (std::size_t link = 0; link < links.size(); ++link)
      all.push_back({links[link].peer, layouts[link].bytes()});
    return all;
  }

  std::vector<Layout> outgoing_, incoming_;
  NotifiedLinks links_;
  std::uint64_t step_ = 0, finished_ = 0;
};

}  // namespace

std::unique_ptr<Method> make_gaspi(Setup setup) {
  if (setup.scheme.is("pack", "off") && !setup.several) return make_in_place(std::move(setup));
  return std::make_unique<Packed>(std::move(setup));
}

}  // namespace halocline_gaspi

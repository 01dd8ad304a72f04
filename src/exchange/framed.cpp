#include "framed.hpp"

#include "combine.hpp"
#include "frames.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

FrameLinks rooms_of(const std::vector<Link>& links, std::size_t element_bytes,
                    std::size_t capacity) {
  FrameLinks rooms;
  for (const Link& link : links) {
    rooms.peers.push_back(link.peer);
    rooms.rooms.push_back(std::max(capacity, link.size()) * element_bytes);
  }
  return rooms;
}

std::size_t bytes_of_element(const std::vector<Field>& fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += field.element_bytes;
  return bytes;
}

class Framed final : public Method {
 public:
  Framed(MPI_Comm comm, const Pattern& all, std::vector<Field> fields, const Scheme& scheme,
         const ExchangeOptions& options)
      : Method({Channel::on(comm), all, std::move(fields), scheme}),
        options_(options),
        frames_(comm, rooms_of(all.sends(), bytes_of_element(setup().fields), options.capacity),
                rooms_of(all.receives(), bytes_of_element(setup().fields), options.capacity),
                scheme) {
    become(frames_.method().setup().scheme);
    use(all);
  }

  void start() override {
    {
      const auto time = packing();
      for (std::size_t i = 0; i < sends_.size(); ++i)
        sends_[i].pack(bases(), frames_.message(i, sends_[i].bytes()));
    }
    frames_.method().measuring = measuring;
    frames_.start();
    // Cells that something is added to must not be sent as well; those may.
    const auto time = packing();
    if (options_.combine == Combine::replace) {
      copy_local();
    } else {
      local_.resize(from_.bytes());
      from_.pack(bases(), local_.data());
    }
  }

  void finish() override {
    frames_.finish();
    times += std::exchange(frames_.method().times, {});
    const auto time = packing();
    if (options_.combine != Combine::replace)
      combine(to_, bases(), local_.data(), options_.combine, setup().fields);
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      const auto message = frames_.received(i);
      if (message.size() != receives_[i].bytes()) refuse(i, message.size());
      if (options_.combine == Combine::replace)
        receives_[i].unpack(bases(), message.data());
      else
        combine(receives_[i], bases(), message.data(), options_.combine, setup().fields);
    }
  }

  void change(const Pattern& pattern, std::vector<Field> fields) override {
    if (!options_.changes) return Method::change(pattern, std::move(fields));
    replace(pattern, std::move(fields));
    use(pattern);
  }

 private:
  void use(const Pattern& pattern) {
    lay_out(frames_.targets(), pattern.sends(), sends_, "to");
    lay_out(frames_.sources(), pattern.receives(), receives_, "from");
    from_ = layout(pattern.copies_from());
    to_ = layout(pattern.copies_to());
  }

  /// The links in the order of the frames, which is that of the first pattern.
  void lay_out(const std::vector<int>& peers, const std::vector<Link>& links,
               std::vector<Layout>& layouts, const char* direction) {
    layouts.assign(peers.size(), Layout());
    for (std::size_t i = 0; i < links.size(); ++i) {
      // Usually they come in that order.
      const auto place = i < peers.size() && peers[i] == links[i].peer
                             ? peers.begin() + static_cast<std::ptrdiff_t>(i)
                             : std::find(peers.begin(), peers.end(), links[i].peer);
      if (place == peers.end())
        throw Error(std::string(what()) + ": rank " + std::to_string(mpi::rank(comm())) +
                    ": the new pattern has a link " + direction + " rank " +
                    std::to_string(links[i].peer) +
                    ", which the first one had not; name all peers there "
                    "(Pattern::send_nothing, receive_nothing)");
      layouts[static_cast<std::size_t>(place - peers.begin())] = layout(links[i]);
    }
  }

  [[noreturn]] void refuse(std::size_t link, std::size_t bytes) const {
    throw Error(std::string(what()) + ": rank " + std::to_string(mpi::rank(comm())) + " expects " +
                std::to_string(receives_[link].bytes()) + " bytes from rank " +
                std::to_string(frames_.sources()[link]) + ", which sent " + std::to_string(bytes) +
                "; both ends of a link must change together");
  }

  ExchangeOptions options_;
  Frames frames_;
  std::vector<Layout> sends_, receives_;
  Layout from_, to_;  // of local copies
  std::vector<std::byte> local_;
};

}  // namespace

std::unique_ptr<Method> make_framed(MPI_Comm comm, const Pattern& pattern,
                                    std::vector<Field> fields, const Scheme& scheme,
                                    const ExchangeOptions& options) {
  return std::make_unique<Framed>(comm, pattern, std::move(fields), scheme, options);
}

}  // namespace halocline::detail

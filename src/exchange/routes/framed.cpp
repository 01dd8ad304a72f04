#include "framed.hpp"

#include "combine.hpp"
#include "exchange/core/pattern_check.hpp"
#include "exchange/core/shifts.hpp"
#include "frames.hpp"
#include "routes.hpp"

#include <algorithm>
#include <optional>

namespace halocline::detail {

namespace {

/// `capacity`: the most elements that are expected on a link, where all are of one part.
FrameLinks rooms_of(const std::vector<Link>& links, const Setup& setup, std::size_t capacity) {
  FrameLinks rooms;
  const std::size_t expected = setup.several ? 0 : capacity * setup.element_bytes();
  for (const Link& link : links) {
    rooms.peers.push_back(link.peer);
    rooms.rooms.push_back(std::max(expected, setup.bytes(link)));
  }
  return rooms;
}

class Framed final : public Method {
 public:
  Framed(MPI_Comm comm, Setup all, const ExchangeOptions& options)
      : Method(std::move(all)),
        changes_(options.changes),
        frames_(comm, rooms_of(pattern().sends(), setup(), options.capacity),
                rooms_of(pattern().receives(), setup(), options.capacity), scheme(),
                Lengths::known) {
    chooses_ = chosen_while_running(scheme());
    become(behind().setup().scheme);
    if (combines()) check_numbers(setup());
    sends_ = use(frames_.targets(), pattern().sends(), "to");
    receives_ = use(frames_.sources(), pattern().receives(), "from");
    count_bytes();
  }

  void start() override {
    if (!laid_out_ && is_worth_laying_out()) lay_out();
    used_ = true;
    {
      const auto time = packing();
      for (std::size_t i = 0; i < sends_.size(); ++i) pack_message(i);
      if (frames_.bare())
        for (std::size_t i = 0; i < receives_.size(); ++i)
          frames_.expect(receives_[i], received_bytes_[i],
                         lands_in_place(i) ? in_[i].address(bases()) : nullptr);
    }
    frames_.method().measuring = measuring;
    frames_.start();
    // What has been packed may be written to, so it may be received as well; and copies land before
    // messages do.
    if (!keeps()) return;
    const auto time = packing();
    if (laid_out_ && copies_ && !combines()) return copies_->run(bases(), bases());
    local_.resize(kept_bytes_);
    if (laid_out_)
      kept_.pack(bases(), local_.data());
    else
      pack(pattern().copies_from(), setup().send_fields(), local_.data());
    if (!combines()) take(pattern().copies_to(), taken_, local_.data());
  }

  void finish() override {
    frames_.finish();
    times += std::exchange(behind().times, {});
    if (chooses_ && scheme() != behind().setup().scheme) become(behind().setup().scheme);
    const auto time = packing();
    if (combines() && keeps()) take(pattern().copies_to(), taken_, local_.data());
    std::size_t unexpected = 0;
    for (std::size_t frame = 0; frame < frames_.sources().size(); ++frame)
      unexpected += frames_.received(frame).size();
    static const Layout none;
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      const Link& link = pattern().receives()[i];
      const auto message = frames_.received(receives_[i]);
      if (message.size() != received_bytes_[i]) refuse(receives_[i], received_bytes_[i]);
      if (!lands_in_place(i)) take(link, laid_out_ ? in_[i] : none, message.data());
      unexpected -= message.size();
    }
    if (unexpected > 0) refuse_what_nobody_expects();
  }

  Method& behind() const noexcept { return frames_.method(); }
  bool ends_alone() const override { return frames_.ends_alone(); }
  void leave() noexcept override { frames_.leave(); }

  Pattern change(Pattern pattern, std::vector<Field> fields) override {
    if (!changes_) return Method::change(std::move(pattern), std::move(fields));
    if (const std::string why =
            shifts_complaint(pattern, setup().receive_fields(), {.combine = setup().combine});
        !why.empty())
      throw Error(scheme().str() + ": " + why);
    auto sends = use(frames_.targets(), pattern.sends(), "to");
    auto receives = use(frames_.sources(), pattern.receives(), "from");
    sends_ = std::move(sends), receives_ = std::move(receives);
    laid_out_ = used_ = false;
    Pattern before = replace(std::move(pattern), std::move(fields));
    count_bytes();
    return before;
  }

 private:
  bool combines() const noexcept { return setup().combine != Combine::replace; }

  /// The frames of the links, which are in the order of the first pattern.
  std::vector<std::size_t> use(const std::vector<int>& peers, const std::vector<Link>& links,
                               const char* direction) const {
    std::vector<std::size_t> frames;
    frames.reserve(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      // Usually they come in that order.
      const auto place = i < peers.size() && peers[i] == links[i].peer
                             ? peers.begin() + static_cast<std::ptrdiff_t>(i)
                             : std::find(peers.begin(), peers.end(), links[i].peer);
      if (place == peers.end())
        throw Error(scheme().str() + ": rank " + std::to_string(mpi::rank(comm())) +
                    ": the new pattern has a link " + direction + " rank " +
                    std::to_string(links[i].peer) +
                    ", which the first one had not; name all peers there "
                    "(Pattern::send_nothing, receive_nothing)");
      frames.push_back(static_cast<std::size_t>(place - peers.begin()));
    }
    return frames;
  }

  /// Once for a pattern: index lists have many blocks, and each step would look at all of them.
  void count_bytes() {
    const auto count = [&](const std::vector<Link>& links, std::vector<std::size_t>& bytes) {
      bytes.clear();
      for (const Link& link : links) bytes.push_back(setup().bytes(link));
    };
    count(pattern().sends(), sent_bytes_);
    count(pattern().receives(), received_bytes_);
    kept_bytes_ = setup().bytes(pattern().copies_from());
  }

  /// A pattern that is used a second time is; one that changes with every step is not, unless its
  /// fields are none that plain blocks describe.
  bool is_worth_laying_out() const {
    return used_ || !changes_ || setup().several ||
           !std::ranges::all_of(setup().fields,
                                [](const Field& field) { return field.is_dense(); });
  }
  void lay_out() {
    out_.clear(), in_.clear();
    for (const Link& link : pattern().sends()) out_.push_back(setup().send_layout(link));
    for (const Link& link : pattern().receives()) in_.push_back(setup().receive_layout(link));
    kept_ = setup().send_layout(pattern().copies_from());
    taken_ = setup().receive_layout(pattern().copies_to());
    copies_.reset();
    if (keeps() && !any_meet()) copies_.emplace(kept_, taken_);
    in_place_ = frames_.bare() && (combines() || received_apart());
    laid_out_ = true;
  }

  /// Whether messages that lie in one piece may be received there, and sent from there: each is
  /// received apart from all that is sent, copied and received besides. Otherwise what comes first
  /// to a cell would not be what the pattern has first.
  bool received_apart() const {
    if (setup().several || setup().fields_in_message() != 1) return false;
    const Field &from = setup().send_fields().front(), &to = setup().receive_fields().front();
    Reach sent, copied;
    for (const Link& link : pattern().sends()) sent.add(link.blocks, from);
    sent.add(pattern().copies_from().blocks, from);
    copied.add(pattern().copies_to().blocks, to);
    std::vector<Reach> all{copied};
    if (!setup().apart) all.push_back(sent);
    for (const Link& link : pattern().receives()) all.push_back(Reach().add(link.blocks, to));
    std::erase_if(all, [](const Reach& one) { return one.begin == one.end; });
    std::ranges::sort(all, {}, &Reach::begin);
    return std::ranges::adjacent_find(all, [](const Reach& one, const Reach& next) {
             return next.begin < one.end;
           }) == all.end();
  }
  /// Once the pattern is laid out.
  bool lands_in_place(std::size_t receive) const {
    return laid_out_ && in_place_ && !combines() && in_[receive].contiguous();
  }

  void pack_message(std::size_t send) {
    const std::size_t bytes = sent_bytes_[send], frame = sends_[send];
    if (laid_out_ && in_place_ && out_[send].contiguous())
      return frames_.send_from(frame, out_[send].address(bases()), bytes);
    std::byte* const message = frames_.message(frame, bytes);
    if (!laid_out_)
      pack(pattern().sends()[send], setup().send_fields(), message);
    else if (frames_.streams(frame, bytes))
      out_[send].stream(bases(), message);
    else
      out_[send].pack(bases(), message);
  }
  /// Whether cells that are copied are copied to, too.
  bool any_meet() const {
    Pattern copies;
    const auto &from = pattern().copies_from().blocks, &to = pattern().copies_to().blocks;
    for (std::size_t i = 0; i < from.size(); ++i) copies.copy(from[i], to[i]);
    return find_clash(copies, setup().apart).has_value();
  }

  /// `cells`: the link's, if they are laid out.
  void take(const Link& link, const Layout& cells, const std::byte* message) {
    if (laid_out_ && combines())
      combine(cells, bases(), message, setup().combine, setup().fields);
    else if (laid_out_)
      cells.unpack(bases(), message);
    else if (combines())
      combine(link, setup().receive_fields(), message, setup().combine);
    else
      unpack(link, setup().receive_fields(), message);
  }

  void refuse_what_nobody_expects() const {
    for (std::size_t frame = 0; frame < frames_.sources().size(); ++frame)
      if (std::find(receives_.begin(), receives_.end(), frame) == receives_.end() &&
          !frames_.received(frame).empty())
        refuse(frame, 0);
  }
  [[noreturn]] void refuse(std::size_t frame, std::size_t expected) const {
    refuse_length(setup(), frames_.sources()[frame], expected, frames_.received(frame).size());
  }

  bool changes_;
  bool chooses_ = false;  // while the program runs
  Frames frames_;
  std::vector<std::size_t> sends_, receives_;             // the frames of the pattern's links
  std::vector<std::size_t> sent_bytes_, received_bytes_;  // of their messages
  std::size_t kept_bytes_ = 0;                            // of what stays on this rank
  bool used_ = false;                                     // with this pattern
  bool laid_out_ = false;
  std::vector<Layout> out_, in_;  // of its links
  bool in_place_ = false;         // those in one piece are messages as they lie
  Layout kept_, taken_;
  std::optional<LayoutCopy> copies_;  // unless they go by way of `local_`
  std::vector<std::byte> local_;      // what stays on this rank, on its way
};

}  // namespace

bool goes_in_frames(const ExchangeOptions& options, bool several) {
  return options.changes || (several && options.combine != Combine::replace);
}

std::unique_ptr<Method> make_framed(MPI_Comm comm, Setup setup, const ExchangeOptions& options) {
  return std::make_unique<Framed>(comm, std::move(setup), options);
}

Method* behind_frames(Method& method) {
  auto* const framed = dynamic_cast<Framed*>(&method);
  return framed == nullptr ? nullptr : &framed->behind();
}

/// A frame for each link, one block, in which the cells are packed, and from which they are taken:
/// in memory of the method's own, if it lends some (Method::lend_frames).
model::Step describe_framed(const model::Chosen& chosen, const model::Links& links) {
  const MethodFacts* const method = find_method(chosen.method);
  model::Step step;
  model::Links frames = without_kept(links);
  for (model::Links& hop : frames.hops)
    for (auto* const side : {&hop.sends, &hop.receives}) set_in_one_piece(*side);
  for (auto* const side : {&frames.sends, &frames.receives}) {
    set_in_one_piece(*side);
    for (model::LinkSize& link : *side) {
      const std::size_t most = Framing::header + std::max(link.bytes, link.capacity);
      step.buffer_bytes += most;
      const bool whole = method != nullptr && method->frames.whole;
      link.bytes = whole ? most : Framing::header + link.bytes;
    }
  }
  const bool lends = method != nullptr && method->within_islands && !chosen.is("access", "copy") &&
                     !chosen.is("access", "direct");
  model::Step inner = describe(chosen, frames);
  const auto lent = [&](const model::LinkSize& link) { return lends && link.inside; };
  const auto leave_out = [](std::vector<model::Operation>& operations, std::string_view cost) {
    std::erase_if(operations, [&](const model::Operation& one) { return one.cost == cost; });
  };
  if (lends) leave_out(inner.start, "pack:slot");
  if (lends && links.two_way) leave_out(inner.finish, "unpack:slot");
  model::Script start(step.start), finish(step.finish);
  for (const model::LinkSize& link : links.sends)
    start.pack(link, lent(link) ? "pack:slot" : "pack");
  start.then(inner.start);
  start.keep(links);
  finish.then(inner.finish);
  for (const model::LinkSize& link : links.receives)
    finish.unpack(link, lent(link) && links.two_way ? "unpack:slot" : "unpack");
  step.buffer_bytes += inner.buffer_bytes;
  step.window_bytes += inner.window_bytes;
  return step;
}

}  // namespace halocline::detail

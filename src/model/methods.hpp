#pragma once
// The descriptions, a function for each family.

#include <halocline/model.hpp>

#include <map>
#include <string>
#include <utility>

namespace halocline::model {

/// A scheme's method and options; options that are not given have no entry.
struct Chosen {
  std::string method;
  std::map<std::string, std::string, std::less<>> options{};

  bool is(std::string_view option, std::string_view value) const {
    const auto found = options.find(option);
    return found != options.end() && found->second == value;
  }
  /// "put" of "rma:put:fence".
  std::string_view part(std::size_t index) const;
};

Step describe(const Chosen& chosen, const Links& links);
Step describe(const Chosen& chosen, const Links& links, Kind kind);
/// By frames: messages that begin with how many bytes follow.
Step framed(const Chosen& chosen, const Links& links, Kind kind);
Step asynchronous(const Chosen& chosen, const Links& links);

Step p2p(const Chosen& chosen, const Links& links);
Step neighbor(const Chosen& chosen, const Links& links);
Step rma(const Chosen& chosen, const Links& links);
Step shm(const Chosen& chosen, const Links& links);
Step shmem(const Chosen& chosen, const Links& links);
Step gaspi(const Chosen& chosen, const Links& links);

/// The links inside the island, and those to others.
std::pair<Links, Links> split(const Links& links);

/// A list of operations that reads as a method does.
class Script {
 public:
  explicit Script(std::vector<Operation>& operations) : operations_(operations) {}

  void call(std::string_view cost) { add({.verb = Verb::call, .cost = cost}); }
  void pack(const LinkSize& link, std::string_view cost = "pack") { moved(Verb::pack, cost, link); }
  void unpack(const LinkSize& link, std::string_view cost = "unpack") {
    moved(Verb::unpack, cost, link);
  }
  void copy(const LinkSize& link, std::string_view cost) { moved(Verb::copy, cost, link); }
  /// Cells that stay on this rank.
  void keep(const Links& links) {
    if (links.kept_bytes > 0)
      add({.verb = Verb::copy,
           .cost = "copy",
           .bytes = links.kept_bytes,
           .pieces = links.kept_pieces,
           .lines = links.kept_lines,
           .span = links.span});
  }
  void send(const LinkSize& link, std::string_view cost = "send") { moved(Verb::send, cost, link); }
  void receive(const LinkSize& link, std::string_view cost = "receive") {
    moved(Verb::receive, cost, link);
  }
  void sent(const LinkSize& link) { moved(Verb::sent, "sent", link); }
  void put(const LinkSize& link, std::string_view cost = "put") { moved(Verb::put, cost, link); }
  void get(const LinkSize& link, std::string_view cost = "get") { moved(Verb::get, cost, link); }
  void progress(const LinkSize& link) { moved(Verb::progress, "progress", link); }
  void flush(const LinkSize& link, std::string_view cost = "flush") {
    moved(Verb::flush, cost, link);
  }
  void lock(const LinkSize& link) { moved(Verb::lock, "lock", link); }
  void unlock(const LinkSize& link) { moved(Verb::unlock, "unlock", link); }
  void tell(int peer, Word word, std::string_view cost) {
    add({.verb = Verb::tell, .cost = cost, .peer = peer, .word = word});
  }
  void hear(int peer, Word word, std::string_view cost, int lag = 0) {
    add({.verb = Verb::hear, .cost = cost, .peer = peer, .word = word, .lag = lag});
  }
  void offer(const LinkSize& link, std::string_view cost) { moved(Verb::offer, cost, link); }
  void look(const LinkSize& link, std::string_view cost) { moved(Verb::look, cost, link); }
  void barrier(Group group, std::string_view cost) {
    add({.verb = Verb::barrier, .cost = cost, .group = group});
  }
  void then(const std::vector<Operation>& others) {
    operations_.insert(operations_.end(), others.begin(), others.end());
  }

  /// What `each` adds for a link is taken in the order of arrival.
  template <class Each>
  void whichever_first(const std::vector<LinkSize>& links, Each&& each) {
    for (const LinkSize& link : links) {
      const std::size_t begin = operations_.size();
      each(link);
      for (std::size_t i = begin; i < operations_.size(); ++i) operations_[i].any = true;
    }
  }

 private:
  void add(const Operation& operation) { operations_.push_back(operation); }
  void moved(Verb verb, std::string_view cost, const LinkSize& link) {
    add({.verb = verb,
         .cost = cost,
         .peer = link.peer,
         .bytes = link.bytes,
         .pieces = link.pieces,
         .lines = touches(verb, cost, link) ? link.lines : 0,
         .span = link.span});
  }
  /// Copies touch cells, and messages of one block that leave, or land, where these lie.
  static bool touches(Verb verb, std::string_view cost, const LinkSize& link) {
    switch (verb) {
      case Verb::pack:
      case Verb::unpack:
      case Verb::copy: return true;
      case Verb::send:
      case Verb::receive:
      case Verb::put: return link.pieces <= 1 || cost == "put:accumulate";
      default: return false;
    }
  }

  std::vector<Operation>& operations_;
};

}  // namespace halocline::model

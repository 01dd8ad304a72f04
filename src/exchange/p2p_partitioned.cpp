// p2p:partitioned: MPI_Psend_init and MPI_Precv_init once; a message leaves in partitions, each
// as soon as it is packed (MPI 4.0, chapter 4).

#include "features.hpp"
#include "messages.hpp"
#include "methods.hpp"

namespace halocline::detail {

namespace {

#ifdef HALOCLINE_HAVE_PARTITIONED

/// The most partitions, up to 8, into which a message can be cut evenly.
int partitions_of(int count) {
  for (int parts = 8; parts > 1; --parts)
    if (count % parts == 0) return parts;
  return 1;
}

class Partitioned final : public Method {
 public:
  explicit Partitioned(Setup s) : Method(std::move(s)), messages_(setup(), bases(), true) {
    requests_.resize(messages_.receives.size() + messages_.sends.size(), MPI_REQUEST_NULL);
    auto request = requests_.begin();
    for (const auto& [peer, data, count, type] : messages_.receives) {
      const int parts = partitions_of(count);
      HALOCLINE_MPI(MPI_Precv_init, data, parts, count / parts, type, peer, tag(), comm(),
                    MPI_INFO_NULL, &*request++);
    }
    for (const auto& [peer, data, count, type] : messages_.sends) {
      const int parts = partitions_of(count);
      HALOCLINE_MPI(MPI_Psend_init, data, parts, count / parts, type, peer, tag(), comm(),
                    MPI_INFO_NULL, &*request++);
    }
    for (MPI_Request raw : requests_) owned_.emplace_back(raw);
  }

  void start() override {
    {
      const auto time = transferring();
      if (!requests_.empty())  // Open MPI refuses to start none
        HALOCLINE_MPI(MPI_Startall, static_cast<int>(requests_.size()), requests_.data());
    }
    const std::size_t first = messages_.receives.size();
    for (std::size_t i = 0; i < messages_.sends.size(); ++i) {
      {
        const auto time = packing();
        messages_.pack(i);
      }
      const auto time = transferring();
      const trace::Event event(Activity::send, messages_.sends[i].peer);
      HALOCLINE_MPI(MPI_Pready_range, 0, partitions_of(messages_.sends[i].count) - 1,
                    requests_[first + i]);
    }
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    {
      const auto time = waiting();
      wait_all(what(), requests_);
    }
    const auto time = packing();
    messages_.unpack();
  }

 private:
  Messages messages_;
  std::vector<MPI_Request> requests_;
  std::vector<mpi::Request> owned_;
};

#endif

}  // namespace

MethodFacts p2p_partitioned() {
  return {.name = "p2p:partitioned",
          .summary = "MPI_Psend_init and MPI_Precv_init once, MPI_Pready for each partition packed",
          .options = {},
#ifdef HALOCLINE_HAVE_PARTITIONED
          .make = make<Partitioned>
#else
          .make = nullptr,
          .missing = [] { return lacks("MPI_Psend_init"); }
#endif
  };
}

}  // namespace halocline::detail

#include "calls.hpp"

namespace recorder {

std::uint32_t Calls::add(const Signature& signature, std::uint64_t hash) {
  Signature coarse = signature;
  if (lines_.size() >= exact()) {
    ++left_out_;
    coarse.varied = 1;
    coarse.tag = coarse.other_tag = coarse.found_peer = coarse.found_tag = kAbsent;
    coarse.count = coarse.other_count = kNoCount;
    coarse.requests = kAbsent;
    hash = hash_of(&coarse, sizeof(coarse));
    if (std::int64_t found = find(coarse, hash); found >= 0)
      return static_cast<std::uint32_t>(found);
    if (lines_.size() >= most_) {  // room is kept for one of each function
      coarse = {};
      coarse.function = signature.function;
      coarse.varied = 1;
      hash = hash_of(&coarse, sizeof(coarse));
      if (std::int64_t found = find(coarse, hash); found >= 0)
        return static_cast<std::uint32_t>(found);
    }
  }
  std::uint32_t number = lines_.size();
  CallLine line;
  line.signature = coarse;
  line.hash = hash;
  lines_.add(line);
  index_.insert(hash, number);
  return number;
}

}  // namespace recorder

#pragma once
// Who is calling.

namespace substitute {

/// One while a thread is in a call of MPI, or in what this library does instead: what is called
/// from there is not the program's own (MPI-IO calls PMPI, libhalocline calls MPI).
class Inside {
 public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  /// Whether the program itself calls, and not something that it has called.
  static bool is_outside() { return depth_ == 0; }

 private:
  static constinit inline thread_local int depth_ = 0;
};

}  // namespace substitute

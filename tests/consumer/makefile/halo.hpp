#pragma once
// What the program knows of its halos, in C++17.

#include <mpi.h>

#include <memory>

/// The halos of a ring of ranks: `cells` numbers of each, and one beside them at either end.
class Halos {
 public:
  Halos(MPI_Comm comm, double* cells, int count);
  ~Halos();
  void exchange();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

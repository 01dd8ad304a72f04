// spmv: the product of a sparse matrix and a vector, with every way to bring it what it needs.

#include "spmv.hpp"

int main(int argc, char** argv) {
  return frame::start<spmv::Spmv>(argc, argv);
}

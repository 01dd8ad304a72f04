// matmul: the product of dense matrices, with every way to bring them to where they are multiplied.

#include "matmul.hpp"

int main(int argc, char** argv) {
  return frame::start<matmul::Matmul>(argc, argv);
}

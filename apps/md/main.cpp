// md: molecular dynamics of the Lennard-Jones potential, with every way to exchange halos.

#include "run.hpp"

int main(int argc, char** argv) {
  return frame::start<md::Run>(argc, argv);
}

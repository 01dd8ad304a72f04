// replicate: data that all ranks read, as a copy a rank and as a copy an island.

#include "replicate.hpp"

int main(int argc, char** argv) {
  return frame::start<replicate::Replicate>(argc, argv);
}

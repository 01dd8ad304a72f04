// heat: how a hot plate cools down. The smallest program, walked through in
// docs/how-to/add-a-program.md.

#include "heat.hpp"

int main(int argc, char** argv) {
  return frame::start<heat::Heat>(argc, argv);
}

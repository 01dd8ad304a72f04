#include "dice.h"

uint64_t mixed(uint64_t number) {  // of splitmix64
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

uint64_t draw(Dice* dice) {
  return mixed(dice->state += 0x9e3779b97f4a7c15u);
}

int below(Dice* dice, int below) {
  return (int)(draw(dice) % (uint64_t)below);
}

int one_in(Dice* dice, int times) {
  return below(dice, times) == 0;
}

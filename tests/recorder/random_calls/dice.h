#pragma once
// Random numbers, the same for the same seed with every compiler.

#include <stdint.h>

typedef struct {
  uint64_t state;
} Dice;

uint64_t mixed(uint64_t number);
uint64_t draw(Dice* dice);
/// The next of numbers below `below`.
int below(Dice* dice, int below);
/// True once in so many times.
int one_in(Dice* dice, int times);

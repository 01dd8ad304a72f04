#pragma once
// What random calls are made of, besides messages.

#include "dice.h"
#include "groups.h"

void collectives(Dice* dice, const Group* on);
/// Grids and graphs, with the exchanges of their neighbours.
void grids(Dice* dice, const Group* on);
void graphs(Dice* dice, const Group* on);
void windows(Dice* dice, const Group* on);

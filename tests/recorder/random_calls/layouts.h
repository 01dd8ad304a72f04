#pragma once
// Datatypes, made at random from all constructors, and beside each what it means: its bytes in
// their order, walked here without MPI and checked against MPI_Pack.

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#include "dice.h"

typedef struct {
  long offset, size;
} Block;

typedef struct {
  MPI_Datatype type;
  int number;                       ///< its name in the log, t<number>
  long extent, bytes, first, span;  ///< of one element; first and span: its first byte and its end
  Block* block;                     ///< in the order in which they are sent
  int blocks;
  int basic;     ///< the basic datatype that all of it is made of; -1: of several
  int elements;  ///< so many of them
  int derived;
} Layout;

enum { basics = 6, layouts = 30 };

/// The basic datatypes, and behind them derived ones; the same on all ranks.
extern Layout layout[layouts];

void make_layouts(Dice* dice);
/// Frees a derived datatype, and makes another in its place.
void renew_layout(Dice* dice, int number);
void free_layouts(void);

long bytes_of(const Layout* of, int count);
/// From the first byte of a buffer to the last of so many elements.
long span_of(const Layout* of, int count);
/// The bytes of so many elements at `buffer`, one after another, and back.
void gather(const Layout* of, int count, const unsigned char* buffer, unsigned char* packed);
void scatter(const Layout* of, int count, const unsigned char* packed, long bytes,
             unsigned char* buffer);

/// Bytes of a message, made from its key.
void make_payload(uint64_t key, unsigned char* packed, long bytes);

#pragma once
// Routes: what stands in front of a method. All are taken in this order, and each carries out what
// it is asked for by exchanges that go the rest of the way:
//
//   frames    the pattern changes, or what arrives is combined in several parts: cells are packed
//             into frames, and frames travel as cells do (framed.cpp; RaggedExchange begins here)
//   combining what arrives goes into buffers, and is combined from there (combining.cpp)
//   corners=  a grid's halo axis by axis: one exchange for each (staged.cpp)
//   device=   fields on a device: from buffer to buffer (on_device.cpp)
//   packed    several parts, or other fields at each step, where a method would look for cells
//             itself (packed.cpp)
//   heads=    between islands by way of their heads (heads.cpp)
//
// then the method. `auto` is one, which makes others by way of the same routes and becomes the
// fastest. With when=running it stands behind frames and in front of all others. Asynchronous
// exchanges take none: their cells are one field on the host.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Gives a method the options of the routes that can stand in front of it.
void add_routes(MethodFacts& method);

/// Links as the method behind a route sees them that keeps to itself what stays on this rank and
/// that knows no stages (frames; what is combined).
model::Links without_kept(model::Links links);
/// Messages that lie in buffers.
void set_in_one_piece(std::vector<model::LinkSize>& links);

}  // namespace halocline::detail

#pragma once
// Streams: work on a device, in order.

#pragma GCC visibility push(default)

namespace halocline {

/// A queue of work that a device does in order: a cudaStream_t with CUDA. Work in several streams
/// may overlap.
using DeviceStream = void*;

}  // namespace halocline

#pragma GCC visibility pop

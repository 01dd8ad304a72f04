#pragma once
// Exchanges of fields on a device: packed and unpacked there, whatever carries the messages.

#include "exchange/core/registry.hpp"

#include <halocline/more/device.hpp>

namespace halocline::detail {

/// The option, which all methods have: by way of the host (`staged`), by an MPI that takes
/// addresses of devices (`aware`), from a peer's device (`peer`), or the fastest of those (`auto`).
OptionFacts device_option();
/// The device that a field lies on; null if on the host.
Device* device_of(const Field& field);
/// Throws Error if an address that `whose` ("asynchronous exchanges") are given lies on a device;
/// it begins with `who` that is.
void must_be_on_host(const void* data, const std::string& who, const std::string& whose);
/// Whether fields are on a device. Throws Error if some are and others are not, or if none is and
/// the scheme says how they travel.
bool on_device(const Setup& setup);
std::unique_ptr<Method> make_on_device(Setup setup);

/// Why this MPI cannot be given addresses of the device; empty if it can.
std::string mpi_lacks_device(const Device& device);

}  // namespace halocline::detail

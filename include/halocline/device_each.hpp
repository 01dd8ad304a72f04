#pragma once
// Kernels: one source for all devices. A file that includes this is compiled by the compiler of
// each back end into a shared library of its own (halocline_device_kernels in cmake/Device.cmake).

#include <halocline/device.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

#ifdef __CUDACC__
/// Before the body of a lambda that runs on a device.
#define HALOCLINE_ON_DEVICE __device__
#else
#define HALOCLINE_ON_DEVICE
#include <functional>
#endif

namespace halocline {

#ifdef __CUDACC__

namespace detail {

constexpr int threads_of_block = 256;

inline void check_cuda(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string("cuda: ") + what + ": " + cudaGetErrorString(code));
}

inline unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads_of_block - 1) / threads_of_block);
}

template <class Body>
__global__ void run_each(std::int64_t count, Body body) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) body(i);
}

/// Of numbers that are not negative: then their bits are in their order.
template <class Body>
__global__ void run_largest(std::int64_t count, Body body, unsigned long long* largest) {
  double mine = 0;
  const std::int64_t all = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += all)
    mine = fmax(mine, body(i));
  for (int lane = 16; lane > 0; lane /= 2)
    mine = fmax(mine, __shfl_down_sync(0xffffffffu, mine, lane));
  if (threadIdx.x % 32 == 0)
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(mine)));
}

}  // namespace detail

/// body(i) for all 0 <= i < count, in any order.
template <class Body>
void each(DeviceStream stream, std::int64_t count, Body body) {
  if (count <= 0) return;
  detail::run_each<<<detail::blocks_for(count), detail::threads_of_block, 0,
                     static_cast<cudaStream_t>(stream)>>>(count, body);
  detail::check_cuda(cudaGetLastError(), "starting a kernel");
}

/// The largest body(i), none of which is negative. Waits.
template <class Body>
double largest(DeviceStream stream, std::int64_t count, Body body) {
  if (count <= 0) return 0;
  const auto queue = static_cast<cudaStream_t>(stream);
  unsigned long long* found = nullptr;
  detail::check_cuda(cudaMallocAsync(&found, sizeof *found, queue), "memory of a reduction");
  detail::check_cuda(cudaMemsetAsync(found, 0, sizeof *found, queue), "a reduction");
  const unsigned blocks = detail::blocks_for(count) < 1024 ? detail::blocks_for(count) : 1024;
  detail::run_largest<<<blocks, detail::threads_of_block, 0, queue>>>(count, body, found);
  detail::check_cuda(cudaGetLastError(), "starting a reduction");
  double result = 0;
  detail::check_cuda(cudaMemcpyAsync(&result, found, sizeof result, cudaMemcpyDeviceToHost, queue),
                     "a reduction");
  detail::check_cuda(cudaFreeAsync(found, queue), "a reduction");
  detail::check_cuda(cudaStreamSynchronize(queue), "a reduction");
  return result;
}

#else

namespace detail {

/// A stream of OpenMP's devices: regions, and copies, that a thread of its own starts in order.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  virtual void push(std::function<void()> work) = 0;
  virtual void wait() = 0;
  int device = 0;
};

template <class Body>
void run_each(int device, std::int64_t count, Body body) {
#pragma omp target teams distribute parallel for device(device) firstprivate(body, count)
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

template <class Body>
double run_largest(int device, std::int64_t count, Body body) {
  double found = 0;
#pragma omp target teams distribute parallel for device(device) firstprivate(body, count) \
    map(tofrom                                                                            \
        : found) reduction(max                                                            \
                           : found)
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = body(i);
    found = value > found ? value : found;
  }
  return found;
}

}  // namespace detail

/// body(i) for all 0 <= i < count, in any order.
template <class Body>
void each(DeviceStream stream, std::int64_t count, Body body) {
  if (count <= 0) return;
  auto* const queue = static_cast<detail::DeviceQueue*>(stream);
  queue->push([=, device = queue->device] { detail::run_each(device, count, body); });
}

/// The largest body(i), none of which is negative. Waits.
template <class Body>
double largest(DeviceStream stream, std::int64_t count, Body body) {
  if (count <= 0) return 0;
  auto* const queue = static_cast<detail::DeviceQueue*>(stream);
  double found = 0;
  queue->push(
      [=, &found, device = queue->device] { found = detail::run_largest(device, count, body); });
  queue->wait();
  return found;
}

#endif

}  // namespace halocline

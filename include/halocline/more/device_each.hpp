#pragma once
// Kernels: one source for all devices. A file that includes this is compiled by the compiler of
// each back end into a shared library of its own (halocline_device_kernels in cmake/Device.cmake).

#include <halocline/more/device.hpp>

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

/// A block of threads for a box. A tile, so that neighbours in two directions share what they read.
inline dim3 tile_of(std::int64_t planes, std::int64_t rows, std::int64_t points) {
  constexpr unsigned most_points = 64, most_planes = 64;
  dim3 tile{1, 1, 1};
  while (tile.x < most_points && tile.x < points) tile.x *= 2;
  while (tile.x * tile.y < threads_of_block && tile.y < rows) tile.y *= 2;
  while (tile.x * tile.y * tile.z < threads_of_block && tile.z < most_planes && tile.z < planes)
    tile.z *= 2;
  return tile;
}

/// One point a thread: loops over several, with bounds of 64 bits, take registers and a third to a
/// half of the speed (docs/measured/nvidia-h200.md).
template <class Body>
__global__ void run_each(std::int64_t first_plane, std::int64_t first_row, std::int64_t planes,
                         std::int64_t rows, std::int64_t points, Body body) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t j = first_row + blockIdx.y * blockDim.y + threadIdx.y;
  const std::int64_t k = first_plane + blockIdx.z * blockDim.z + threadIdx.z;
  if (i < points && j < rows && k < planes) body(k, j, i);
}

/// The numbers must not be negative: then their bits are in their order.
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
void each_on_device(DeviceStream stream, std::int64_t count, Body body) {
  if (count <= 0) return;
  detail::run_each<<<detail::blocks_for(count), detail::threads_of_block, 0,
                     static_cast<cudaStream_t>(stream)>>>(count, body);
  detail::check_cuda(cudaGetLastError(), "starting a kernel");
}

/// body(k, j, i) for all 0 <= k < planes, 0 <= j < rows, 0 <= i < points, in any order. What lies
/// beside each other in memory should differ by 1 in i.
template <class Body>
void each_on_device(DeviceStream stream, std::int64_t planes, std::int64_t rows,
                    std::int64_t points, Body body) {
  if (planes <= 0 || rows <= 0 || points <= 0) return;
  const dim3 tile = detail::tile_of(planes, rows, points);
  // No more blocks than these along rows and planes; along points there are 2^31.
  const std::int64_t rows_at_once = 0xffff * std::int64_t(tile.y);
  const std::int64_t planes_at_once = 0xffff * std::int64_t(tile.z);
  const auto blocks = [](std::int64_t count, std::int64_t at_once, unsigned tile) {
    return static_cast<unsigned>(((count < at_once ? count : at_once) + tile - 1) / tile);
  };
  for (std::int64_t k = 0; k < planes; k += planes_at_once)
    for (std::int64_t j = 0; j < rows; j += rows_at_once) {
      const dim3 grid(blocks(points, points, tile.x), blocks(rows - j, rows_at_once, tile.y),
                      blocks(planes - k, planes_at_once, tile.z));
      detail::run_each<<<grid, tile, 0, static_cast<cudaStream_t>(stream)>>>(k, j, planes, rows,
                                                                             points, body);
    }
  detail::check_cuda(cudaGetLastError(), "starting a kernel");
}

/// The largest body(i), none of which is negative. Waits.
template <class Body>
double largest_on_device(DeviceStream stream, std::int64_t count, Body body) {
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
void run_each(int device, std::int64_t planes, std::int64_t rows, std::int64_t points, Body body) {
#pragma omp target teams distribute parallel for collapse(3) device(device) \
    firstprivate(body, planes, rows, points)
  for (std::int64_t k = 0; k < planes; ++k)
    for (std::int64_t j = 0; j < rows; ++j)
      for (std::int64_t i = 0; i < points; ++i) body(k, j, i);
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
void each_on_device(DeviceStream stream, std::int64_t count, Body body) {
  if (count <= 0) return;
  auto* const queue = static_cast<detail::DeviceQueue*>(stream);
  queue->push([=, device = queue->device] { detail::run_each(device, count, body); });
}

/// body(k, j, i) for all 0 <= k < planes, 0 <= j < rows, 0 <= i < points, in any order. What lies
/// beside each other in memory should differ by 1 in i.
template <class Body>
void each_on_device(DeviceStream stream, std::int64_t planes, std::int64_t rows,
                    std::int64_t points, Body body) {
  if (planes <= 0 || rows <= 0 || points <= 0) return;
  auto* const queue = static_cast<detail::DeviceQueue*>(stream);
  queue->push(
      [=, device = queue->device] { detail::run_each(device, planes, rows, points, body); });
}

/// The largest body(i), none of which is negative. Waits.
template <class Body>
double largest_on_device(DeviceStream stream, std::int64_t count, Body body) {
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

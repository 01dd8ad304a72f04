// Devices by CUDA.

#include "kernels.hpp"

#include <cstring>

namespace halocline::detail {

namespace {

void check(cudaError_t code, const char* what) {
  check_cuda(code, what);
}

class CudaDevice final : public DeviceOfKernels {
 public:
  CudaDevice(int number, int count) : number_(number), count_(count) {
    check(cudaSetDevice(number), "cudaSetDevice");
    cudaDeviceProp facts{};
    check(cudaGetDeviceProperties(&facts, number), "cudaGetDeviceProperties");
    name_ = facts.name;
  }

  std::string describe() const override {
    return "cuda: " + name_ + ", " + std::to_string(number_) + " of " + std::to_string(count_);
  }
  std::string backend() const override { return "cuda"; }
  bool is_host() const override { return false; }

  void* allocate(std::size_t bytes, bool) override {
    void* memory = nullptr;
    const std::string what = "cudaMalloc of " + std::to_string(bytes) + " bytes";
    check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), what.c_str());
    return memory;
  }
  void free(void* memory) noexcept override { cudaFree(memory); }
  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes == 0 ? 1 : bytes), "cudaMallocHost");
    return memory;
  }
  void free_pinned(void* memory) noexcept override { cudaFreeHost(memory); }
  void pin(void* memory, std::size_t bytes) noexcept override {
    // Memory that cannot be pinned is copied all the same, only slower.
    if (cudaHostRegister(memory, bytes, cudaHostRegisterDefault) != cudaSuccess) cudaGetLastError();
  }
  void unpin(void* memory) noexcept override {
    if (cudaHostUnregister(memory) != cudaSuccess) cudaGetLastError();
  }
  bool owns(const void* address) const override {
    cudaPointerAttributes facts{};
    if (cudaPointerGetAttributes(&facts, address) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    return facts.type == cudaMemoryTypeDevice || facts.type == cudaMemoryTypeManaged;
  }

  DeviceStream make_stream() override {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    return stream;
  }
  void free_stream(DeviceStream stream) noexcept override { cudaStreamDestroy(queue(stream)); }
  void wait(DeviceStream stream) override {
    check(cudaStreamSynchronize(queue(stream)), "cudaStreamSynchronize");
  }
  DeviceEvent record(DeviceStream stream) override {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventRecord(event, queue(stream)), "cudaEventRecord");
    return event;
  }
  void wait(DeviceStream stream, DeviceEvent event) override {
    check(cudaStreamWaitEvent(queue(stream), static_cast<cudaEvent_t>(event), 0),
          "cudaStreamWaitEvent");
    check(cudaEventDestroy(static_cast<cudaEvent_t>(event)), "cudaEventDestroy");
  }

  void copy(void* to, const void* from, std::size_t bytes, DeviceCopy way,
            DeviceStream stream) override {
    const cudaMemcpyKind kind = way == DeviceCopy::to_device ? cudaMemcpyHostToDevice
                                : way == DeviceCopy::to_host ? cudaMemcpyDeviceToHost
                                                             : cudaMemcpyDeviceToDevice;
    if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, kind, queue(stream)), "cudaMemcpyAsync");
  }
  void clear(void* memory, std::size_t bytes, DeviceStream stream) override {
    if (bytes > 0) check(cudaMemsetAsync(memory, 0, bytes, queue(stream)), "cudaMemsetAsync");
  }

  bool has_peers() const override { return true; }
  DeviceHandle share(const void* memory) override {
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof(DeviceHandle));
    check(cudaIpcGetMemHandle(&handle, const_cast<void*>(memory)), "cudaIpcGetMemHandle");
    DeviceHandle bytes;
    std::memcpy(bytes.data(), &handle, sizeof handle);
    return bytes;
  }
  void* open(const DeviceHandle& bytes, std::size_t) override {
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, bytes.data(), sizeof handle);
    void* memory = nullptr;
    check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess),
          "cudaIpcOpenMemHandle");
    return memory;
  }
  void close(void* memory, std::size_t) noexcept override { cudaIpcCloseMemHandle(memory); }

 private:
  void* borrow(std::size_t bytes, DeviceStream stream) override {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, bytes, queue(stream)), "cudaMallocAsync");
    return memory;
  }
  void give_back(void* memory, DeviceStream stream) override {
    check(cudaFreeAsync(memory, queue(stream)), "cudaFreeAsync");
    wait(stream);
  }
  static cudaStream_t queue(DeviceStream stream) { return static_cast<cudaStream_t>(stream); }

  int number_, count_;
  std::string name_;
};

}  // namespace

}  // namespace halocline::detail

extern "C" halocline::Device* halocline_open_device(int rank) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0)
    throw std::runtime_error(
        std::string("cuda: there is no device: ") +
        (code == cudaSuccess ? "cudaGetDeviceCount() is 0" : cudaGetErrorString(code)));
  return new halocline::detail::CudaDevice(rank % count, count);
}

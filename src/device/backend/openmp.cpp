// Devices by OpenMP's target regions. Compiled by a compiler that knows the device, with its own
// OpenMP library beside that of the program.

#include "kernels.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <omp.h>

namespace halocline::detail {

namespace {

#pragma omp declare target
int home;
#pragma omp end declare target

/// Whether regions run on a device and not, silently, on the host: a variable that devices have
/// copies of lies at the same address only there.
bool leaves_host(int device) {
  std::uintptr_t there = 0;
#pragma omp target device(device) map(from : there)
  there = reinterpret_cast<std::uintptr_t>(&home);
  return there != 0 && there != reinterpret_cast<std::uintptr_t>(&home);
}

/// Keeps the host out of what is the device's, where a CPU plays one: its pages can be read and
/// written only as long as a region or a copy is at work. Whoever uses an address of the device on
/// the host then fails, as beside a device with memory of its own.
class Apart {
 public:
  void add(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    regions_[memory] = bytes;
    if (mprotect(memory, bytes, at_work_ > 0 ? open : PROT_NONE) != 0)
      throw std::runtime_error("openmp: memory cannot be kept apart from the host");
  }
  void remove(void* memory) noexcept {
    const std::lock_guard lock(mutex_);
    regions_.erase(memory);
  }
  /// A region or a copy at work, as long as this lives.
  class Opened {
   public:
    explicit Opened(Apart& apart) : apart_(apart) { apart_.change(1); }
    ~Opened() { apart_.change(-1); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    Apart& apart_;
  };

 private:
  static constexpr int open = PROT_READ | PROT_WRITE;
  void change(int by) {
    const std::lock_guard lock(mutex_);
    const bool before = at_work_ > 0, after = (at_work_ += by) > 0;
    if (before == after) return;
    for (const auto& [memory, bytes] : regions_) mprotect(memory, bytes, after ? open : PROT_NONE);
  }

  std::mutex mutex_;
  std::map<void*, std::size_t> regions_;
  int at_work_ = 0;
};

class Queue final : public DeviceQueue {
 public:
  /// `apart`: null where the host may reach what is the device's.
  Queue(int number, Apart* apart) : apart_(apart) {
    device = number;
    worker_ = std::thread([this] { work(); });
  }
  ~Queue() override {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void push(std::function<void()> work) override {
    if (apart_ == nullptr) return put(std::move(work));
    put([apart = apart_, work = std::move(work)] {
      const Apart::Opened opened(*apart);
      work();
    });
  }
  void wait() override { wait_for(pushed_); }
  /// What is pushed from now on begins when another queue has done so many works.
  void wait_for(Queue* other, std::uint64_t count) {
    put([=] { other->wait_for(count); });
  }

  /// For so many works.
  void wait_for(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= count; });
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }
  std::uint64_t pushed() const noexcept { return pushed_; }

 private:
  void put(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      works_.push_back(std::move(work));
      ++pushed_;
    }
    changed_.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !works_.empty(); });
      if (works_.empty()) return;
      const std::function<void()> next = std::move(works_.front());
      works_.pop_front();
      lock.unlock();
      std::exception_ptr problem;
      try {
        next();
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      if (problem && !problem_) problem_ = problem;
      ++done_;
      changed_.notify_all();
    }
  }

  Apart* apart_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> works_;
  std::uint64_t pushed_ = 0, done_ = 0;  // pushed_: written by one thread alone
  std::exception_ptr problem_;
  bool ends_ = false;
  std::thread worker_;
};

struct Event {
  Queue* queue;
  std::uint64_t count;
};

class OpenMpDevice final : public DeviceOfKernels {
 public:
  OpenMpDevice(int number, int count) : number_(number), count_(count) {
    const char* const wish = std::getenv("HALOCLINE_OPENMP_APART");
    if (plays && wish != nullptr && std::strcmp(wish, "1") == 0) apart_ = std::make_unique<Apart>();
  }

  std::string describe() const override {
    return "openmp: " HALOCLINE_OPENMP_DEVICES ", " + std::to_string(number_) + " of " +
           std::to_string(count_) + (apart_ ? ", out of the host's reach" : "");
  }
  std::string backend() const override { return "openmp"; }
  bool is_host() const override { return plays && !apart_; }

  void* allocate(std::size_t bytes, bool for_peers) override {
    Region region{.bytes = std::max<std::size_t>(bytes, 1), .mapped = for_peers || apart_};
    void* const memory =
        region.mapped ? map_new(region, for_peers) : omp_target_alloc(region.bytes, number_);
    if (memory == nullptr)
      throw std::runtime_error("openmp: no " + std::to_string(bytes) + " bytes left on the device");
    if (apart_) apart_->add(memory, region.bytes);
    const std::lock_guard lock(mutex_);
    regions_[static_cast<std::byte*>(memory)] = region;
    return memory;
  }
  void free(void* memory) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto region = regions_.find(static_cast<std::byte*>(memory));
    if (region == regions_.end()) return;
    if (region->second.name[0] != 0) shm_unlink(region->second.name);
    if (region->second.mapped)
      unmap(memory, region->second.bytes);
    else
      omp_target_free(memory, number_);
    regions_.erase(region);
  }
  void* allocate_pinned(std::size_t bytes) override {
    constexpr std::size_t line = 128;
    void* const memory = std::aligned_alloc(line, (bytes / line + 1) * line);
    if (memory == nullptr) throw std::runtime_error("openmp: the host is out of memory");
    return memory;
  }
  void free_pinned(void* memory) noexcept override { std::free(memory); }
  void pin(void*, std::size_t) noexcept override {}
  void unpin(void*) noexcept override {}
  bool owns(const void* address) const override {
    const std::lock_guard lock(mutex_);
    const auto* const at = static_cast<const std::byte*>(address);
    auto region = regions_.upper_bound(const_cast<std::byte*>(at));
    if (region == regions_.begin()) return false;
    --region;
    return at < region->first + region->second.bytes;
  }

  DeviceStream make_stream() override {
    return static_cast<DeviceQueue*>(new Queue(number_, apart_.get()));
  }
  void free_stream(DeviceStream stream) noexcept override { delete queue(stream); }
  void wait(DeviceStream stream) override { queue(stream)->wait(); }
  DeviceEvent record(DeviceStream stream) override {
    return new Event{queue(stream), queue(stream)->pushed()};
  }
  void wait(DeviceStream stream, DeviceEvent event) override {
    const Event mark = *static_cast<Event*>(event);
    delete static_cast<Event*>(event);
    if (mark.queue != queue(stream)) queue(stream)->wait_for(mark.queue, mark.count);
  }

  void copy(void* to, const void* from, std::size_t bytes, DeviceCopy way,
            DeviceStream stream) override {
    const int host = omp_get_initial_device();
    const int target = way == DeviceCopy::to_host ? host : number_;
    const int source = way == DeviceCopy::to_device ? host : number_;
    queue(stream)->push([=] {
      if (bytes > 0 && omp_target_memcpy(to, from, bytes, 0, 0, target, source) != 0)
        throw std::runtime_error("openmp: a copy of " + std::to_string(bytes) + " bytes failed");
    });
  }
  void clear(void* memory, std::size_t bytes, DeviceStream stream) override {
    auto* const to = static_cast<unsigned char*>(memory);
    each_on_device(stream, static_cast<std::int64_t>(bytes), [=](std::int64_t i) { to[i] = 0; });
  }

  bool has_peers() const override { return plays; }
  DeviceHandle share(const void* memory) override {
    const std::lock_guard lock(mutex_);
    const auto region = regions_.find(static_cast<std::byte*>(const_cast<void*>(memory)));
    if (region == regions_.end() || region->second.name[0] == 0)
      throw std::runtime_error("openmp: this memory was not allocated for peers");
    DeviceHandle handle{};
    std::memcpy(handle.data(), region->second.name, sizeof region->second.name);
    return handle;
  }
  void* open(const DeviceHandle& handle, std::size_t bytes) override {
    const char* const name = reinterpret_cast<const char*>(handle.data());
    const int file = shm_open(name, O_RDWR, 0600);
    void* const memory =
        file < 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) ::close(file);
    if (memory == MAP_FAILED)
      throw std::runtime_error(std::string("openmp: cannot reach a peer's memory ") + name);
    if (apart_) apart_->add(memory, bytes);
    return memory;
  }
  void close(void* memory, std::size_t bytes) noexcept override { unmap(memory, bytes); }

 private:
  /// The CPU of the host plays the device.
  static constexpr bool plays = HALOCLINE_OPENMP_TARGET_IS_HOST;
  struct Region {
    std::size_t bytes = 0;
    bool mapped = false;  ///< pages of its own
    char name[48] = {};   ///< by which peers find them; empty if none shall
  };
  void* borrow(std::size_t bytes, DeviceStream) override { return allocate(bytes, false); }
  void give_back(void* memory, DeviceStream stream) override {
    wait(stream);
    free(memory);
  }
  static Queue* queue(DeviceStream stream) {
    return static_cast<Queue*>(static_cast<DeviceQueue*>(stream));
  }

  /// Where the host's CPU plays the device, pages of the host are memory of the device. Those for
  /// peers are shared, and named.
  void* map_new(Region& region, bool for_peers) {
    if (!plays) return nullptr;
    if (!for_peers) {
      void* const memory =
          mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return memory == MAP_FAILED ? nullptr : memory;
    }
    std::snprintf(region.name, sizeof region.name, "/halocline-device-%d-%d",
                  static_cast<int>(getpid()), names_++);
    const int file = shm_open(region.name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0) return nullptr;
    void* memory = MAP_FAILED;
    if (posix_fallocate(file, 0, static_cast<off_t>(region.bytes)) == 0)
      memory = mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory != MAP_FAILED) return memory;
    shm_unlink(region.name);
    return nullptr;
  }
  void unmap(void* memory, std::size_t bytes) noexcept {
    if (apart_) apart_->remove(memory);
    munmap(memory, bytes);
  }

  int number_, count_;
  std::unique_ptr<Apart> apart_;
  mutable std::mutex mutex_;
  std::map<std::byte*, Region> regions_;
  int names_ = 0;
};

}  // namespace

}  // namespace halocline::detail

extern "C" halocline::Device* halocline_open_device(int rank) {
  using namespace halocline::detail;
  const int count = omp_get_num_devices();
  if (count == 0)
    throw std::runtime_error("openmp: there is no device for " HALOCLINE_OPENMP_DEVICES
                             ": omp_get_num_devices() is 0; is OMP_TARGET_OFFLOAD=DISABLED set, "
                             "or the driver missing, or the device of another kind?");
  const int number = rank % count;
  if (!leaves_host(number))
    throw std::runtime_error(
        "openmp: target regions run on the host instead of device " + std::to_string(number) +
        ": the runtime has fallen back silently; set OMP_TARGET_OFFLOAD=MANDATORY to learn why");
  return new OpenMpDevice(number, count);
}

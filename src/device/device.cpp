#include <halocline/more/device.hpp>

#include "base/folders.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#ifndef HALOCLINE_DEVICE_BACKENDS
#define HALOCLINE_DEVICE_BACKENDS ""
#endif
#ifndef HALOCLINE_DEVICE_FOLDERS
#define HALOCLINE_DEVICE_FOLDERS ""
#endif

namespace halocline {

namespace {

Device* opened = nullptr;

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

/// An executable that names the environment has the variable moved to itself. Who finds its own
/// libraries first would find the C library's, which nobody has set then.
void set_environment() {
  void* const library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  if (void* const own = dlsym(library, "environ")) *static_cast<char***>(own) = environ;
  dlclose(library);
}

/// From the folders that this build knows, or wherever the system looks. A back end may bring
/// another OpenMP than the program has: each must find its own functions first (RTLD_DEEPBIND).
void* load(const std::string& library) {
  set_environment();
  std::string why;
  std::vector<std::string> folders = words(HALOCLINE_DEVICE_FOLDERS, ':');
  if (const std::string path = base::variable("HALOCLINE_DEVICE_PATH"); !path.empty()) {
    std::vector<std::string> first = words(path, ':');
    for (std::string& folder : first)
      if (const auto own = base::expanded(folder); !own.empty()) folder = own.string();
    folders.insert(folders.begin(), first.begin(), first.end());
  }
  folders.push_back("");
  for (const std::string& folder : folders) {
    const std::string file = (folder.empty() ? "" : folder + "/") + library;
    if (void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND))
      return handle;
    why = dlerror();
    if (why.find("No such file") == why.npos) break;
  }
  throw std::runtime_error(why + " (the target `devices` of the build makes what is for devices)");
}

void* function_of(void* library, const std::string& name) {
  void* const found = dlsym(library, name.c_str());
  if (found == nullptr) throw std::runtime_error(dlerror());
  return found;
}

Device* open(const std::string& backend, int rank) {
  // Without it OpenMP falls back to the host if it finds no device. A user's own choice goes first.
  if (backend == "openmp") setenv("OMP_TARGET_OFFLOAD", "MANDATORY", 0);
  using Open = Device* (*)(int);
  const auto open = reinterpret_cast<Open>(
      function_of(load("libhalocline_" + backend + ".so"), "halocline_open_device"));
  return open(rank);
}

}  // namespace

Device* opened_device() noexcept {
  return opened;
}

Device& open_device(const std::string& name, int rank) {
  std::string wanted = name;
  if (wanted.empty()) wanted = base::variable("HALOCLINE_DEVICE");
  if (opened != nullptr) {
    if (!name.empty() && name != opened->backend())
      throw std::runtime_error("device " + name + ": this process has opened " +
                               opened->describe() + " already");
    return *opened;
  }
  const std::vector<std::string> built = words(HALOCLINE_DEVICE_BACKENDS, ',');
  if (built.empty())
    throw std::runtime_error(
        "this build has no back end for devices; configure it with "
        "-DHALOCLINE_OPENMP_TARGET=clang++-16 or -DHALOCLINE_CUDA=nvcc");
  std::string why;
  bool known = wanted.empty();
  for (const std::string& backend : built) {
    if (!wanted.empty() && wanted != backend) continue;
    known = true;
    try {
      opened = open(backend, rank);
      return *opened;
    } catch (const std::runtime_error& problem) {
      why += (why.empty() ? "" : "; ") + std::string(problem.what());
    }
  }
  if (!known)
    throw std::runtime_error("device " + wanted + ": this build has " HALOCLINE_DEVICE_BACKENDS);
  throw std::runtime_error("no device: " + why);
}

void* Device::kernel(const std::string& library, const std::string& function) const {
  return function_of(load("lib" + library + "_" + backend() + ".so"), function);
}

}  // namespace halocline

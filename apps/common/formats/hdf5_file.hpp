#pragma once
// HDF5 files as programs of ours make them, if they have HDF5.

#ifdef HALOCLINE_HAVE_HDF5

#include <halocline/error.hpp>

#include <hdf5.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace formats {

/// What HDF5 says of its last error at its innermost, in a line; of an error of the system, such as
/// that there is no space left, the system's words alone. To be asked before any other call.
inline std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
        *static_cast<std::string*>(to) = error->desc != nullptr ? error->desc : "";
        return 1;  // the first one is enough
      },
      &reason);
  constexpr std::string_view systems = "error message = '";
  if (const std::size_t at = reason.find(systems); at != reason.npos) {
    reason.erase(0, at + systems.size());
    reason.erase(std::min(reason.find('\''), reason.size()));
  }
  std::ranges::replace(reason, '\n', ' ');
  return reason.empty() ? "" : ": " + reason;
}

/// An HDF5 object that `close` ends. Throws Error where HDF5 cannot do `what`.
class Hdf5 {
 public:
  Hdf5(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) throw halocline::Error(std::string("HDF5 cannot ") + what + hdf5_reason());
  }
  Hdf5(Hdf5&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  ~Hdf5() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5& operator=(Hdf5&&) = delete;
  operator hid_t() const noexcept { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline void check_hdf5(herr_t code, const char* what) {
  if (code < 0) throw halocline::Error(std::string("HDF5 cannot ") + what + hdf5_reason());
}

/// A new file, or one that is there. Its name must be the caller's alone: no lock is taken, which
/// some file systems do not have.
inline Hdf5 hdf5_file(const std::string& name, bool is_new = true) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what goes wrong is told once, by Error
  const Hdf5 access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "describe how the file is written");
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  check_hdf5(H5Pset_file_locking(access, false, true), "do without a lock");
#endif
  if (!is_new) return {H5Fopen(name.c_str(), H5F_ACC_RDWR, access), H5Fclose, "open the file"};
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "create the file"};
}

}  // namespace formats

#endif

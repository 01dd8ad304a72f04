#include "device_product.hpp"

namespace spmv {

using namespace halocline;

DevicePart::DevicePart(Device& device, DeviceStream stream, const Format& format) {
  const auto put = [&](auto from, auto& to) {
    using T = std::remove_const_t<typename decltype(from)::element_type>;
    to = Array<T>(MPI_COMM_SELF, from.size(), MemoryKind::device);
    device.copy(to.data(), from.data(), from.size_bytes(), DeviceCopy::to_device, stream);
  };
  put(format.values(), values_);
  const std::vector<std::int32_t> columns = format.columns();
  put(std::span(columns), columns_);
  put(format.rows_in_order(), which_);
  put(format.ends(), ends_);
  device.wait(stream);
  there_ = {values_.data(),
            columns_.data(),
            ends_.data(),
            which_.data(),
            std::ssize(format.rows_in_order()),
            format.slice_height()};
}

}  // namespace spmv

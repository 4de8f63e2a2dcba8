#include "kubernetes/api/set_back.h"

#include <charconv>

namespace lips::kubernetes {

std::uint64_t version_number(const std::string& version) {
  std::uint64_t number = 0;
  const char* end = version.data() + version.size();
  const auto read = std::from_chars(version.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? number : 0;
}

}  // namespace lips::kubernetes

#include "kubernetes/pods/pod_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace lips::kubernetes {
namespace {

bool may_be_v4(const std::uint8_t* byte) {
  const bool link_local = byte[0] == 169 && byte[1] == 254;
  return byte[0] != 0 && byte[0] != 127 && byte[0] < 224 && !link_local;
}

// Unspecified, loopback and what stands for IPv4 begin with ten zeros.
bool may_be_v6(const std::array<std::uint8_t, 16>& byte) {
  const bool zeros = std::all_of(byte.begin(), byte.begin() + 10, [](std::uint8_t one) { return one == 0; });
  const bool link_local = byte[0] == 0xfe && (byte[1] & 0xc0) == 0x80;
  return !zeros && !link_local && byte[0] != 0xff;
}

}  // namespace

bool is_pod_address(const std::string& address) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return may_be_v4(bytes.data());
  return inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1 && may_be_v6(bytes);
}

}  // namespace lips::kubernetes

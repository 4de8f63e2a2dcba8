// The news that the API server's store is of an earlier time than before, as after a restored backup: told by a version
// that is lower than one seen before. Reads no clock.
#pragma once

#include <cstdint>
#include <string>

namespace lips::kubernetes {

struct SetBack {
  std::string what;  // a path: where it was noticed
  std::uint64_t before = 0, found = 0;
  // "version 3291 was seen, and then 260"
  std::string words() const {
    return "version " + std::to_string(before) + " was seen, and then " + std::to_string(found);
  }
  friend bool operator==(const SetBack&, const SetBack&) = default;
};

// Versions are growing numbers (Kubernetes 1.35 and later promise it; earlier ones behave so). 0: it is none.
std::uint64_t version_number(const std::string& version);

}  // namespace lips::kubernetes

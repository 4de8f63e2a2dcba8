// The least that binding pods can cost: one libcurl handle a thread, the same bodies, no retries, nothing decided. What
// the operator's rate is measured against.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"

namespace lips::kubernetes {

struct BareBinding {
  std::string name, uid, node;
};

// Posts all over so many connections; how many the server accepted.
std::size_t bind_bare(const Connection& connection, const std::string& name_space,
                      const std::vector<BareBinding>& bindings, int connections);

}  // namespace lips::kubernetes

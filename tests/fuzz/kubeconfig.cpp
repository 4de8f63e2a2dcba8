// Kubeconfigs. They are read from a file, here one in memory.
#include <sys/mman.h>
#include <unistd.h>

#include "kubernetes/api/connection.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(kubeconfig, json) {
  const int file = memfd_create("kubeconfig", MFD_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, input.data(), input.size()) == static_cast<ssize_t>(input.size());
  const auto connection = connection_from_kubeconfig("/proc/self/fd/" + std::to_string(file));
  close(file);
  if (written && connection) FUZZ_CHECK(!connection->server.empty() && connection->server.back() != '/');
  return connection.has_value();
}

}  // namespace lips::kubernetes

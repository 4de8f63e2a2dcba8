// Lets kubectl make the requests, for kubeconfigs that only kubectl understands: users whose credentials another
// program gives, proxies, impersonation. Knows no path.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lips::cmd {

// The text that the command `kubectl WORDS` wrote to stdout; otherwise unavailable, with what it wrote to stderr.
Result<std::string> run_kubectl(std::vector<std::string> words);

}  // namespace lips::cmd

// Fetches the state of the operator through the API server's proxy to services, with the user's own rights, or from an
// address. Knows no format.
#pragma once

#include <string>

#include "base/result.h"

namespace lips::cmd {

struct ApiPlace {
  std::string kubeconfig, context, service;  // service: "namespace/name"; each may be empty
};
struct FetchedBytes {
  std::string bytes, name_space;
};
Result<FetchedBytes> fetch_through_api(const ApiPlace& place);
Result<std::string> fetch_from_url(const std::string& url, const std::string& token_file);

}  // namespace lips::cmd

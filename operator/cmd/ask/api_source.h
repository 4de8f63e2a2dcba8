// Fetches what the operator serves through the API server's proxy to services, with the user's own rights, or from an
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
// `path`: of the operator, such as "state".
Result<FetchedBytes> fetch_through_api(const ApiPlace& place, const std::string& path);
Result<std::string> fetch_from_url(const std::string& url, const std::string& token_file, const std::string& path);

}  // namespace lips::cmd

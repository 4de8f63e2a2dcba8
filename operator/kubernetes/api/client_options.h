// The limits and the identity of a client.
#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/retry.h"

namespace lips::kubernetes {

struct ClientOptions {
  int in_flight = 32;  // requests at once, each on a connection of its own; watches come on top
  RetryRules retry;
  std::uint64_t seed = 1;
  std::string user_agent = "lips";
  RequestObserver* observer = nullptr;  // outlives the client
};

}  // namespace lips::kubernetes

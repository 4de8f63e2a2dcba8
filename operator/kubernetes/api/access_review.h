// Asks the API server who owns a token and whether that user may read a path of ours (TokenReview,
// SubjectAccessReview). Caches answers for a few seconds; decides nothing itself.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

enum class AccessVerdict : std::uint8_t {
  allowed,
  unknown,      // nobody owns the token
  forbidden,    // its owner may not read the path
  unavailable,  // the API server gave no answer
};

class AccessReview {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  explicit AccessReview(ApiClient& client, Clock clock = std::chrono::steady_clock::now)
      : client_(client), clock_(std::move(clock)) {}

  // Says whether the token's bearer may `get` the path, as a nonResourceURL of RBAC. From any thread; waits for the
  // server.
  AccessVerdict may_get(const std::string& token, const std::string& path);
  std::size_t kept() const;

 private:
  struct Kept {
    AccessVerdict verdict;
    std::chrono::steady_clock::time_point until;
  };
  AccessVerdict ask(const std::string& token, const std::string& path);

  ApiClient& client_;
  const Clock clock_;
  // Each request to the operator's own server is answered on a thread of its own, which waits here for the API server.
  // On the adapter's loop it would wait for a plan as well. Nothing of the adapter is read.
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Kept> kept_;  // by token and path
};

}  // namespace lips::kubernetes

// When a request that failed is sent again, and after how long. Pure; knows no HTTP library and no clock.
#pragma once

#include <chrono>
#include <optional>

#include "base/random.h"

namespace lips::kubernetes {

struct RetryRules {
  int most_tries = 6;
  std::chrono::milliseconds first{100}, most{10'000};
};

// How one try ended.
struct TryResult {
  int http_code = 0;        // 0: no answer
  bool delivered = true;    // the request may have reached the server
  bool repeatable = false;  // doing it twice does no harm
  bool refused = false;     // sending it again cannot help (the server's certificate is wrong)
  std::optional<std::chrono::seconds> retry_after = std::nullopt;
};

// A random pause between half of the backoff and all of it; the backoff doubles with every try (counted from 1).
std::chrono::milliseconds backoff(int tries, const RetryRules& rules, Random& random);

// The pause before the next try; none: that was the last.
std::optional<std::chrono::milliseconds> pause_before_next_try(const TryResult& result, int tries,
                                                               const RetryRules& rules, Random& random);

}  // namespace lips::kubernetes

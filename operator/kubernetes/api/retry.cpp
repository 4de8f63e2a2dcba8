#include "kubernetes/api/retry.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

constexpr std::chrono::milliseconds longest_obeyed = std::chrono::minutes(5);

// After 429 and 408 the server has done nothing.
bool again(const TryResult& result) {
  if (result.refused) return false;
  if (result.http_code == 429 || result.http_code == 408) return true;
  if (result.http_code == 0 && !result.delivered) return true;
  return result.repeatable && (result.http_code == 0 || result.http_code >= 500);
}

}  // namespace

std::chrono::milliseconds backoff(int tries, const RetryRules& rules, Random& random) {
  const double doubled =
      static_cast<double>(rules.first.count()) * static_cast<double>(1LL << std::clamp(tries - 1, 0, 40));
  const double whole = std::min(doubled, static_cast<double>(rules.most.count()));
  return std::chrono::milliseconds(static_cast<std::int64_t>(whole * random.uniform(0.5, 1)));
}

std::optional<std::chrono::milliseconds> pause_before_next_try(const TryResult& result, int tries,
                                                               const RetryRules& rules, Random& random) {
  if (!again(result) || tries >= rules.most_tries) return std::nullopt;
  const std::chrono::milliseconds own = backoff(tries, rules, random);
  if (!result.retry_after) return own;
  // Jitter on top: clients that were rejected together must not return together.
  return std::min(std::chrono::milliseconds(*result.retry_after), longest_obeyed) + own / 2;
}

}  // namespace lips::kubernetes

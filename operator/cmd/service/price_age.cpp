#include "cmd/service/price_age.h"

#include <ctime>
#include <string>
#include <utility>

namespace lips::cmd {
namespace {

constexpr int oldest_prices_days = 180;

// The beginning of a date YYYY-MM-DD.
std::optional<std::chrono::system_clock::time_point> day_of(const std::string& date) {
  std::tm day{};
  if (date.empty() || !strptime(date.c_str(), "%Y-%m-%d", &day)) return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&day));
}

}  // namespace

void PriceAge::use(const PricesInUse& prices) {
  const std::lock_guard lock(mutex_);
  if (prices == in_use_) return;
  const std::string before = std::exchange(in_use_, prices).oldest;
  tell();
  const auto since = day_of(prices.oldest);
  if (!since || prices.oldest == before) return;
  const auto days = std::chrono::duration_cast<std::chrono::hours>(std::chrono::system_clock::now() - *since) / 24;
  if (days.count() > oldest_prices_days)
    log_.warning("prices in use are old: give prices.file or prices.metrics", {{"oldest", prices.oldest},
                                                                               {"instance_type", prices.instance_type},
                                                                               {"zone", prices.zone},
                                                                               {"days", days.count()}});
}

void PriceAge::fed() {
  const std::lock_guard lock(mutex_);
  fed_at_ = std::chrono::system_clock::now();
  metrics_.prices_read(*fed_at_);
  tell();
}

PriceAges PriceAge::ages() const {
  const std::lock_guard lock(mutex_);
  PriceAges ages;
  ages.oldest = in_use_.oldest;
  if (fed_at_) ages.since_read = std::chrono::duration_cast<Duration>(std::chrono::system_clock::now() - *fed_at_);
  return ages;
}

// That of the oldest price by which plans are made: what the feed says is as old as its last answer.
void PriceAge::tell() {
  std::optional<std::chrono::system_clock::time_point> oldest = day_of(in_use_.oldest);
  if (in_use_.fed && fed_at_ && (!oldest || *fed_at_ < *oldest)) oldest = fed_at_;
  if (oldest) metrics_.prices_as_of(*oldest);
}

}  // namespace lips::cmd

// The age of the prices by which plans are made, for a metric, the log and `lips status`. From any thread.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "base/log.h"
#include "cmd/service/status_text.h"
#include "config/node_price.h"
#include "telemetry/metrics/operator_metrics.h"

namespace lips::cmd {

class PriceAge {
 public:
  PriceAge(OperatorMetrics& metrics, Log& log) : metrics_(metrics), log_(log) {}

  // Takes the prices of the last listing.
  void use(const PricesInUse& prices);
  // prices.metrics has answered now.
  void fed();
  PriceAges ages() const;

 private:
  void tell();

  OperatorMetrics& metrics_;
  Log& log_;
  mutable std::mutex mutex_;
  PricesInUse in_use_;
  std::optional<std::chrono::system_clock::time_point> fed_at_;  // the last answer
};

}  // namespace lips::cmd

// All that `lips status` shows of a running operator, as JSON (docs/json.md). Reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/adapter_status.h"
#include "controller/operator_state.h"
#include "telemetry/metrics/recent_trouble.h"

namespace lips::cmd {

struct PriceAges {
  std::string oldest;                  // of those in use: a date; empty: not known
  std::optional<Duration> since_read;  // of prices.metrics
  std::uint64_t unpriced = 0;          // nodes that count at the default price
};

struct OperatorStatus {
  std::string version, cluster, replica, policy, mode;
  bool leads = false;
  OperatorState state;
  std::uint64_t plans = 0;
  double since_plan = 0;        // seconds
  double kept_cpu_seconds = 0;  // room for work to come, in the last plan
  PriceAges prices = {};
  std::optional<AdapterStatus> adapter = {};
  std::vector<Trouble> troubles = {};
};

std::string status_text(const OperatorStatus& status, TimePoint now);

}  // namespace lips::cmd

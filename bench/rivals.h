// The schedulers that lips is compared with.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "policies/settings.h"

namespace lips::bench {

struct Rival {
  std::string name, policy;
  std::function<void(PolicySettings&)> change = [](PolicySettings&) {};
};

inline Rival starburst(int wait) {
  return {fmt::format("starburst, {} s", wait), "starburst",
          [wait](PolicySettings& settings) { settings.starburst.wait_per_cpu_hour = std::chrono::seconds(wait); }};
}

inline const std::vector<Rival>& all_rivals() {
  static const std::vector<Rival> all = {
      {"spread", "spread"},
      {"most-allocated", "most-allocated"},
      {"single-zone-round-robin", "single-zone-round-robin"},
      {"hadoop-default", "hadoop-default"},
      {"delay", "delay"},
      {"own-zone-cheapest", "own-zone-cheapest"},
      {"greedy-cheapest", "greedy-cheapest"},
      {"lips-paper", "lips-paper"},
      starburst(15),
      starburst(60),
      starburst(240),
      {"stratus", "stratus"},
      {"eva", "eva"},
  };
  return all;
}

}  // namespace lips::bench

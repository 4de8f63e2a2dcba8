// A policy: a pure function from a snapshot to a plan. It keeps no memory and sees no clock, network or log.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/costs.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

// Wall time for StageTimes only. The default one always says 0.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  virtual double seconds() const { return 0; }
};

struct PolicyInput {
  const ClusterSnapshot& cluster;
  const CostModel& costs;
  std::uint64_t seed = 1;
  std::span<const NodeId> reporting;  // nodes whose heartbeat is being answered (for policies that go by heartbeats)
  const Stopwatch* stopwatch = nullptr;
};

// When a policy wants to be asked.
struct Cadence {
  enum class Trigger : std::uint8_t {
    epoch,      // every `interval` and only then (the paper)
    events,     // as soon as something changed, at most once every `least`, and at least every `interval`
    heartbeats  // when nodes report, every `interval` each; only reporting nodes are given tasks
  };
  Trigger trigger = Trigger::events;
  Duration interval = std::chrono::seconds(30);
  Duration least = std::chrono::seconds(0);
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual Cadence cadence() const = 0;
  // Equal inputs, equal plans (but for account.seconds).
  virtual Result<Plan> decide(const PolicyInput& input) const = 0;
};

}  // namespace lips

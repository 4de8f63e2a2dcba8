// The loop: events in, a snapshot to the policy when its cadence says so, the plan to the dispatcher. Knows one port
// and the interface of policies; reads no clock but the port's.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "controller/cluster_client.h"
#include "controller/dispatcher.h"
#include "controller/observer.h"
#include "controller/waiting_pricer.h"
#include "model/cluster_state.h"
#include "policies/policy.h"

namespace lips {

struct ControllerSettings {
  std::uint64_t seed = 1;
  const Stopwatch* stopwatch = nullptr;
  std::function<bool()> stop;  // called before every wait; empty: never
  // If not 0, the policy's minimum time between plans is cut to this many times the duration of the last plan, so that
  // a change in a quiet cluster is planned at once.
  double rest_after_planning = 0;
  // The least that a plan counts as having taken, for clocks that stand still meanwhile.
  Duration least_planning{};
};

// The pause of operators between plans that events trigger, as a multiple of planning time: most of the time is for
// binding. A small pod waits for the pause and two plans, so that a plan of a seventh of a second still starts it
// within one.
inline constexpr double rest_of_operators = 4;

class EpochController {
 public:
  EpochController(ClusterState& state, ClusterClient& client, const Policy& policy, const CostModel& costs);

  void observe(Observer& observer) { observers_.push_back(&observer); }
  // Observes, and prices the waits of every plan.
  void price_waiting_by(WaitingPricer& pricer) {
    pricer_ = &pricer;
    observe(pricer);
  }
  // Runs until the client has no more changes (success), stop() returns true (success), or a failure. After a stop the
  // next call goes on where this one ended.
  Result<void> run(const ControllerSettings& settings);

  std::uint64_t plans() const { return plans_; }

 private:
  void begin_anew(const ClusterListed& listed);
  void take_in(const std::vector<ClusterEvent>& events);
  bool due() const;
  TimePoint wake_at() const;
  void price_waiting();
  Result<void> plan(const ControllerSettings& settings);

  ClusterState& state_;
  ClusterClient& client_;
  const Policy& policy_;
  CostModel costs_;
  Dispatcher dispatcher_;
  std::vector<Observer*> observers_;
  WaitingPricer* pricer_ = nullptr;
  bool changed_ = true;  // since the last plan
  std::vector<NodeId> reporting_;
  TimePoint last_plan_{};
  TimePoint next_plan_;
  TimePoint earliest_plan_{};
  std::uint64_t plans_ = 0;
};

}  // namespace lips

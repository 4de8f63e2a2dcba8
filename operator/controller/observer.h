// Who wants to know what the controller did: metrics, journal, report, progress. Observers decide nothing.
#pragma once

#include "model/cluster_event.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

class Observer {
 public:
  virtual ~Observer() = default;
  // After the state has taken the event in.
  virtual void on_event(const ClusterSnapshot&, const ClusterEvent&) {}
  virtual void on_plan(const ClusterSnapshot&, const Plan&) {}
  // `before` is the state in which the task was still pending.
  virtual void on_bind(const ClusterSnapshot& before, const Assignment&) = 0;
};

}  // namespace lips

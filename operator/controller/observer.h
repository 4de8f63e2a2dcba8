// Observes the controller: metrics, journal, report, progress. Observers decide nothing.
#pragma once

#include "model/cluster_event.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

class Observer {
 public:
  virtual ~Observer() = default;
  // After the state has applied the event.
  virtual void on_event(const ClusterSnapshot&, const ClusterEvent&) {}
  virtual void on_plan(const ClusterSnapshot&, const Plan&) {}
  // After the state has reserved the room and the binding was sent; earlier refusals are not reported.
  virtual void on_bind(const ClusterSnapshot&, const Assignment&) = 0;
};

}  // namespace lips

// Collects the facts of a run that a cloud bills. Knows no prices but those of nodes.
#pragma once

#include <vector>

#include "invoice/usage.h"
#include "simulation/run_listener.h"
#include "simulation/scenario.h"

namespace lips::simulation {

class UsageRecorder : public RunListener {
 public:
  explicit UsageRecorder(const Scenario& scenario);

  void on_end(const AttemptEnd& end) override;
  void on_copied(StoreId from, StoreId to, Mebibytes size) override;
  void on_kept(StoreId store, Mebibytes size, Duration span) override;
  void on_extra_kept(StoreId store, Mebibytes size, Duration span) override;
  void on_launch(NodeId node, TimePoint now) override { launched_[node] = now; }
  void on_gone(NodeId node, Gone why, TimePoint now) override;
  void on_node(NodeId node, bool up, TimePoint now) override;

  // Nodes that are still up end then, or once they have been idle for long enough where that is to be billed.
  Usage finish(TimePoint end);
  // Core-hours of nodes that have gone, as they are billed.
  double core_hours() const { return core_hours_; }

 private:
  void end_life(NodeId node, TimePoint now);
  bool billed_by_bytes(StoreId store) const;

  const Scenario& scenario_;
  Usage usage_;
  double core_hours_ = 0;                 // of nodes that have gone
  IdVector<NodeId, TimePoint> launched_;  // TimePoint::max(): not launched
  IdVector<NodeId, TimePoint> last_end_;  // of a task there, or of its boot
};

}  // namespace lips::simulation

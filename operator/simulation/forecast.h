// The usage that the decisions of a run foresaw: each binding and move is counted when it is made, by what was known
// then. A node is foreseen to stay until the last task bound to it ends and its idle time passes, and until the
// autoscaler's budget lets it go; a fixed node, until the last task of the run ends. Nobody foresees interruptions: a
// node that is interrupted is foreseen to stay until then.
#pragma once

#include "invoice/usage.h"
#include "model/plan.h"
#include "model/snapshot.h"
#include "simulation/run_listener.h"
#include "simulation/scenario.h"

namespace lips::simulation {

class Forecast {
 public:
  explicit Forecast(const Scenario& scenario);

  void on_launch(NodeId node, TimePoint now);
  void on_gone(NodeId node, RunListener::Gone why, TimePoint now);
  void on_node(NodeId node, bool up, TimePoint now);
  void on_plan(const ClusterSnapshot& cluster, const Plan& plan);
  void on_bind(const ClusterSnapshot& cluster, const Assignment& assignment);

  // Storage is no decision on tasks: it is taken from the usage as it was.
  Usage finish(const Usage& counted);

 private:
  struct Life {
    TimePoint launched = TimePoint::max(), until{};  // max: not launched
    bool elastic = false;
    Duration boot{};
    TimePoint interrupted = TimePoint::max();
  };
  void end_life(NodeId node, TimePoint end);
  void keep_within_budget();

  const Scenario& scenario_;
  Duration idle_;
  Usage usage_;
  IdVector<NodeId, Life> lives_;
  std::vector<std::pair<std::size_t, TimePoint>> elastic_;  // of usage_.nodes, and when they were interrupted
  TimePoint last_end_;                                      // of any task, as foreseen
};

}  // namespace lips::simulation

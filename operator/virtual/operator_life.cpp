#include "virtual/operator_life.h"

#include <optional>
#include <utility>

#include "controller/checked_policy.h"
#include "controller/epoch_controller.h"
#include "kubernetes/data/mover_options.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster {
namespace {

// The time of a plan of a small cluster: the clock of a virtual one stands still meanwhile.
constexpr Duration planning_time = std::chrono::milliseconds(10);

kubernetes::ClusterSettings settings_of(const OperatorLife& life) {
  kubernetes::ClusterSettings settings;
  settings.mode = life.mode;
  settings.instance = "virtual";
  settings.cadence = [&policy = life.policy] { return policy.cadence(); };
  settings.stop = life.ends;
  settings.data.mover = kubernetes::mover_options({});  // as a configuration that says nothing of moves
  take_from_scenario(life.scenario, settings);
  if (life.adjust) life.adjust(settings);
  return settings;
}

// `behind`: how far its clock was behind the server's, if that is why it ended.
Result<void> live_once(const kubernetes::ClusterLink& link, const OperatorLife& life, std::optional<Duration>& behind) {
  const CheckedPolicy checked(life.policy);
  ClusterState state{ClusterSnapshot{}};
  kubernetes::KubernetesCluster adapter(link, settings_of(life), life.adapter, life.log);
  adapter.start();
  EpochController controller(state, adapter, checked, CostModel{});
  controller.observe(life.observer);
  ControllerSettings rules;
  rules.seed = life.scenario.seed;
  rules.stopwatch = life.stopwatch;
  rules.rest_after_planning = rest_of_operators;
  rules.least_planning = planning_time;
  rules.stop = life.ends;
  Result<void> ran = controller.run(rules);
  behind = adapter.behind_server();
  if (ran && !behind && life.at_end) life.at_end();
  return ran;
}

}  // namespace

Result<void> live(const kubernetes::ClusterLink& link, const OperatorLife& life) {
  for (;;) {
    std::optional<Duration> behind;
    Result<void> ran = live_once(link, life, behind);
    if (!ran || !behind) return ran;
    link.loop->put_forward(*behind);
  }
}

}  // namespace lips::virtual_cluster

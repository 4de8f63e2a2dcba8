#include "cmd/service/operator_simulated.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "cmd/cli/command.h"
#include "cmd/service/operator_kubernetes.h"
#include "controller/epoch_controller.h"
#include "controller/forwarding_cluster.h"
#include "controller/operator_state.h"
#include "model/cluster_state.h"
#include "simulation/metrics.h"
#include "simulation/simulated_cluster.h"
#include "simulation/thinking_policy.h"

namespace lips::cmd {

namespace {

using WallClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds nap{100};  // how often a wait checks whether to stop

// Delays events of the simulation until their time has come on the wall clock.
class PacedCluster : public ForwardingCluster {
 public:
  PacedCluster(ClusterClient& cluster, const SimulatedRun& run, std::function<bool()> stop)
      : ForwardingCluster(cluster),
        run_(run),
        stop_(std::move(stop)),
        start_(cluster.now()),
        began_(WallClock::now()) {}

  Result<std::vector<ClusterEvent>> wait(TimePoint until) override {
    Result<std::vector<ClusterEvent>> events = cluster_.wait(until);
    run_.adapter.on_loop();
    if (!events || run_.speed <= 0) return events;
    const auto due = began_ + std::chrono::duration_cast<WallClock::duration>(
                                  std::chrono::duration<double>(to_seconds(cluster_.now() - start_) / run_.speed));
    for (auto now = WallClock::now(); now < due; now = WallClock::now()) {
      if (stop_()) return fail(ErrorCode::cancelled, "asked to stop");
      std::this_thread::sleep_for(std::min<WallClock::duration>(nap, due - now));
      run_.adapter.on_loop();
    }
    return events;
  }
  void bind(const PreparedBinding& binding) override {
    cluster_.bind(binding);
    run_.adapter.on_bind_outcome(BindOutcome::bound, Duration(0));
  }

 private:
  const SimulatedRun& run_;
  const std::function<bool()> stop_;
  TimePoint start_;
  WallClock::time_point began_;
};

}  // namespace

Result<simulation::RunResult> run_on_simulation(const SimulatedRun& run, const std::string& policy_name) {
  const simulation::Scenario& scenario = run.scenario;
  simulation::RunMetrics truth(scenario);
  simulation::SimulatedCluster cluster(scenario, run.policy.cadence(), truth, simulation::score_beside(policy_name));
  std::optional<FaultyCluster> faulty;
  if (run.faults) faulty.emplace(cluster, *run.faults);
  ClusterState state(scenario.at_start());
  const auto stop = [&] {
    run.look(state.snapshot(), state.snapshot().now);
    return run.stop();
  };
  PacedCluster paced(faulty ? static_cast<ClusterClient&>(*faulty) : cluster, run, stop);
  const simulation::ThinkingPolicy thinking(run.policy, cluster, scenario.thinking, scenario.thinking_time);
  EpochController controller(state, paced, thinking, scenario.costs);
  controller.observe(truth);
  controller.observe(run.observer);
  controller.observe(run.recorder);
  controller.price_waiting_by(run.pricer);
  OperatorFacts facts;
  facts.leads = true, facts.leader = own_identity(), facts.mode = PodMode::bind;
  run.adapter.on_state(state_of(facts, nullptr, kubernetes_time()));
  run.adapter.on_leader(true);

  const WallStopwatch watch;
  ControllerSettings settings;
  settings.seed = run.seed;
  settings.stopwatch = &watch;
  settings.stop = stop;
  run.recorder.count_services_by([&cluster] { return cluster.services(); });
  const Result<void> ran = controller.run(settings);
  if (ran) run.at_end({state.snapshot(), scenario.costs, run.seed, {}, nullptr});
  run.recorder.count_services_by({});
  if (!ran) return tl::unexpected(ran.error());
  cluster.close();
  simulation::RunResult result = truth.finish(cluster.end_of_work());
  result.scenario = scenario.name;
  result.policy = policy_name;
  result.seed = run.seed;
  result.events = cluster.events();
  result.stuck = cluster.stuck();
  result.endless = cluster.endless();
  result.stopped = run.stop();
  if (faulty) run.log.info("faults were injected", {{"seed", run.faults->seed}, {"faults", faulty->injected()}});
  return result;
}

}  // namespace lips::cmd

#include "cmd/playground/operator_virtual.h"

#include <fmt/format.h>

#include <utility>

#include "cmd/playground/playground_page.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "model/cluster_state.h"
#include "playground/http_front.h"
#include "simulation/metrics.h"
#include "virtual/scenario_settings.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::cmd {
namespace {

namespace vk = lips::virtual_cluster;

std::string url(const std::string& host, int port) {
  return fmt::format("http://{}:{}", host.empty() || host == "0.0.0.0" ? "127.0.0.1" : host, port);
}

}  // namespace

Result<Playground> make_playground(simulation::Scenario scenario, double speed) {
  if (speed < 0) return fail(ErrorCode::invalid_input, "--speed: expected a number from 0");
  if (Result<void> possible = vk::can_be_objects(scenario); !possible) return tl::unexpected<Error>(possible.error());
  auto loop = std::make_shared<playground::PacedLoop>(vk::start_of(scenario), playground::Pace{speed, false});
  return Playground{std::move(scenario), std::move(loop)};
}

Result<void> run_on_virtual(const KubernetesRun& run, const Playground& of, const ListenAddress& api, int page_port) {
  const simulation::Scenario& scenario = of.scenario;
  simulation::RunMetrics bill(scenario);
  kubernetes::ClusterSettings settings = cluster_settings(run, own_identity());
  vk::take_from_scenario(scenario, settings);
  vk::ClusterRules rules;
  rules.mode = settings.mode;
  vk::VirtualKubernetes cluster(scenario, run.policy.cadence(), bill, rules, of.loop);
  const simulation::SimulatedCluster& truth = cluster.truth();
  const std::string page = page_port > 0 ? url("127.0.0.1", page_port) : "";
  const auto facts = [&]() -> vk::Json {
    return {{"scenario", scenario.name},
            {"jobs", truth.jobs_total()},
            {"ended", truth.jobs_finished() + truth.jobs_failed()},
            {"over", cluster.over()}};
  };
  auto front = playground::HttpFront::start(
      api.host, api.port, cluster.server(), *of.loop,
      {facts, [&page](const vk::Json& shown, const std::string& host) { return playground_page(shown, host, page); }});
  if (!front) return fail(front.error().code, "--api: " + front.error().message);
  run.log.info("a virtual cluster",
               {{"scenario", scenario.name},
                {"page", url(api.host, (*front)->port())},
                {"kubectl", "kubectl --server " + url(api.host, (*front)->port()) + " get pods -A"}});

  bool told = false;
  const auto stop = [&] {
    if (cluster.over() && !std::exchange(told, true)) {
      cluster.truth().close();
      const simulation::RunResult result = bill.finish(cluster.truth().end_of_work());
      run.log.info("scenario finished; the cluster stays", {{"dollars_by_use", result.bill.total().value()},
                                                            {"jobs_finished", result.jobs_finished},
                                                            {"simulated_seconds", to_seconds(result.makespan)}});
    }
    return run.stop();
  };
  ClusterState state{ClusterSnapshot{}};
  std::unique_ptr<kubernetes::KubernetesCluster> adapter;
  settings.stop = look_and(run, state, adapter, stop);
  adapter = std::make_unique<kubernetes::KubernetesCluster>(cluster.link(), std::move(settings), run.adapter, run.log);
  adapter->start();
  run.adapter.on_leader(true);
  return control(run, state, *adapter, stop);
}

}  // namespace lips::cmd

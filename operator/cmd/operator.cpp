#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "cmd/live_policy.h"
#include "cmd/operator_kubernetes.h"
#include "cmd/operator_simulated.h"
#include "config/live_config.h"
#include "simulation/scenario_reader.h"
#include "telemetry/log_lines.h"
#include "version.h"

namespace lips::cmd {

namespace {

struct OperatorOptions {
  std::string config, kubeconfig, cluster = "kubernetes", config_folder;
  std::vector<std::pair<std::string, std::string>> set;
  double speed = 1;
  bool print_config = false;
};

Arguments describe(OperatorOptions& options) {
  Arguments arguments("lips operator",
                      "Places the pods and data of a Kubernetes cluster (or of a simulated one) until it is stopped.");
  arguments.text("--config", "FILE", "the configuration (docs/operator.md); read again when it changes",
                 options.config);
  arguments.pairs("--set", "replaces keys of the configuration, such as policy.name=fifo server.listen=127.0.0.1:0",
                  options.set);
  arguments.flag("--print-config", "prints the configuration with every key, its default and its meaning, and ends",
                 options.print_config);
  arguments.heading("Cluster");
  arguments.text(
      "--kubeconfig", "FILE",
      "how to reach the API server (default: the pod's service account, else $KUBECONFIG, else ~/.kube/config)",
      options.kubeconfig);
  arguments.text("--cluster", "simulated:SCENARIO",
                 "instead of Kubernetes: a scenario (docs/scenarios.md), a file or the name of a shipped one",
                 options.cluster);
  arguments.number("--speed", "simulated seconds in a second of a simulated cluster; 0: as fast as it goes (default 1)",
                   options.speed);
  arguments.text("--config-dir", "DIR", "the folder of the shipped scenarios and prices (default: beside the program)",
                 options.config_folder);
  arguments.example("lips operator --config /etc/lips/config.yaml", "in a pod of the cluster that it is to serve");
  arguments.example("lips operator --kubeconfig ~/.kube/config --set leaderElection.enabled=false log.level=debug",
                    "from a workstation");
  arguments.example("lips operator --cluster simulated:quickstart --speed 60 --set server.listen=127.0.0.1:8080",
                    "without Kubernetes: an hour of the scenario in a minute");
  return arguments;
}

LineLog::Form form_of(LogFormat format) {
  return format == LogFormat::json ? LineLog::Form::json : LineLog::Form::logfmt;
}

Result<NodePrices> prices_of(const OperatorOptions& options, const OperatorConfig& config) {
  const Result<std::string> folder = find_config_folder(options.config_folder);
  if (!folder) return tl::unexpected(folder.error());
  const Result<PriceSheet> carried = read_price_sheet(*folder);
  if (!carried) return tl::unexpected(carried.error());
  return NodePrices::make(*carried, config.prices);
}

class NoObserver : public Observer {
 public:
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
};

constexpr std::string_view simulated = "simulated:";

Result<void> run_simulated(const OperatorOptions& options, const OperatorConfig& config, const LivePolicy& policy,
                           Observer& observer, AdapterObserver& adapter, Log& log) {
  simulation::ScenarioOptions reading;
  reading.config_folder = options.config_folder;
  const Result<std::string> path = simulation::find_scenario(options.cluster.substr(simulated.size()), reading);
  if (!path) return tl::unexpected(path.error());
  const Result<simulation::Scenario> scenario = simulation::read_scenario(*path, reading);
  if (!scenario) return tl::unexpected(scenario.error());
  const SimulatedRun run{*scenario, options.speed, config.policy.seed, policy, observer, adapter, log, interrupt_asked};
  const Result<simulation::RunResult> result = run_on_simulation(run, policy.current()->name);
  if (!result) return tl::unexpected(result.error());
  log.info("the scenario has ended",
           {{"dollars", result->bill.total().value()}, {"jobs_finished", result->jobs_finished}});
  return {};
}

Result<int> serve(const OperatorOptions& options) {
  if (options.cluster != "kubernetes" && !options.cluster.starts_with(simulated))
    return fail(ErrorCode::invalid_input,
                fmt::format("--cluster: found '{}', allowed is kubernetes or simulated:SCENARIO", options.cluster));
  Result<OperatorConfig> config = read_operator_config(options.config, options.set);
  if (!config) return tl::unexpected(config.error());
  Result<NodePrices> prices = prices_of(options, *config);
  if (!prices) return tl::unexpected(prices.error());
  Result<std::shared_ptr<const NamedPolicy>> named = make_named_policy(config->policy.name, config->policy.effective());
  if (!named) return tl::unexpected(named.error());
  LineLog log(form_of(config->log.format), config->log.level);
  const LiveConfig live(*config, std::move(*prices));
  const LivePolicy policy(std::move(*named), {});
  NoObserver observer;
  AdapterObserver adapter;
  watch_for_interrupt();
  log.info("the operator starts",
           {{"version", version}, {"policy", config->policy.name}, {"cluster", options.cluster}});
  const Result<void> ran =
      options.cluster == "kubernetes"
          ? run_on_kubernetes({options.kubeconfig, live, policy, observer, adapter, log, interrupt_asked})
          : run_simulated(options, *config, policy, observer, adapter, log);
  if (!ran) return tl::unexpected(ran.error());
  log.info("the operator stops");
  return static_cast<int>(done);
}

}  // namespace

int run_operator(Words words) {
  OperatorOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return end_with(parsed.error());
  if (arguments.help_asked()) return print(arguments.help());
  if (options.print_config) return print(default_config_text());
  const Result<int> status = serve(options);
  return status ? *status : end_with(status.error());
}

}  // namespace lips::cmd

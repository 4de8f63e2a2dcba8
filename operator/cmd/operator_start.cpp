#include "cmd/operator_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/text_file.h"
#include "simulation/scenario_reader.h"
#include "twin/scenario_file.h"

namespace lips::cmd {

Arguments describe(OperatorOptions& options) {
  Arguments arguments("lips operator",
                      "Schedules the pods and data of a Kubernetes cluster (or of a simulated one) until stopped.");
  arguments.text("--config", "FILE", "configuration (docs/operator.md); read again when it changes", options.config);
  arguments.pairs("--set", "replace keys of the configuration, such as policy.name=fifo server.listen=127.0.0.1:0",
                  options.set);
  arguments.flag("--print-config",
                 "check --config and --set as a start would, print every key with its value and its meaning, and exit",
                 options.print_config);
  arguments.heading("Cluster");
  arguments.text(
      "--kubeconfig", "FILE",
      "how to reach the API server (default: the pod's service account, else $KUBECONFIG, else ~/.kube/config)",
      options.kubeconfig);
  arguments.text("--cluster", "KIND:SCENARIO",
                 "run a scenario (docs/scenarios.md; a file, or the name of one that comes with lips) instead of "
                 "Kubernetes: virtual:SCENARIO is a whole cluster inside the program, with an API for kubectl "
                 "(docs/virtual.md); simulated:SCENARIO has no API",
                 options.cluster);
  arguments.text("--api", "ADDRESS", "where the API of a virtual cluster listens", options.api);
  arguments.number("--speed", "speed of a virtual or simulated cluster: its seconds per second; 0: as fast as possible",
                   options.speed);
  arguments.seed("--faults",
                 "inject faults into a simulated cluster, drawn from this seed: refused and lost bindings, late and "
                 "duplicate events, failing moves",
                 options.faults);
  arguments.flag("--stay", "keep serving the status page and metrics after the scenario has ended, until stopped",
                 options.stay);
  arguments.text("--config-dir", "DIR",
                 "folder of scenarios and prices that come with lips (default: beside the program)",
                 options.config_folder);
  arguments.example("lips operator --config /etc/lips/config.yaml", "run in a pod of the cluster that it schedules");
  arguments.example("lips operator --kubeconfig ~/.kube/config --set leaderElection.enabled=false log.level=debug",
                    "run from a workstation");
  arguments.example("lips operator --cluster virtual:quickstart --speed 60 --set server.listen=127.0.0.1:8080",
                    "look at a cluster without having one: an hour in a minute, for kubectl and a browser");
  return arguments;
}

ClusterKind kind_of(const OperatorOptions& options) {
  return options.cluster.starts_with(simulated_cluster) ? ClusterKind::simulated
         : options.cluster.starts_with(virtual_prefix)  ? ClusterKind::in_virtual_time
                                                        : ClusterKind::kubernetes;
}

Result<simulation::Scenario> scenario_of(const OperatorOptions& options) {
  simulation::ScenarioOptions reading;
  reading.config_folder = options.config_folder;
  const Result<std::string> path =
      simulation::find_scenario(options.cluster.substr(options.cluster.find(':') + 1), reading);
  if (!path) return tl::unexpected(path.error());
  return twin::read_scenario(*path, reading);
}

Result<std::optional<Playground>> playground_of(const OperatorOptions& options) {
  if (kind_of(options) != ClusterKind::in_virtual_time) return std::nullopt;
  Result<simulation::Scenario> scenario = scenario_of(options);
  if (!scenario) return tl::unexpected(scenario.error());
  Result<Playground> made = make_playground(std::move(*scenario), options.speed);
  if (!made) return tl::unexpected(made.error());
  return std::move(*made);
}

Result<Prepared> prepare(const OperatorOptions& options) {
  if (kind_of(options) == ClusterKind::kubernetes && options.cluster != "kubernetes")
    return fail(ErrorCode::invalid_input,
                fmt::format("--cluster: expected kubernetes, virtual:SCENARIO or simulated:SCENARIO, found '{}'",
                            options.cluster));
  if (options.faults && kind_of(options) != ClusterKind::simulated)
    return fail(ErrorCode::invalid_input,
                fmt::format("--faults: expected --cluster simulated:SCENARIO, found '{}'", options.cluster));
  std::string text;
  if (!options.config.empty()) {
    Result<std::string> read = read_text_file(options.config);
    if (!read) return tl::unexpected(read.error());
    text = std::move(*read);
  }
  Result<OperatorConfig> config = options.config.empty() ? read_operator_config("", options.set)
                                                         : parse_operator_config(options.config, text, options.set);
  if (!config) return tl::unexpected(config.error());
  // Who looks at a cluster inside the program wants to see the operator decide, unless a mode is said.
  const bool said =
      std::any_of(options.set.begin(), options.set.end(), [](const auto& one) { return one.first == "mode"; });
  if (kind_of(options) == ClusterKind::in_virtual_time && config->mode == PodMode::watch && !said)
    config->mode = PodMode::bind;
  const Result<std::string> folder = find_config_folder(options.config_folder);
  if (!folder) return tl::unexpected(folder.error());
  Result<PriceSheet> sheet = read_price_sheet(*folder);
  if (!sheet) return tl::unexpected(sheet.error());
  Result<NodePrices> prices = NodePrices::make(*sheet, config->prices);
  if (!prices) return tl::unexpected(prices.error());
  Result<std::shared_ptr<const NamedPolicy>> policy =
      make_named_policy(config->policy.name, config->policy.effective());
  if (!policy) return tl::unexpected(policy.error());
  return Prepared{std::move(text), std::move(*config), std::move(*sheet), std::move(*prices), std::move(*policy)};
}

}  // namespace lips::cmd

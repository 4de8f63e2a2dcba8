// The options of `lips operator`, and what is read and checked before it starts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/playground/operator_virtual.h"
#include "cmd/service/live_policy.h"
#include "config/live_config.h"
#include "simulation/scenario.h"

namespace lips::cmd {

// A scenario follows.
inline constexpr std::string_view simulated_cluster = "simulated:", virtual_prefix = "virtual:";
enum class ClusterKind : std::uint8_t { kubernetes, simulated, in_virtual_time };

struct OperatorOptions {
  std::string config, kubeconfig, cluster = "kubernetes", api = "127.0.0.1:8001", config_folder;
  std::vector<std::pair<std::string, std::string>> set;
  double speed = 1;
  std::optional<std::uint64_t> faults;
  bool print_config = false, stay = false;
};

Arguments describe(OperatorOptions& options);
ClusterKind kind_of(const OperatorOptions& options);
// The scenario of a simulated or virtual cluster.
Result<simulation::Scenario> scenario_of(const OperatorOptions& options);
// None: the cluster is not in virtual time.
Result<std::optional<Playground>> playground_of(const OperatorOptions& options);

// The facts about a start that are known before it is one.
struct Prepared {
  std::string text;  // of the configuration
  OperatorConfig config;
  PriceSheet sheet;
  NodePrices prices;
  std::shared_ptr<const NamedPolicy> policy;
};

Result<Prepared> prepare(const OperatorOptions& options);

}  // namespace lips::cmd

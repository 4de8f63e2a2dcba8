#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/plan/plan_result.h"
#include "config/settings_reader.h"
#include "config/text_file.h"
#include "controller/checked_policy.h"
#include "policies/registry/registry.h"
#include "records/snapshot_file.h"

namespace lips::cmd {

namespace {

struct PlanOptions {
  std::string file, policy = "lips", output, mps;
  OutputFormat format = OutputFormat::text;
  std::optional<Duration> horizon;
  bool buckets = false;
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<std::uint64_t> seed;
};

Arguments describe(PlanOptions& options) {
  Arguments arguments(
      "lips plan",
      "Makes one plan for a snapshot of a cluster, and prints its cost by use beside a certified lower bound.");
  arguments.operand("FILE", "a snapshot, as 'lips generate snapshot' writes it (docs/snapshot-file.md); may be a .gz",
                    options.file);
  arguments.text("--policy", "NAME", "policy that makes the plan (default lips; 'lips policies' lists them)",
                 options.policy);
  arguments.duration("--horizon",
                     "fill this time on every node, several waves of tasks deep, by use; without it lips plans as an "
                     "operator does: it fills what is free now and weighs waiting against prices. Also the epoch of "
                     "lips-paper and the uptime of lips-offline (default 600s)",
                     options.horizon);
  arguments.flag("--buckets", "the default; a name that older scripts use", options.buckets);
  arguments.pairs("--set",
                  "settings of the policy, such as waitingPrice=2 copyColumns=true (docs/scenarios.md, 'Settings')",
                  options.set);
  arguments.seed("--seed", "seed of policies that draw at random (default 1)", options.seed);
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  arguments.text("--output", "FILE", "write the plan itself as JSON: assignments, moves, drops, deferrals",
                 options.output);
  arguments.text("--export-mps", "FILE", "write the linear program as free MPS, for other solvers", options.mps);
  arguments.example("lips plan cluster.json.gz", "plan as an operator would");
  arguments.example("lips plan cluster.json.gz --horizon 600s", "fill 600 s of every node");
  arguments.example("lips plan cluster.json.gz --policy greedy-cheapest --format json", "see what a baseline would do");
  arguments.example("lips plan cluster.json.gz --output plan.json --export-mps program.mps",
                    "write the whole plan and its linear program");
  return arguments;
}

Result<PolicySettings> settings_of(const PlanOptions& options) {
  PolicySettings settings;
  const bool over_horizon =
      options.horizon || std::any_of(options.set.begin(), options.set.end(), [](const auto& pair) {
        return pair.first == "horizon" || pair.first == "settings.horizon";
      });
  // Nobody knows how long nodes stay after the horizon, which an invoice would ask.
  settings.lips.billing = over_horizon ? Billing::use : Billing::invoice;
  YamlValue root;
  root.kind = YamlValue::Kind::map;
  for (auto [key, value] : options.set) {
    if (key.starts_with("settings.")) key = key.substr(9);
    if (Result<void> done = override_yaml(root, key, value); !done) return tl::unexpected(done.error());
  }
  FileErrors errors{"plan", {}};
  read_policy_settings(YamlMap(root, "", errors), settings);
  if (!errors.messages.empty()) return errors.as_error();
  if (options.horizon) settings.lips.horizon = settings.paper.epoch = settings.paper.uptime = *options.horizon;
  return settings;
}

Result<PlanResult> decide(const PlanOptions& options, const SnapshotFile& snapshot, const PolicySettings& settings) {
  Result<std::unique_ptr<Policy>> policy = make_policy(options.policy, settings);
  if (!policy) return tl::unexpected(policy.error());
  // For policies that plan at heartbeats, every schedulable node reports.
  std::vector<NodeId> reporting;
  for (NodeId node : snapshot.cluster.nodes.ids())
    if (snapshot.cluster.nodes[node].schedulable) reporting.push_back(node);
  const WallStopwatch watch;
  const double began = watch.seconds();
  Result<Plan> plan = CheckedPolicy(**policy).decide(
      {snapshot.cluster, snapshot.costs, options.seed.value_or(1), reporting, &watch});
  if (!plan) return tl::unexpected(plan.error());
  PlanResult result;
  result.seconds = watch.seconds() - began;
  result.policy = options.policy, result.file = options.file, result.cluster = &snapshot.cluster;
  result.plan = std::move(*plan);
  count_deferred(result);
  return result;
}

Result<int> plan(const PlanOptions& options) {
  if (options.buckets && options.horizon)
    return fail(ErrorCode::invalid_input, "--buckets and --horizon: expected one of them, found both");
  if (Result<void> known = check_policies({options.policy}); !known) return tl::unexpected(known.error());
  const Result<PolicySettings> settings = settings_of(options);
  if (!settings) return tl::unexpected(settings.error());
  const Result<SnapshotFile> snapshot = load_snapshot(options.file);
  if (!snapshot) return tl::unexpected(snapshot.error());
  if (!options.mps.empty()) {
    const Result<std::string> mps = program_as_mps(snapshot->cluster, snapshot->costs, options.policy, *settings);
    if (!mps) return tl::unexpected(mps.error());
    if (Result<void> written = write_text_file(options.mps, *mps); !written) return tl::unexpected(written.error());
  }
  const Result<PlanResult> result = decide(options, *snapshot, *settings);
  if (!result) return tl::unexpected(result.error());
  if (!options.output.empty())
    if (Result<void> written = write_text_file(options.output, plan_file(*result)); !written)
      return tl::unexpected(written.error());
  return print(options.format == OutputFormat::json ? plan_json(*result) : plan_text(*result));
}

}  // namespace

int run_plan(Words words) {
  PlanOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = plan(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd

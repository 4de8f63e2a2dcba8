#include "simulation/scenario_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/random.h"
#include "config/settings_reader.h"
#include "config/text_file.h"
#include "policies/registry/registry.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

// Short names of --set for fields that are often varied.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> short_names{
    {{"epoch", "settings.epoch"},
     {"waitingPrice", "settings.waitingPrice"},
     {"jobsOfTrace", "trace.jobs"},
     {"keepCopies", "settings.keepCopies"}}};

Result<void> apply_overrides(YamlValue& root, const ScenarioOptions& options) {
  for (const auto& [path, value] : options.set) {
    if (Result<void> done = override_yaml(root, whole_field_name(path), value); !done) return done;
  }
  return {};
}

void read_prices(YamlMap& root, ScenarioDraft& draft) {
  draft.region = "us-east-1";
  if (std::optional<YamlMap> prices = root.map("prices")) {
    draft.region = prices->text("region", draft.region);
    draft.as_of = prices->text("asOf");
    draft.spot_factor = prices->number("spotFactor", draft.spot_factor, share_range);
    for (const auto& [zone, factor] : prices->number_map("spotFactors", share_range)) draft.spot_factors[zone] = factor;
    prices->finish();
  }
  draft.price_reading = root.text("priceReading");
  if (!draft.price_reading.empty())
    draft.assume("priceReading", draft.price_reading, "which reading of the sources' CPU prices is used");
}

void read_conditions(YamlMap& root, ScenarioDraft& draft) {
  Scenario& scenario = draft.scenario;
  if (std::optional<YamlMap> stragglers = root.map("stragglers")) {
    scenario.stragglers.share = stragglers->number("share", 0, share_range);
    scenario.stragglers.slowdown = stragglers->number("slowdown", 1, {1, 1000});
    stragglers->finish();
  }
  static constexpr std::array<std::string_view, 3> thinking{"free", "fixed", "measured"};
  scenario.thinking = static_cast<Thinking>(root.choice("thinking", thinking, 0));
  scenario.thinking_time = root.duration("thinkingTime", Duration(0));
  if (scenario.thinking == Thinking::fixed && !root.has("thinkingTime"))
    root.error("thinkingTime", "nothing", "a duration when thinking is fixed");
  static constexpr std::array<std::string_view, 2> reads{"stream", "copyFirst"};
  scenario.remote_read = static_cast<RemoteRead>(root.choice("remoteRead", reads, 0));
  static constexpr std::array<std::string_view, 2> rack_links{"betweenRacks", "all"};
  scenario.rack_link = static_cast<RackLink>(root.choice("rackLinkCarries", rack_links, 0));
  static constexpr std::array<std::string_view, 2> shuffles{"afterMaps", "withMaps"};
  scenario.shuffle_start = static_cast<ShuffleStart>(root.choice("shuffleStart", shuffles, 0));
  scenario.decoding = MebibytesPerSecond(root.number("decodeMiBPerSecond", 0, {0, fastest_bandwidth.value()}));
  if (scenario.decoding.value() > 0)
    draft.assume("decodeMiBPerSecond", fmt::format("{}", scenario.decoding.value()), "of what a degraded task reads");
  static constexpr std::array<std::string_view, 2> places{"policy", "hdfs"};
  scenario.new_data = static_cast<NewData>(root.choice("newData", places, 0));
  scenario.new_data_replicas = static_cast<std::uint32_t>(root.integer("newDataReplicas", 1, 1, 10));
  scenario.duration_noise = root.number("durationNoise", 0, {0, 5});
  scenario.price_error = root.number("priceError", 0, {0, 0.9});
  if (scenario.price_error > 0)
    draft.assume("priceError", fmt::format("{}", scenario.price_error),
                 "by which prices of nodes that policies see are too high or too low");
  draft.assume("thinking", std::string(thinking[static_cast<std::size_t>(scenario.thinking)]),
               "how a plan's computing time is charged");
  draft.assume("remoteRead", std::string(reads[static_cast<std::size_t>(scenario.remote_read)]));
  if (scenario.duration_noise > 0)
    draft.assume("durationNoise", fmt::format("{}", scenario.duration_noise),
                 "sigma of the log-normal factor on true work");
}

// Named nodes, or a number of nodes drawn at random without repetition.
std::vector<NodeId> failing_nodes(YamlMap& fields, ScenarioDraft& draft, Random& random) {
  std::vector<NodeId> nodes;
  const std::vector<std::string> names = fields.texts("nodes");
  for (const std::string& name : names) {
    const auto& all = draft.cluster().nodes.items();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Node& node) { return node.name == name; });
    if (found == all.end() || draft.elastic(NodeId(static_cast<std::uint32_t>(found - all.begin()))))
      fields.error("nodes", '\'' + name + '\'', "names of fixed nodes (a group's name, '-' and a number)");
    else
      nodes.emplace_back(static_cast<std::uint32_t>(found - all.begin()));
  }
  std::vector<NodeId> order;
  for (NodeId node : draft.cluster().nodes.ids())
    if (!draft.elastic(node)) order.push_back(node);
  const std::int64_t drawn = fields.integer("random", 0, 0, static_cast<std::int64_t>(order.size()));
  if (names.empty() && drawn == 0) fields.error("", "neither nodes nor random", "one of them");
  random.shuffle(std::span(order));
  nodes.insert(nodes.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(drawn));
  return nodes;
}

void read_failures(YamlMap& root, ScenarioDraft& draft) {
  Random random(seed_for(draft, Draw::failures));
  double drawn = 0;
  for (YamlMap& fields : root.maps("failures")) {
    const std::vector<NodeId> nodes = failing_nodes(fields, draft, random);
    const Duration at = fields.duration("at", Duration(0)), until = fields.duration("until", at);
    const Duration down = fields.duration("down", Duration(0));
    const bool data_lost = fields.flag("dataLost", false);
    if (until < at) fields.error("until", "a time before at", "at or later");
    fields.finish();
    // Each entry draws from all nodes.
    drawn += static_cast<double>(draft.cluster().nodes.size());
    if (drawn > ScenarioTotals::most_failures) {
      fields.error("", fmt::format("entries x nodes of {:.3g}", drawn),
                   fmt::format("at most {}", ScenarioTotals::most_failures));
      return;
    }
    for (NodeId node : nodes) {
      const Duration later =
          until > at ? Duration(static_cast<std::int64_t>(random.uniform() * static_cast<double>((until - at).count())))
                     : Duration(0);
      draft.scenario.failures.push_back({node, TimePoint(at + later), down, data_lost});
    }
  }
  std::stable_sort(draft.scenario.failures.begin(), draft.scenario.failures.end(),
                   [](const NodeFailure& a, const NodeFailure& b) { return a.at < b.at; });
}

void read_policies(YamlMap& root, ScenarioDraft& draft) {
  draft.scenario.policies = root.texts("policies");
  std::vector<std::string_view> known;
  for (const PolicyEntry& entry : policy_registry()) known.push_back(entry.name);
  for (const std::string& name : draft.scenario.policies)
    if (std::find(known.begin(), known.end(), name) == known.end())
      root.error("policies", '\'' + name + '\'', fmt::format("{}", fmt::join(known, ", ")));
  draft.scenario.billing = draft.scenario.settings.lips.billing =
      static_cast<Billing>(root.choice("billing", billing_names, 0));
  if (std::optional<YamlMap> settings = root.map("settings")) read_policy_settings(*settings, draft.scenario.settings);
}

void check_names(YamlMap& root, ScenarioDraft& draft) {
  std::vector<std::string_view> names;
  for (const JobArrived& job : draft.scenario.jobs) names.push_back(job.job.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) root.error("jobs", fmt::format("the job '{}' twice", *twice), "every name once");
}

void add_totals(ScenarioDraft& draft) {
  double tasks = 0, cpu = 0, rate = 0, input = 0;
  for (const JobArrived& job : draft.scenario.jobs)
    for (const Task& task : job.tasks) {
      ++tasks, cpu += task.cpu.value();
      if (task.kind == TaskKind::map) input += task.input.value();
    }
  for (NodeId node : draft.cluster().nodes.ids())
    if (!draft.elastic(node))
      rate += draft.cluster().nodes[node].capacity.cpu.value() * draft.cluster().nodes[node].speed;
  draft.assume("jobs", fmt::format("{} jobs, {} tasks", draft.scenario.jobs.size(), tasks),
               fmt::format("{:.6g} CPU-seconds, {:.6g} GiB read", cpu, input / 1024));
  std::size_t places = 0;
  for (const NodeOffer& offer : draft.scenario.fleet.offers) places += offer.limit;
  draft.assume("cluster", fmt::format("{} nodes", draft.cluster().nodes.size() - places),
               fmt::format("{:.6g} CPU-seconds of work a second", rate));
}

void read_all(YamlMap& root, ScenarioDraft& draft) {
  Scenario& scenario = draft.scenario;
  scenario.name = root.text("name", std::filesystem::path(draft.errors.file).stem().string());
  scenario.description = root.text("description");
  scenario.seed = static_cast<std::uint64_t>(root.integer("seed", 1, 0, INT64_MAX));
  read_prices(root, draft);
  root.has("load");
  read_cluster(root, draft);
  read_autoscaler(root, draft);
  read_tariff(root, draft);
  read_pools(root, draft);
  read_data(root, draft);
  read_jobs(root, draft);
  read_workload(root, draft);
  read_services(root, draft);
  read_announced(root, draft);
  read_conditions(root, draft);
  read_failures(root, draft);
  read_policies(root, draft);
  for (const std::string& note : root.texts("notes")) draft.assume("note", note);
  check_names(root, draft);
  root.finish();
}

// Resolves which jobs wait for which, once all jobs have ids.
void add_order(ScenarioDraft& draft) {
  if (draft.after.empty()) return;
  std::map<std::string, JobId> by_name;
  for (std::uint32_t i = 0; i < draft.scenario.jobs.size(); ++i)
    by_name.emplace(draft.scenario.jobs[i].job.name, JobId(i));
  draft.scenario.after.resize(draft.scenario.jobs.size());
  for (const auto& [name, earlier] : draft.after) {
    std::vector<JobId>& after = draft.scenario.after[by_name.at(name).index()];
    for (const std::string& one : earlier) after.push_back(by_name.at(one));
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
  }
}

}  // namespace

std::string whole_field_name(const std::string& name) {
  for (const auto& [known, field] : short_names)
    if (name == known) return std::string(field);
  return name;
}

Result<Scenario> parse_scenario(const std::string& file, const std::string& text, const ScenarioOptions& options) {
  const Result<std::string> folder = find_config_folder(options.config_folder);
  if (!folder) return tl::unexpected(folder.error());
  Result<PriceSheet> prices = read_price_sheet(*folder);
  if (!prices) return tl::unexpected(prices.error());
  Result<YamlValue> tree = parse_yaml(file, text);
  if (!tree) return tl::unexpected(tree.error());
  if (const Result<void> overridden = apply_overrides(*tree, options); !overridden)
    return tl::unexpected(overridden.error());
  ScenarioDraft draft;
  draft.errors.file = file;
  draft.prices = std::move(*prices);
  draft.options = options;
  draft.config_folder = *folder;
  YamlMap root(*tree, "", draft.errors);
  read_all(root, draft);
  if (!draft.errors.messages.empty()) return draft.errors.as_error();
  std::stable_sort(draft.scenario.jobs.begin(), draft.scenario.jobs.end(),
                   [](const JobArrived& a, const JobArrived& b) { return a.job.arrival < b.job.arrival; });
  add_order(draft);
  add_totals(draft);
  return std::move(draft.scenario);
}

Result<Scenario> read_scenario(const std::string& path, const ScenarioOptions& options) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_scenario(path, *text, options);
}

Result<std::string> find_scenario(const std::string& name_or_path, const ScenarioOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name_or_path, ignored)) return name_or_path;
  const Result<std::string> folder = find_config_folder(options.config_folder);
  if (!folder) return tl::unexpected(folder.error());
  const std::string shipped = *folder + "/scenarios/" + name_or_path + ".yaml";
  if (std::filesystem::is_regular_file(shipped, ignored)) return shipped;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(*folder + "/scenarios", ignored))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return fail(ErrorCode::not_found, fmt::format("found no scenario '{}'; allowed: a file, or one of {}", name_or_path,
                                                fmt::join(names, ", ")));
}

}  // namespace lips::simulation

#include "twin/scenario_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/settings_reader.h"
#include "config/text_file.h"
#include "model/cluster_state.h"
#include "records/snapshot_file.h"
#include "records/snapshot_json.h"
#include "simulation/scenario_reader.h"
#include "twin/settings_changes.h"

namespace lips::twin {

namespace {

using namespace json_tables;
using simulation::AutoscalerSettings;
using simulation::Scenario;
using Ordered = nlohmann::ordered_json;

constexpr std::string_view format = "lips-scenario";
constexpr std::string_view wanted_file = "a scenario that 'lips record scenario' has written";
constexpr Whole any_span{0, any_time};
constexpr std::int64_t most_service_pods = 1'000'000;

constexpr std::array<std::pair<const char*, Duration AutoscalerSettings::*>, 8> spans{
    {{"batchIdle", &AutoscalerSettings::batch_idle},
     {"batchMost", &AutoscalerSettings::batch_most},
     {"retry", &AutoscalerSettings::retry},
     {"nomination", &AutoscalerSettings::nomination},
     {"consolidateAfter", &AutoscalerSettings::consolidate_after},
     {"poll", &AutoscalerSettings::poll},
     {"validation", &AutoscalerSettings::validation},
     {"termination", &AutoscalerSettings::termination}}};

Ordered autoscaler_json(const AutoscalerSettings& settings) {
  Ordered json = {{"consolidation", static_cast<int>(settings.consolidation)}, {"budget", settings.budget}};
  for (const auto& [name, member] : spans) json[name] = (settings.*member).count();
  return json;
}

AutoscalerSettings read_autoscaler(const View& json) {
  AutoscalerSettings settings;
  settings.consolidation = static_cast<simulation::Consolidation>(json.at("consolidation").value(Whole{0, 2}));
  settings.budget = json.at("budget").value(Real{0, 1});
  for (const auto& [name, member] : spans) settings.*member = Duration(json.at(name).value(any_span));
  return settings;
}

Ordered factors_json(const std::vector<double>& factors) {
  Ordered runs = Ordered::array();
  for (std::size_t i = 0, end = 0; i < factors.size(); i = end) {
    for (end = i + 1; end < factors.size() && factors[end] == factors[i];) ++end;
    runs.push_back({end - i, factors[i]});
  }
  return {{"runs", runs}};
}

Ordered jobs_where(const std::vector<bool>& flags) {
  Ordered jobs = Ordered::array();
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) jobs.push_back(i);
  return jobs;
}

// The cluster with all jobs, as if each had come.
ClusterSnapshot with_jobs(const Scenario& scenario) {
  ClusterSnapshot start = scenario.cluster;
  start.launch_limits = scenario.fleet.limits;
  ClusterState state(std::move(start));
  for (const JobArrived& job : scenario.jobs) state.apply(job);
  return std::move(state).take();
}

std::vector<JobArrived> jobs_of(const ClusterSnapshot& all) {
  std::vector<JobArrived> jobs;
  for (const Job& job : all.jobs) {
    JobArrived& arrived = jobs.emplace_back();
    Job& kept = arrived.job;
    kept.name = job.name, kept.pool = job.pool, kept.arrival = job.arrival, kept.priority = job.priority;
    kept.preempts = job.preempts;
    kept.constraint = job.constraint, kept.request = job.request, kept.inputs = job.inputs;
    kept.shuffle = job.shuffle, kept.map_tasks = job.map_tasks, kept.reduce_tasks = job.reduce_tasks;
    kept.due = job.due;
    kept.whole.id = job.whole.id, kept.whole.maps = job.whole.maps;
    for (std::uint32_t i = 0; i < job.tasks(); ++i) {
      const Task& task = all.tasks[TaskId(job.first_task.index() + i)];
      Task& copy = arrived.tasks.emplace_back();
      copy.block = task.block, copy.cpu = task.cpu, copy.input = task.input, copy.kind = task.kind;
    }
  }
  return jobs;
}

ClusterSnapshot without_jobs(ClusterSnapshot all) {
  ClusterSnapshot cluster;
  cluster.zones = std::move(all.zones), cluster.racks = std::move(all.racks), cluster.nodes = std::move(all.nodes);
  cluster.extended_names = std::move(all.extended_names), cluster.profiles = std::move(all.profiles);
  cluster.constraints = std::move(all.constraints), cluster.stores = std::move(all.stores);
  cluster.data_sets = std::move(all.data_sets), cluster.blocks = std::move(all.blocks);
  cluster.network = all.network, cluster.pools = std::move(all.pools);
  for (DataStore& store : cluster.stores) store.used = Mebibytes(0);
  return cluster;
}

void read_fleet(const View& head, Scenario& scenario) {
  const std::size_t nodes = scenario.cluster.nodes.size(), limits = scenario.fleet.limits.size();
  scenario.fleet.autoscaler = read_autoscaler(head.at("autoscaler"));
  const View offers = head.at("offers");
  for (std::size_t i = 0, count = offers.rows(5); i < count; ++i) {
    const View row = offers.item(i);
    simulation::NodeOffer offer;
    offer.first = id<NodeId>(row.cell(0, index_below(nodes)));
    offer.limit = static_cast<std::uint32_t>(row.cell(1, Whole{1, static_cast<std::int64_t>(nodes)}));
    offer.boot = Duration(row.cell(2, any_span)), offer.interruptions = row.cell(3, Real{0});
    offer.within = id<LimitId>(row.cell(4, id_below(limits)));
    if (offer.first.index() + offer.limit > nodes)
      offers.problem("", "places beyond the nodes", "places among the nodes of the snapshot");
    else
      scenario.fleet.offers.push_back(offer);
  }
  const View failures = head.at("failures");
  for (std::size_t i = 0, count = failures.rows(4); i < count; ++i) {
    const View row = failures.item(i);
    scenario.failures.push_back({id<NodeId>(row.cell(0, index_below(nodes))), time(row.cell(1, any_span)),
                                 Duration(row.cell(2, any_span)), row.cell(3, Flag{})});
  }
}

Ordered services_json(const std::vector<simulation::Service>& services) {
  Ordered rows = Ordered::array();
  for (const simulation::Service& service : services) {
    Ordered extended = Ordered::array();
    for (const auto& [resource, amount] : service.request.extended) extended.push_back({resource.index(), amount});
    rows.push_back({service.name, service.request.cpu.value(), service.request.memory.value(), service.request.slots,
                    std::move(extended), service.constraint.valid() ? std::int64_t{service.constraint.index()} : -1,
                    service.pods, service.from.time_since_epoch().count(), service.until.time_since_epoch().count()});
  }
  return rows;
}

void read_services(const View& rows, Scenario& scenario) {
  const ClusterSnapshot& cluster = scenario.cluster;
  for (std::size_t i = 0, count = rows.rows(9); i < count; ++i) {
    const View row = rows.item(i);
    simulation::Service service;
    service.name = row.cell(0, Text{});
    service.request = {Cores(row.cell(1, Real{0})), Mebibytes(row.cell(2, Real{0})),
                       static_cast<std::int32_t>(row.cell(3, Whole{0, most_ids}))};
    const View extended = row.item(4);
    for (std::size_t k = 0, amounts = extended.rows(2); k < amounts; ++k)
      if (const auto resource = extended.item(k).cell(0, index_below(cluster.extended_names.size()));
          static_cast<std::size_t>(resource) < cluster.extended_names.size())
        service.request.extended.set(id<ResourceId>(resource), extended.item(k).cell(1, Real{0}));
    service.constraint = id<ConstraintId>(row.cell(5, id_below(cluster.constraints.size())));
    service.pods = static_cast<std::uint32_t>(row.cell(6, Whole{1, most_service_pods}));
    service.from = time(row.cell(7, any_span)), service.until = time(row.cell(8, any_span));
    scenario.services.push_back(std::move(service));
  }
}

void read_texts(const View& head, Scenario& scenario) {
  scenario.name = head.at("name").value(Text{}), scenario.description = head.at("description").value(Text{});
  scenario.seed = static_cast<std::uint64_t>(head.at("seed").value(Natural{}));
  const View policies = head.at("policies");
  for (std::size_t i = 0, count = policies.list(); i < count; ++i)
    scenario.policies.push_back(policies.cell(i, Text{}));
  const View assumptions = head.at("assumptions");
  for (std::size_t i = 0, count = assumptions.rows(3); i < count; ++i) {
    const View row = assumptions.item(i);
    scenario.assumptions.push_back({row.cell(0, Text{}), row.cell(1, Text{}), row.cell(2, Text{})});
  }
}

Result<void> read_settings(const std::string& file, const Json& json, PolicySettings& settings) {
  const Result<YamlValue> values = parse_yaml(file, json.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!values) return tl::unexpected(values.error());
  FileErrors errors{file, {}};
  read_policy_settings(YamlMap(*values, "settings", errors), settings);
  if (!errors.messages.empty()) return errors.as_error();
  return {};
}

}  // namespace

std::string write_recorded_scenario(const Scenario& scenario) {
  Ordered head = {{"format", format},
                  {"formatVersion", 1},
                  {"name", scenario.name},
                  {"description", scenario.description},
                  {"seed", scenario.seed},
                  {"policies", scenario.policies},
                  {"settings", Ordered::parse(write_policy_settings(scenario.settings))},
                  {"autoscaler", autoscaler_json(scenario.fleet.autoscaler)},
                  {"offers", Ordered::array()},
                  {"failures", Ordered::array()},
                  {"workFactors", factors_json(scenario.work_factors)},
                  {"assumptions", Ordered::array()}};
  for (const simulation::NodeOffer& offer : scenario.fleet.offers)
    head["offers"].push_back({offer.first.index(), offer.limit, offer.boot.count(), offer.interruptions,
                              offer.within.valid() ? static_cast<std::int64_t>(offer.within.index()) : -1});
  for (const simulation::NodeFailure& failure : scenario.failures)
    head["failures"].push_back(
        {failure.node.index(), failure.at.time_since_epoch().count(), failure.down.count(), failure.data_lost});
  if (!scenario.not_evicted.empty()) head["notEvicted"] = jobs_where(scenario.not_evicted);
  if (!scenario.services.empty()) head["services"] = services_json(scenario.services);
  for (const simulation::Assumption& one : scenario.assumptions)
    head["assumptions"].push_back({one.name, one.value, one.note});
  return head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" +
         write_snapshot(with_jobs(scenario), scenario.costs);
}

bool is_recorded_scenario(std::string_view text) { return text.starts_with(R"({"format":"lips-scenario",)"); }

Result<Scenario> parse_recorded_scenario(const std::string& file, std::string_view text,
                                         const simulation::ScenarioOptions& options) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const Result<Json> json = parse_json(file, text.substr(0, end), wanted_file);
  if (!json) return tl::unexpected(json.error());
  Result<SnapshotFile> snapshot =
      read_snapshot(file, text.substr(std::min(end + 1, text.size())), SnapshotOrder::as_written);
  if (!snapshot) return tl::unexpected(snapshot.error());
  Problems problems(file + ":1");
  const View head(*json, "", problems);
  if (head.at("format").value(Text{}) != format)
    head.problem("/format", shown(head.at("format").json()), std::string(format));
  head.at("formatVersion").value(Whole{1, 1});
  Scenario scenario;
  scenario.jobs = jobs_of(snapshot->cluster);
  const std::size_t tasks = snapshot->cluster.tasks.size();
  scenario.fleet.limits = snapshot->cluster.launch_limits;
  scenario.cluster = without_jobs(std::move(snapshot->cluster));
  scenario.costs = std::move(snapshot->costs);
  read_fleet(head, scenario);
  if (head.has("notEvicted")) {
    const View jobs = head.at("notEvicted");
    scenario.not_evicted.assign(scenario.jobs.size(), false);
    for (std::size_t i = 0, count = jobs.list(); i < count; ++i)
      if (const auto job = static_cast<std::size_t>(jobs.cell(i, index_below(scenario.jobs.size())));
          job < scenario.jobs.size())
        scenario.not_evicted[job] = true;
  }
  if (head.has("services")) read_services(head.at("services"), scenario);
  read_texts(head, scenario);
  const View factors = head.at("workFactors");
  if (factors.json().is_object() && !factors.at("runs").json().empty())
    scenario.work_factors = head.column("workFactors", tasks, Real{0});
  if (!problems.empty()) return problems.error();
  if (Result<void> read = read_settings(file, head.at("settings").json(), scenario.settings); !read)
    return tl::unexpected(read.error());
  if (Result<void> set = change_settings(file, options.set, scenario); !set) return tl::unexpected(set.error());
  scenario.billing = scenario.settings.lips.billing;
  if (scenario.jobs.empty()) return fail(ErrorCode::invalid_input, file + ": found no jobs; allowed: at least one");
  return scenario;
}

Result<Scenario> read_scenario(const std::string& path, const simulation::ScenarioOptions& options) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  if (is_recorded_scenario(*text)) return parse_recorded_scenario(path, *text, options);
  return simulation::parse_scenario(path, *text, options);
}

}  // namespace lips::twin

#include <nlohmann/json.hpp>

#include "cmd/cli/simulation_runs.h"
#include "cmd/simulate/comparison.h"
#include "version.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;
using simulation::RunResult;

Json dollars_of(const RunResult& run) {
  const Bill& bill = run.bill;
  return {{"total", bill.total().value()},
          {"cpu", bill.cpu.value()},
          {"transfer", bill.transfer.value()},
          {"shuffle", bill.shuffle.value()},
          {"moves", bill.moves.value()},
          {"storage", bill.storage.value()},
          {"lostWork", run.lost_work.value()},
          {"nodeHours", run.nodes_all.value()},
          {"nodeHoursReleased", run.nodes_when_used.value()}};
}

const char* name_of(EndKind end) {
  if (end == EndKind::regional_bucket) return "regional-bucket";
  return end == EndKind::internet ? "internet" : "zone";
}

Json node_lines(const Invoice& invoice, const ClusterSnapshot& cluster) {
  Json lines = Json::array();
  for (const NodeLine& line : invoice.node_lines)
    lines.push_back({{"instanceType", line.instance_type},
                     {"zone", cluster.zones[line.zone].name},
                     {"capacityType", to_string(line.capacity_type)},
                     {"launches", line.launches},
                     {"hours", line.hours},
                     {"coveredHours", line.covered_hours},
                     {"dollars", line.dollars.value()}});
  return lines;
}

Json transfer_lines(const Invoice& invoice, const ClusterSnapshot& cluster) {
  const IdVector<ZoneId, EndKind> ends = zone_ends(cluster);
  Json lines = Json::array();
  for (const TransferLine& line : invoice.transfer_lines)
    lines.push_back({{"from", cluster.zones[line.from].name},
                     {"fromKind", name_of(ends[line.from])},
                     {"to", cluster.zones[line.to].name},
                     {"toKind", name_of(ends[line.to])},
                     {"gigabytes", line.size.value() / mebibytes_per_gigabyte},
                     {"dollars", line.dollars.value()}});
  return lines;
}

// The disks of all nodes share one line.
Json store_lines(const Invoice& invoice, const ClusterSnapshot& cluster) {
  Json lines = Json::array();
  StoreLine directories;
  const auto line_of = [](const std::string& name, const StoreLine& line) {
    return Json{{"store", name},
                {"gigabyteHours", line.gigabyte_hours},
                {"readRequests", line.requests.reads},
                {"writeRequests", line.requests.writes},
                {"storage", line.storage.value()},
                {"requests", line.request_dollars.value()}};
  };
  for (const StoreLine& line : invoice.store_lines) {
    const DataStore& store = cluster.stores[line.store];
    if (store.kind != StoreKind::node_directory) {
      lines.push_back(line_of(store.name, line));
      continue;
    }
    directories.gigabyte_hours += line.gigabyte_hours;
    directories.storage += line.storage;
  }
  if (directories.gigabyte_hours > 0) lines.push_back(line_of("node directories", directories));
  return lines;
}

Json invoice_of(const RunResult& run, const ClusterSnapshot& cluster) {
  const Invoice& invoice = run.invoice;
  return {{"total", invoice.total().value()},
          {"nodes", invoice.nodes.value()},
          {"transfer", invoice.transfer.value()},
          {"storage", invoice.storage.value()},
          {"requests", invoice.requests.value()},
          {"predicted", run.predicted ? Json(run.predicted->value()) : Json()},
          {"covered", invoice.covered.value()},
          {"coreHoursPaid", run.core_hours_paid},
          {"coreHoursUsed", run.core_hours_used},
          {"nodeLines", node_lines(invoice, cluster)},
          {"transferLines", transfer_lines(invoice, cluster)},
          {"storeLines", store_lines(invoice, cluster)}};
}

Json locality_of(const RunResult& run) {
  Json tasks = Json::object(), mebibytes = Json::object();
  for (const Locality level : enumerators<Locality>) {
    tasks[std::string(to_string(level))] = run.locality.tasks[level];
    mebibytes[std::string(to_string(level))] = run.locality.read[level].value();
  }
  const Json share = run.locality.reading() > 0 ? Json(run.locality.share(Locality::node)) : Json();
  return {{"tasks", tasks}, {"mebibytes", mebibytes}, {"nodeLocalShare", share}};
}

Json fairness_of(const RunResult& run) {
  Json pools = Json::array();
  for (const simulation::PoolFairness& pool : run.fairness.pools)
    pools.push_back({{"pool", pool.pool},
                     {"usedCoreSeconds", pool.used},
                     {"entitledCoreSeconds", pool.entitled},
                     {"longestBelowShareSeconds", pool.longest_below_share}});
  return {{"jain", run.fairness.jain}, {"worstShortfall", run.fairness.worst_shortfall}, {"pools", pools}};
}

Json plans_of(const RunResult& run) {
  Json deferred = Json::object();
  for (const DeferralReason reason : enumerators<DeferralReason>)
    deferred[std::string(to_string(reason))] = run.plans.deferred[reason];
  return {{"made", run.plans.made},         {"tasksAssigned", run.plans.tasks_assigned},
          {"moves", run.plans.moves},       {"drops", run.plans.drops},
          {"deferredByReason", deferred},   {"withBound", run.plans.with_bound},
          {"fellBack", run.plans.fell_back}};
}

Json targets_of(const RunResult& run) {
  Json targets = Json::array();
  for (const simulation::TargetOutcome& target : run.targets)
    targets.push_back({{"pool", target.pool},
                       {"kind", to_string(target.kind)},
                       {"target", target.target},
                       {"byDay", target.by_day},
                       {"refusedAfterSeconds", target.refused ? Json(to_seconds(*target.refused)) : Json()},
                       {"why", target.why}});
  return targets;
}

Json own_targets_of(const RunResult& run) {
  Json targets = Json::array();
  const auto add = [&](OwnTargetKind kind, const simulation::OwnTarget& target) {
    if (target.jobs == 0) return;
    targets.push_back({{"kind", to_string(kind)},
                       {"jobs", target.jobs},
                       {"missed", target.missed},
                       {"worstSeconds", to_seconds(target.worst)},
                       {"worstJob", target.worst_job}});
  };
  add(OwnTargetKind::complete_by, run.own_targets.complete_by);
  add(OwnTargetKind::max_wait, run.own_targets.max_wait);
  return targets;
}

Json run_of(const RunResult& run, const Comparison& comparison) {
  const std::optional<Bound>& bound = comparison.bound;
  Json json;
  json["policy"] = run.policy;
  json["invoice"] = invoice_of(run, comparison.scenario->cluster);
  json["dollars"] = dollars_of(run);
  json["lowerBound"] = bound ? Json(bound->dollars) : Json();
  json["makespanSeconds"] = to_seconds(run.makespan);
  json["jobsFinished"] = run.jobs_finished;
  json["jobsFailed"] = run.jobs_failed;
  json["jobs"] = run.jobs;
  json["tasksFinished"] = run.tasks_finished;
  json["tasks"] = run.tasks;
  json["attemptsLost"] = run.attempts_lost;
  json["reclaimed"] = {{"tasks", run.reclaimed.tasks}, {"lostWork", run.reclaimed.lost.value()}};
  json["completionSeconds"] = {{"mean", run.completion.mean},
                               {"p50", run.completion.p50},
                               {"p95", run.completion.p95},
                               {"max", run.completion.max}};
  json["smallJobs"] = {{"jobs", run.small_jobs.jobs},
                       {"p95Seconds", run.small_jobs.p95},
                       {"meanSlowdown", run.small_jobs.mean_slowdown},
                       {"p95Slowdown", run.small_jobs.p95_slowdown}};
  json["locality"] = locality_of(run);
  const simulation::CrossZone& across = run.cross_zone;
  json["crossZoneMebibytes"] = (across.map_reads + across.shuffle + across.moves).value();
  json["crossZone"] = {
      {"mapReads", across.map_reads.value()}, {"shuffle", across.shuffle.value()}, {"moves", across.moves.value()}};
  json["fleet"] = {{"launches", run.fleet.launches},
                   {"interrupted", run.fleet.interrupted},
                   {"empty", run.fleet.empty},
                   {"underutilized", run.fleet.underutilized}};
  json["fairness"] = fairness_of(run);
  if (!run.targets.empty()) json["targets"] = targets_of(run);
  if (Json own = own_targets_of(run); !own.empty()) json["ownTargets"] = std::move(own);
  json["plans"] = plans_of(run);
  json["gap"] = run.plans.with_bound > 0 ? Json{{"mean", run.plans.mean_gap}, {"worst", run.plans.worst_gap}} : Json();
  json["decidingSeconds"] = run.measured.deciding;
  json["events"] = run.events;
  json["finished"] = finished(run);
  json["stopped"] = run.stopped;
  json["stuck"] = run.stuck;
  json["endless"] = run.endless;
  json["unfinishedJobs"] = run.unfinished;
  return json;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  const simulation::Scenario& scenario = *comparison.scenario;
  Json json;
  json["scenario"] = scenario.name;
  json["description"] = scenario.description;
  json["seed"] = scenario.seed;
  json["version"] = version;
  json["billing"] = to_string(scenario.billing);
  json["lowerBound"] = comparison.bound ? Json(comparison.bound->dollars) : Json();
  json["lowerBoundHorizonSeconds"] = comparison.bound ? Json(comparison.bound->horizon_seconds) : Json();
  json["assumptions"] = Json::array();
  for (const simulation::Assumption& assumption : scenario.assumptions)
    json["assumptions"].push_back({{"name", assumption.name}, {"value", assumption.value}, {"note", assumption.note}});
  json["runs"] = Json::array();
  for (const RunResult& run : comparison.runs) json["runs"].push_back(run_of(run, comparison));
  for (std::size_t i = 0; i < comparison.waiting_bounds.size(); ++i) {
    json["runs"][i]["meanWaitSeconds"] = comparison.runs[i].mean_wait;
    json["runs"][i]["waitingBound"] = comparison.waiting_bounds[i] ? Json(*comparison.waiting_bounds[i]) : Json();
  }
  if (!comparison.epochs.empty()) {
    json["epochs"] = Json::array();
    for (const EpochRun& point : comparison.epochs) {
      Json entry = run_of(point.result, comparison);
      entry["epochSeconds"] = to_seconds(point.epoch);
      json["epochs"].push_back(std::move(entry));
    }
  }
  if (!comparison.not_run.empty()) json["notRun"] = comparison.not_run;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lips::cmd

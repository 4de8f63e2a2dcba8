#include <nlohmann/json.hpp>

#include "cmd/simulate/comparison.h"
#include "version.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;
using simulation::RunResult;

constexpr const char* level_names[locality_levels] = {"node", "rack", "zone", "remote", "none"};

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

Json locality_of(const RunResult& run) {
  Json tasks = Json::object(), mebibytes = Json::object();
  std::uint64_t reading = 0;
  for (std::size_t level = 0; level < locality_levels; ++level) {
    tasks[level_names[level]] = run.locality.tasks[level];
    mebibytes[level_names[level]] = run.locality.read[level].value();
    if (level != static_cast<std::size_t>(Locality::none)) reading += run.locality.tasks[level];
  }
  const double share = reading > 0 ? static_cast<double>(run.locality.tasks[0]) / static_cast<double>(reading) : 0;
  return {{"tasks", tasks}, {"mebibytes", mebibytes}, {"nodeLocalShare", reading > 0 ? Json(share) : Json()}};
}

Json fairness_of(const RunResult& run) {
  Json pools = Json::array();
  for (const simulation::PoolFairness& pool : run.fairness.pools)
    pools.push_back({{"pool", pool.pool}, {"usedCoreSeconds", pool.used}, {"entitledCoreSeconds", pool.entitled}});
  return {{"jain", run.fairness.jain}, {"worstShortfall", run.fairness.worst_shortfall}, {"pools", pools}};
}

Json plans_of(const RunResult& run) {
  Json deferred = Json::object();
  for (const DeferralReason reason : all_deferral_reasons)
    deferred[std::string(to_string(reason))] = run.plans.deferred[static_cast<std::size_t>(reason)];
  return {{"made", run.plans.made},         {"tasksAssigned", run.plans.tasks_assigned},
          {"moves", run.plans.moves},       {"drops", run.plans.drops},
          {"deferredByReason", deferred},   {"withBound", run.plans.with_bound},
          {"fellBack", run.plans.fell_back}};
}

Json run_of(const RunResult& run, const std::optional<Bound>& bound) {
  Json json;
  json["policy"] = run.policy;
  json["dollars"] = dollars_of(run);
  json["lowerBound"] = bound ? Json(bound->dollars) : Json();
  json["makespanSeconds"] = to_seconds(run.makespan);
  json["jobsFinished"] = run.jobs_finished;
  json["jobsFailed"] = run.jobs_failed;
  json["jobs"] = run.jobs;
  json["tasksFinished"] = run.tasks_finished;
  json["tasks"] = run.tasks;
  json["attemptsLost"] = run.attempts_lost;
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
  json["fairness"] = fairness_of(run);
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
  json["lowerBound"] = comparison.bound ? Json(comparison.bound->dollars) : Json();
  json["lowerBoundHorizonSeconds"] = comparison.bound ? Json(comparison.bound->horizon_seconds) : Json();
  json["assumptions"] = Json::array();
  for (const simulation::Assumption& assumption : scenario.assumptions)
    json["assumptions"].push_back({{"name", assumption.name}, {"value", assumption.value}, {"note", assumption.note}});
  json["runs"] = Json::array();
  for (const RunResult& run : comparison.runs) json["runs"].push_back(run_of(run, comparison.bound));
  if (!comparison.epochs.empty()) {
    json["epochs"] = Json::array();
    for (const EpochRun& point : comparison.epochs) {
      Json entry = run_of(point.result, comparison.bound);
      entry["epochSeconds"] = to_seconds(point.epoch);
      json["epochs"].push_back(std::move(entry));
    }
  }
  if (!comparison.not_run.empty()) json["notRun"] = comparison.not_run;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lips::cmd

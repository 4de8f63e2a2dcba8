#include "tests/virtual/storms/storm_run.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "kubernetes/api/write_governor.h"
#include "policies/registry/registry.h"
#include "tests/simulation/random_scenario.h"
#include "tests/virtual/binding_audit.h"
#include "tests/virtual/drills/audit.h"
#include "tests/virtual/elastic_day.h"
#include "tests/virtual/storms/disasters.h"
#include "tests/virtual/storms/reasons_audit.h"
#include "tests/virtual/storms/strangers.h"
#include "tests/virtual/storms/tenancy_audit.h"
#include "tests/virtual/storms/weather.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster::storms {
namespace {

// Nodes that fail with their data, stragglers, jobs with reduces, two pools of which one may take room back; or nodes
// that are ordered, come late and go.
simulation::Scenario scenario_of(const StormCase& storm) {
  const std::uint64_t seed = storm.seed;
  simulation::Scenario scenario =
      buys_nodes(scene_of(seed)) ? elastic_day(seed) : simulation::tiny::random_scenario(seed);
  if (!buys_nodes(scene_of(seed))) {
    scenario.thinking = simulation::Thinking::free;
    if (seed % 2 == 0) scenario.cluster.pools[PoolId(1)].reclaim = ReclaimRule::from_borrowers;
  }
  if (scenario.jobs.size() > storm.most_jobs) scenario.jobs.resize(storm.most_jobs);
  return scenario;
}

std::vector<std::string> data_sets_of(const simulation::Scenario& scenario) {
  std::vector<std::string> names;
  for (const DataSetId id : scenario.cluster.data_sets.ids()) names.push_back(key_of(data_set_object(scenario, id)));
  return names;
}

// The operator cannot write for minutes, or its processes may end before they have judged a pod (30 s after they saw
// it).
bool may_be_silent(const StormCase& storm) {
  using enum Trouble;
  return storm.has[restarts] || storm.has[kills] || storm.has[outage] || storm.has[restore] || storm.has[rights];
}

// The operator may not have heard that a pod is bound.
bool may_bind_again(const StormCase& storm) {
  using enum Trouble;
  return storm.has[lost_answers] || storm.has[slow] || storm.has[restarts] || storm.has[kills] || storm.has[clocks] ||
         storm.has[outage] || storm.has[restore];
}

}  // namespace

StormOutcome run_storm(const StormCase& storm, Log* log) {
  const simulation::Scenario scenario = scenario_of(storm);
  const auto policy = *make_policy("lips", scenario.settings);
  StormOutcome outcome;
  std::vector<std::string>& violations = outcome.violations;
  // A binding that got no answer in an outage is sent again to its node, whatever that says by then.
  BindingAudit bindings(storm.has[Trouble::outage] ? std::chrono::minutes(30) : BindingAudit::two_lists);
  Processes processes(storm);
  Strangers strangers(storm, data_sets_of(scenario));
  drills::Audit writes([&](const drills::Write&) { processes.wrote(); });
  Disasters disasters(storm);
  ReasonsAudit reasons;
  TenancyAudit tenancy;
  ThroughOptions options;
  options.storm = weather_of(storm, start_of(scenario));
  options.cluster.mode = mode_of(scene_of(storm.seed));
  options.adapter = &disasters.states();
  options.log = log;
  options.adjust = [](kubernetes::ClusterSettings& settings) {
    settings.shares = {operator_name_space, drills::memory_name};
  };
  options.at_start = [&](VirtualKubernetes& cluster) {
    bindings.watch(cluster);
    writes.watch(cluster, [&] { return strangers.asks(); });
    disasters.begin(cluster, scenario, [&] { bindings.begin_anew(), writes.begin_anew(); });
    strangers.begin(cluster);
    tenancy.watch(cluster);
    if (may_be_silent(storm)) return;
    reasons.watch(cluster);
    tenancy.count_orders(cluster);
  };
  std::vector<std::string> wrong;
  options.at_end = [&](VirtualKubernetes& cluster) { wrong = cluster.wrong(); };
  processes.prepare(options);
  const auto run = run_through_kubernetes(scenario, *policy, "lips", options);
  outcome.strangers_ended = strangers.pods_ended();
  if (!run) {
    violations.push_back("the operator ends: " + run.error().message);
    return outcome;
  }
  outcome.jobs = run->jobs;
  outcome.taken_back = run->reclaimed.tasks;
  // Containers that a restored store does not know end within half a minute; until then a kubelet may refuse a pod.
  // Kinds that may not be watched are listed every half minute, perhaps when a Job has made a part of its pods.
  for (std::string& what : wrong) {
    const bool early = storm.has[Trouble::rights] && what.ends_with("began before its maps had ended");
    if (!early && (!storm.has[Trouble::restore] || !what.starts_with("no room"))) violations.push_back(std::move(what));
  }
  violations.insert(violations.end(), bindings.violations().begin(), bindings.violations().end());
  for (const std::string& pod : writes.bound_twice()) violations.push_back(pod + " is bound twice");
  violations.insert(violations.end(), tenancy.violations().begin(), tenancy.violations().end());
  for (std::string& why : reasons.violations()) violations.push_back(std::move(why));
  if (!may_bind_again(storm))
    for (const std::string& pod : writes.bound_in_vain()) violations.push_back(pod + " is sent though it is bound");
  const drills::Audit::Busiest busiest = writes.busiest();
  // A field of a move's status that the server drops is written until the governor says no.
  const int most_writes = kubernetes::WriteGovernor::most_writes / (storm.has[Trouble::fields] ? 1 : 2);
  if (busiest.writes > static_cast<std::size_t>(most_writes))
    violations.push_back(fmt::format("{} times a minute: {}", busiest.writes, busiest.what));
  if (scenario.failures.empty() && run->jobs_finished != run->jobs)
    violations.push_back(fmt::format("{} of {} jobs end", run->jobs_finished, run->jobs));
  return outcome;
}

}  // namespace lips::virtual_cluster::storms

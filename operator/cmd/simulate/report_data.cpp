#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cmd/simulate/comparison.h"
#include "version.h"

namespace lips::cmd {

namespace {

using simulation::RunResult;
using simulation::Scenario;

// The locality of tasks that read a block.
ReportLocality locality_of(const RunResult& run, bool& any) {
  const auto share = [&](Locality level) { return run.locality.share(level); };
  any = run.locality.reading() > 0;
  return {share(Locality::node), share(Locality::rack), share(Locality::zone), share(Locality::remote), 0};
}

ReportFairness fairness_of(const Scenario& scenario, const RunResult& run) {
  ReportFairness fairness;
  fairness.jain_index = run.fairness.jain;
  fairness.worst_shortfall = run.fairness.worst_shortfall;
  double cores = 0, worst = -1;
  for (const Node& node : scenario.cluster.nodes) cores += node.capacity.cpu.value();
  const double whole = cores * to_seconds(run.makespan);
  for (const simulation::PoolFairness& pool : run.fairness.pools) {
    if (pool.entitled > 0 && 1 - pool.used / pool.entitled > worst)
      worst = 1 - pool.used / pool.entitled, fairness.worst_pool = pool.pool;
    if (whole > 0) fairness.pools.push_back({pool.pool, pool.entitled / whole, pool.used / whole});
  }
  return fairness;
}

ReportPoolShares shares_of(const RunResult& run) {
  ReportPoolShares shares;
  const simulation::Series& series = run.fairness.share;
  std::size_t bins = 0;
  for (const std::vector<double>& values : series.value) bins = std::max(bins, values.size());
  for (std::size_t bin = 0; bin < bins; ++bin)
    shares.times_seconds.push_back(static_cast<double>(bin) * to_seconds(series.bin));
  for (std::size_t i = 0; i < series.channels.size() && i < series.value.size(); ++i) {
    std::vector<double> values = series.value[i];
    values.resize(bins, 0);
    shares.pools.push_back({series.channels[i], std::move(values)});
  }
  return shares;
}

std::string class_name(const Scenario& scenario, const Node& node) {
  return scenario.cluster.zones[node.zone].name + " " + node.instance_type;
}

std::vector<ReportMachine> nodes_of(const Scenario& scenario, const RunResult& run) {
  std::vector<ReportMachine> machines;
  for (const Node& node : scenario.cluster.nodes)
    machines.push_back(
        {node.name, class_name(scenario, node), scenario.cluster.zones[node.zone].name, node.capacity.slots, {}, {}});
  for (const simulation::BusyInterval& busy : run.busy) {
    if (busy.node.index() >= machines.size() || busy.job.index() >= scenario.jobs.size()) continue;
    const Job& job = scenario.jobs[busy.job.index()].job;
    const std::string pool = scenario.cluster.pools.contains(job.pool) ? scenario.cluster.pools[job.pool].name : "";
    machines[busy.node.index()].busy.push_back({to_seconds(busy.start), to_seconds(busy.end), job.name, pool});
  }
  return machines;
}

std::vector<ReportMachine> classes_of(const Scenario& scenario, const RunResult& run) {
  std::map<std::string, std::pair<int, std::string>> known;  // slots and zone of each class
  for (const Node& node : scenario.cluster.nodes) {
    auto& [slots, zone] = known[class_name(scenario, node)];
    slots += node.capacity.slots, zone = scenario.cluster.zones[node.zone].name;
  }
  std::vector<ReportMachine> machines;
  for (std::size_t i = 0; i < run.utilisation.channels.size() && i < run.utilisation.value.size(); ++i) {
    const std::string& name = run.utilisation.channels[i];
    const auto found = known.find(name);
    machines.push_back({name,
                        name,
                        found == known.end() ? "" : found->second.second,
                        found == known.end() ? 1 : found->second.first,
                        {},
                        run.utilisation.value[i]});
  }
  return machines;
}

ReportBill bill_of(const RunResult& run, Billing billing) {
  const Invoice& invoice = run.invoice;
  if (billing == Billing::invoice)
    return {invoice.total().value(),
            {{"nodes", invoice.nodes.value()},
             {"transfer", invoice.transfer.value()},
             {"storage", invoice.storage.value()},
             {"requests", invoice.requests.value()}}};
  return {run.bill.total().value(),
          {{"CPU", run.bill.cpu.value()},
           {"transfer", run.bill.transfer.value()},
           {"shuffle", run.bill.shuffle.value()},
           {"moves", run.bill.moves.value()},
           {"storage", run.bill.storage.value()}}};
}

const char* name_of(Billing billing) { return billing == Billing::invoice ? "invoice" : "by use"; }

ReportRun run_of(const Scenario& scenario, const RunResult& run) {
  ReportRun out;
  out.policy = run.policy;
  out.bill = bill_of(run, scenario.billing);
  out.other_bill = bill_of(run, scenario.billing == Billing::use ? Billing::invoice : Billing::use);
  out.jobs_finished = run.jobs_finished, out.jobs = run.jobs;
  out.makespan_seconds = to_seconds(run.makespan);
  out.completion = {run.completion.mean, run.completion.p50, run.completion.p95};
  if (run.small_jobs.jobs > 0) out.small_jobs_p95_seconds = run.small_jobs.p95;
  bool reads = false;
  const ReportLocality locality = locality_of(run, reads);
  if (reads) out.locality = locality;
  out.cross_zone_gigabytes =
      (run.cross_zone.map_reads + run.cross_zone.shuffle + run.cross_zone.moves).value() / mebibytes_per_gigabyte;
  out.fairness = fairness_of(scenario, run);
  out.pool_shares = shares_of(run);
  out.machines = run.busy.empty() || run.busy_cut ? classes_of(scenario, run) : nodes_of(scenario, run);
  if (run.plans.made > 0) {
    const double mean = run.measured.deciding / static_cast<double>(run.plans.made);
    out.planning = ReportPlanning{run.plans.made, mean, mean, run.plans.worst_gap};
  }
  return out;
}

// The policy that the report is about: lips if it ran, else the first one; never the baseline.
std::string subject_of(const Comparison& comparison) {
  std::string first;
  for (const RunResult& run : comparison.runs) {
    if (run.policy == comparison.baseline) continue;
    if (run.policy == "lips") return run.policy;
    if (first.empty()) first = run.policy;
  }
  return first;
}

}  // namespace

ReportData report_data(const Comparison& comparison) {
  const Scenario& scenario = *comparison.scenario;
  ReportData data;
  data.scenario = scenario.name;
  data.generated_by = fmt::format("lips {}", version);
  data.baseline = comparison.baseline;
  data.subject = subject_of(comparison);
  const bool by_use = scenario.billing == Billing::use;
  data.bill_name = name_of(scenario.billing);
  data.other_bill_name = name_of(by_use ? Billing::invoice : Billing::use);
  if (comparison.bound) data.lower_bound = ReportLowerBound{"certified", comparison.bound->dollars, !by_use};
  for (const simulation::Assumption& assumption : scenario.assumptions)
    data.assumptions.push_back({assumption.name, assumption.value, assumption.note});
  for (const RunResult& run : comparison.runs) data.runs.push_back(run_of(scenario, run));
  for (const EpochRun& point : comparison.epochs)
    data.epoch_sweep.push_back(
        {"lips-paper", to_seconds(point.epoch), point.result.bill.total().value(), to_seconds(point.result.makespan)});
  return data;
}

}  // namespace lips::cmd

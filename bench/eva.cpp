// The 200 jobs of Alibaba's PAI trace on which Eva (Chang, Venkataraman, EuroSys 2025) compares schedulers, on nodes of
// its 21 EC2 types that an autoscaler launches: policies against a node of its own for each task, and Eva's packing
// with tasks that move for nothing.
//   LIPS_DATA=... bench_eva [POLICY ...]
// reads traces/eva/instances.csv and pai_200_jobs.csv there (docs/data.md). Each job is one task of a known run time.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/one_zone.h"
#include "config/csv_table.h"
#include "config/text_file.h"
#include "policies/drafting/reservation_packing.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

constexpr std::uint32_t nodes_of_a_type = 100;

Resources resources(CsvTable& table, std::size_t row) {
  Resources amounts{Cores(table.number(row, "cpus")), Mebibytes(1024 * table.number(row, "memory_gib")), 1};
  if (const double gpus = table.number(row, "gpus"); gpus > 0) amounts.extended.set(gpu, gpus);
  return amounts;
}

Scenario scenario_of(CsvTable& types, CsvTable& jobs) {
  Scenario scenario = scenario_of_one_zone("eva");
  for (std::size_t type = 0; type < types.size(); ++type) {
    Node node;
    node.instance_type = types.text(type, "instance_type");
    node.fleet = FleetKind::elastic;
    node.capacity = resources(types, type);
    node.capacity.slots = static_cast<std::int32_t>(node.capacity.cpu.value());
    node.price = UsdPerHour(types.number(type, "usd_per_hour"));
    const NodeId first = add_nodes(node, nodes_of_a_type, scenario.cluster);
    scenario.fleet.offers.push_back({first, nodes_of_a_type, seconds(types.number(type, "boot_s")), 0});
  }
  for (std::size_t row = 0; row < jobs.size(); ++row) {
    JobArrived job;
    job.job.name = fmt::format("{}-{}", jobs.text(row, "name"), jobs.text(row, "job"));
    job.job.pool = PoolId(0);
    job.job.arrival = TimePoint(seconds(jobs.number(row, "arrival_s")));
    job.job.request = resources(jobs, row);
    job.job.map_tasks = 1;
    Task task;
    task.cpu = CpuSeconds(jobs.number(row, "duration_s") * job.job.request.cpu.value());
    job.tasks.push_back(task);
    scenario.jobs.push_back(std::move(job));
  }
  std::stable_sort(scenario.jobs.begin(), scenario.jobs.end(),
                   [](const auto& a, const auto& b) { return a.job.arrival < b.job.arrival; });
  return scenario;
}

struct Figures {
  double usd = 0, node_hours = 0, mean_completion = 0;
};

// Eva's No-Packing: each task on a node of the cheapest type that holds it, from launch to end. None: one fits nowhere.
std::optional<Figures> without_packing(const Scenario& scenario) {
  Figures figures;
  for (const JobArrived& job : scenario.jobs) {
    const NodeOffer* best = nullptr;
    const auto node = [&](const NodeOffer& offer) -> const Node& { return scenario.cluster.nodes[offer.first]; };
    for (const NodeOffer& offer : scenario.fleet.offers)
      if (fits(job.job.request, node(offer).capacity) && (!best || node(offer).price < node(*best).price))
        best = &offer;
    if (!best) return std::nullopt;
    const double lived = to_seconds(best->boot) + job.tasks[0].cpu.value() / job.job.request.cpu.value();
    figures.usd += node(*best).price.value() * lived / 3600;
    figures.node_hours += lived / 3600;
    figures.mean_completion += lived / static_cast<double>(scenario.jobs.size());
  }
  return figures;
}

// Eva's full reconfiguration whenever a task comes or ends, as if each task moved at once and for nothing. A type of
// which more nodes run than before pays for their boots.
Figures with_free_moves(const Scenario& scenario) {
  const ClusterSnapshot cluster = before_purchases(scenario.cluster, scenario.fleet);
  std::map<double, std::vector<std::pair<std::size_t, int>>> changes;  // of the tasks that run, by time
  Figures figures;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobArrived& job = scenario.jobs[i];
    const double arrival = to_seconds(job.job.arrival - TimePoint{}),
                 lasts = job.tasks[0].cpu.value() / job.job.request.cpu.value();
    changes[arrival].emplace_back(i, 1);
    changes[arrival + lasts].emplace_back(i, -1);
    figures.mean_completion += lasts / static_cast<double>(scenario.jobs.size());
  }
  std::map<Resources, std::uint32_t> running;
  IdVector<OfferId, std::uint32_t> before(cluster.offers.size());
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    for (const auto& [job, count] : change->second)
      running[scenario.jobs[job].job.request] += static_cast<std::uint32_t>(count);
    ReservationPacking packing(cluster);
    std::vector<AlikeTasks> tasks;
    for (const auto& [request, count] : running)
      tasks.push_back({request, ConstraintId::none(), count, packing.reservation_price(request, ConstraintId::none())});
    IdVector<OfferId, std::uint32_t> now(cluster.offers.size());
    for (const NodesToBuy& nodes : packing.buy(tasks)) now[nodes.offer] += nodes.nodes;
    const double seconds = std::next(change) == changes.end() ? 0 : std::next(change)->first - change->first;
    for (const OfferId offer : cluster.offers.ids()) {
      const std::uint32_t booted = now[offer] - std::min(now[offer], before[offer]);
      const double hours = (now[offer] * seconds + booted * to_seconds(cluster.offers[offer].boot)) / 3600;
      figures.node_hours += hours;
      figures.usd += hours * cluster.nodes[cluster.offers[offer].like].price.value();
    }
    before = now;
  }
  return figures;
}

void print_row(const std::string& name, const Figures& figures, const Figures& apart) {
  fmt::print("| {} | {:.0f} | {:+.1f} % | {:.0f} | {:.0f} | {:+.1f} % |\n", name, figures.usd,
             100 * (figures.usd / apart.usd - 1), figures.node_hours, figures.mean_completion,
             100 * (figures.mean_completion / apart.mean_completion - 1));
  std::fflush(stdout);
}

bool measure(const Scenario& scenario, const std::string& name, const Figures& apart) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) return fmt::print(stderr, "{}\n", policy.error().message), false;
  const Result<RunResult> ran = run(scenario, **policy, name);
  if (!ran) return fmt::print(stderr, "{}\n", ran.error().message), false;
  if (ran->jobs_finished < ran->jobs) return fmt::print(stderr, "{} did not finish all jobs\n", name), false;
  Figures figures{ran->invoice.total().value(), 0, ran->completion.mean};
  for (const NodeLine& line : ran->invoice.node_lines) figures.node_hours += line.hours;
  print_row(name, figures, apart);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const char* data = std::getenv("LIPS_DATA");
  const std::string folder = std::string(data ? data : "") + "/traces/eva/";
  const Result<std::string> types_text = read_text_file(folder + "instances.csv"),
                            jobs_text = read_text_file(folder + "pai_200_jobs.csv");
  if (!types_text || !jobs_text) return fmt::print(stderr, "no jobs or no instances in {}; set LIPS_DATA\n", folder), 2;
  CsvTable types("instances.csv", *types_text,
                 {"instance_type", "gpus", "cpus", "memory_gib", "usd_per_hour", "boot_s"});
  CsvTable jobs("pai_200_jobs.csv", *jobs_text,
                {"job", "name", "arrival_s", "duration_s", "gpus", "cpus", "memory_gib"});
  const Scenario scenario = scenario_of(types, jobs);
  for (const CsvTable* table : {&types, &jobs})
    if (!table->is_sound()) return fmt::print(stderr, "{}\n", table->as_error().value().message), 2;
  const std::optional<Figures> apart = without_packing(scenario);
  if (!apart) return fmt::print(stderr, "a task fits on no instance\n"), 2;
  std::vector<std::string> policies(argv + 1, argv + argc);
  if (policies.empty()) policies = {"lips", "eva", "stratus", "most-allocated", "spread", "fifo", "starburst"};
  fmt::print(
      "{} jobs, {} types\n| policy | USD | against no packing | node-hours | mean completion s | against no packing |\n"
      "|---|---|---|---|---|---|\n",
      jobs.size(), types.size());
  print_row("a node for each task", *apart, *apart);
  print_row("Eva's packing, free moves", with_free_moves(scenario), *apart);
  bool good = true;
  for (const std::string& policy : policies) good = measure(scenario, policy, *apart) && good;
  return good ? 0 : 1;
}

// Whole days of jobs whose run times and sizes others have published, on fixed nodes and beside an autoscaler.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "bench/mixed_worlds.h"
#include "config/csv_table.h"
#include "config/text_file.h"

namespace lips::bench {

inline std::string data_folder() {
  const char* data = std::getenv("LIPS_DATA");
  return std::string(data ? data : "") + "/traces/";
}

// A day of jobs of one task with the run times of Microsoft's Philly cluster up to 12 h, of 1 to 7 cores with 1 to 7
// GiB each, on the 100 nodes of modern-day or on as many cores that an autoscaler buys.
inline MixedWorld philly_day(CsvTable& times, bool elastic, double load) {
  constexpr double longest = 12 * 3600, day = 86400, cores = 800;
  Random random(derive_seed(1, 20));
  std::string text = fmt::format(
      "name: philly-{0}-{1}\nzones: [us-east-1a, us-east-1b, us-east-1c]\nracksPerZone: 2\nstores: {{nodeDirectories: "
      "false}}\nprices: {{region: us-east-1, spotFactors: {{us-east-1a: 0.38, us-east-1b: 0.30, us-east-1c: 0.46}}}}\n"
      "pools: [{{name: etl, weight: 5}}, {{name: reports, weight: 3}}, {{name: adhoc, weight: 2}}]\nnodes:\n",
      elastic ? "elastic" : "fixed", load);
  for (const auto& [name, count] : std::initializer_list<std::pair<const char*, int>>{
           {"m7g", 20}, {"m6i", 20}, {"c7g", 15}, {"c6i", 15}, {"r6i", 15}, {"m5a", 15}})
    text += fmt::format("- {{name: {0}, instanceType: {0}.2xlarge, slots: 110, {1}}}\n", name,
                        elastic ? "fleet: elastic, limit: 40, capacityTypes: [spot, on-demand], bootTime: 60s, "
                                  "interruptionsPerHour: 0.02"
                                : fmt::format("count: {}, spotShare: 0.4", count));
  if (elastic) text += fmt::format("autoscaler: {{limitCores: {}, consolidateAfter: 30s}}\n", 2 * cores);
  text += "jobs:\n";
  std::vector<double> seconds;
  for (std::size_t row = 0; row < times.size(); ++row)
    if (const double time = times.number(row, "runtime"); time >= 1 && time <= longest) seconds.push_back(time);
  double work = 0;
  for (int i = 0; !seconds.empty() && work < load * cores * day; ++i) {
    MixedJob job;
    job.arrival = random.uniform(0, day);
    job.seconds = seconds[random.below(seconds.size())];
    job.size.cores = static_cast<double>(1 + random.below(7));
    job.size.memory = 512 * std::floor(2 * job.size.cores * random.uniform(1, 7));
    work += job.seconds * job.size.cores;
    static constexpr std::array pools{"etl", "reports", "adhoc"};
    text += yaml_job(fmt::format("p{}", i), job, fmt::format(", pool: {}", pools[random.below(pools.size())]));
  }
  return {"philly", fmt::format("philly-{}-{}", elastic ? "elastic" : "fixed", load), std::move(text)};
}

// How many nodes the cores of the jobs take at that load until the last one has come.
inline double eva_cores(CsvTable& jobs, double load) {
  double work = 0, last = 1;
  for (std::size_t row = 0; row < jobs.size(); ++row) {
    work += jobs.number(row, "duration_s") * jobs.number(row, "cpus");
    last = std::max(last, jobs.number(row, "arrival_s"));
  }
  return work / last / load;
}

// The 200 jobs of bench_eva on its types: nodes with GPUs and a few without, so many that their cores have that load,
// or as many cores that an autoscaler buys of any of them.
inline MixedWorld eva_days(CsvTable& types, CsvTable& jobs, bool elastic, double load) {
  const double cores = eva_cores(jobs, load);
  std::string text = fmt::format("name: eva-{}-{}\nzones: [zone]\nstores: {{nodeDirectories: false}}\nnodes:\n",
                                 elastic ? "elastic" : "fixed", load);
  for (std::size_t row = 0; row < types.size(); ++row) {
    const std::string& type = types.text(row, "instance_type");
    const double own = types.number(row, "cpus"), gpus = types.number(row, "gpus");
    const int count = type == "p3.16xlarge"    ? static_cast<int>(std::ceil(0.6 * cores / own))
                      : type == "p3.8xlarge"   ? static_cast<int>(std::ceil(0.3 * cores / own))
                      : type == "c7i.16xlarge" ? static_cast<int>(std::ceil(0.1 * cores / own))
                                               : 0;
    if (!elastic && count == 0) continue;
    text += fmt::format("- {{name: {}, cores: {}, memory: {}Gi, pricePerHour: {}, slots: 110, {}{}}}\n", type, own,
                        types.number(row, "memory_gib"), types.number(row, "usd_per_hour"),
                        gpus > 0 ? fmt::format("extended: {{nvidia.com/gpu: {}}}, ", gpus) : "",
                        elastic ? fmt::format("fleet: elastic, limit: 100, bootTime: {}s", types.number(row, "boot_s"))
                                : fmt::format("count: {}", count));
  }
  // A task that is moved would start anew, and these run for hours.
  if (elastic) text += fmt::format("autoscaler: {{limitCores: {:.0f}, consolidation: WhenEmpty}}\n", cores);
  text += "jobs:\n";
  for (std::size_t row = 0; row < jobs.size(); ++row) {
    const TaskSize size{jobs.number(row, "cpus"), 1024 * jobs.number(row, "memory_gib"),
                        static_cast<int>(jobs.number(row, "gpus"))};
    text +=
        yaml_job(fmt::format("e{}", row), {jobs.number(row, "arrival_s"), jobs.number(row, "duration_s"), 1, 0, size});
  }
  return {"eva", fmt::format("eva-{}-{}", elastic ? "elastic" : "fixed", load), std::move(text)};
}

template <class World>
Result<std::vector<MixedWorld>> on_both(const std::vector<CsvTable*>& tables, const World& world) {
  std::vector<MixedWorld> worlds;
  for (const bool elastic : {false, true})
    for (const double load : {0.5, 0.8}) worlds.push_back(world(elastic, load));
  for (const CsvTable* table : tables)
    if (!table->is_sound()) return table->as_error();
  return worlds;
}

// not_found where LIPS_DATA does not name a folder with the trace.
inline Result<std::vector<MixedWorld>> philly_worlds() {
  const std::string file = data_folder() + "philly/philly_runtime.csv.gz";
  const Result<std::string> text = read_text_file(file);
  if (!text) return fail(ErrorCode::not_found, fmt::format("no run times in {}; set LIPS_DATA", file));
  CsvTable times(file, *text, {"runtime"});
  return on_both({&times}, [&](bool elastic, double load) { return philly_day(times, elastic, load); });
}

inline Result<std::vector<MixedWorld>> eva_worlds() {
  const std::string folder = data_folder() + "eva/";
  const Result<std::string> types_text = read_text_file(folder + "instances.csv"),
                            jobs_text = read_text_file(folder + "pai_200_jobs.csv");
  if (!types_text || !jobs_text)
    return fail(ErrorCode::not_found, fmt::format("no jobs or no instances in {}; set LIPS_DATA", folder));
  CsvTable types("instances.csv", *types_text,
                 {"instance_type", "gpus", "cpus", "memory_gib", "usd_per_hour", "boot_s"});
  CsvTable jobs("pai_200_jobs.csv", *jobs_text, {"arrival_s", "duration_s", "gpus", "cpus", "memory_gib"});
  return on_both({&types, &jobs}, [&](bool elastic, double load) { return eva_days(types, jobs, elastic, load); });
}

}  // namespace lips::bench

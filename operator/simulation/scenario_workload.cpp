#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "config/ranges.h"
#include "simulation/scenario_draft.h"
#include "simulation/swim_trace.h"

namespace lips::simulation {

namespace {

// How rows of a trace become jobs.
struct Workload {
  std::vector<TraceJob> rows;
  std::vector<double> cpu_per_mebibyte;  // by row
  Duration day = std::chrono::hours(24);
  double scale_bytes = 1, scale_arrivals = 1;
  double most_maps = 0;  // 0: no cap
  Mebibytes block_size{128};
  double cpu_factor = 1, least_cpu = 1, cpu_without_input = 30;
  double reduce_mebibytes = 1024, most_reduces = 50, reduce_cpu_per_mebibyte = 0.1;
  bool share_inputs = false;
  std::int64_t days = 1;  // that are alike
  std::vector<RequestSize> sizes;
};

struct Scaled {
  Mebibytes input, shuffle;
  double maps = 1, reduces = 0;
};

Scaled scaled(const Workload& work, const TraceJob& row, double factor) {
  Scaled result;
  result.input = Mebibytes(row.input * factor / bytes_per_mebibyte);
  if (row.input > 0) result.input = std::max(result.input, Mebibytes(1 / bytes_per_mebibyte));
  result.maps = std::max(1.0, std::ceil(result.input / work.block_size - 1e-9));
  result.shuffle = Mebibytes(row.shuffle * factor / bytes_per_mebibyte);
  if (work.most_maps > 0 && result.maps > work.most_maps) {
    result.maps = work.most_maps;
    const Mebibytes kept = work.block_size * result.maps;
    result.shuffle *= kept / result.input;
    result.input = kept;
  }
  if (result.shuffle.value() > 0)
    result.reduces = std::clamp(std::ceil(result.shuffle.value() / work.reduce_mebibytes), 1.0, work.most_reduces);
  return result;
}

double map_cpu(const Workload& work, double cpu_per_mebibyte, Mebibytes input) {
  return std::max(work.least_cpu, cpu_per_mebibyte * work.cpu_factor * input.value());
}

double reduce_cpu(const Workload& work, const Scaled& job) {
  return std::max(work.least_cpu, work.reduce_cpu_per_mebibyte * work.cpu_factor * job.shuffle.value() / job.reduces);
}

double cpu_of(const Workload& work, std::size_t row, double factor) {
  const Scaled job = scaled(work, work.rows[row], factor);
  double cpu = 0;
  if (job.input.value() <= 0) {
    cpu = work.cpu_without_input;
  } else {
    const Mebibytes last = job.input - work.block_size * (job.maps - 1);
    cpu = (job.maps - 1) * map_cpu(work, work.cpu_per_mebibyte[row], work.block_size) +
          map_cpu(work, work.cpu_per_mebibyte[row], last);
  }
  if (job.reduces > 0) cpu += job.reduces * reduce_cpu(work, job);
  return cpu;
}

double total_cpu(const Workload& work, double factor) {
  double cpu = 0;
  for (std::size_t row = 0; row < work.rows.size(); ++row) cpu += cpu_of(work, row, factor);
  return cpu;
}

double cpu_of_written_jobs(const ScenarioDraft& draft) {
  double cpu = 0;
  for (const JobArrived& job : draft.scenario.jobs)
    for (const Task& task : job.tasks) cpu += task.cpu.value();
  return cpu;
}

double cluster_rate(const ScenarioDraft& draft) {
  double rate = draft.elastic_rate;
  const ClusterSnapshot& cluster = draft.scenario.cluster;
  for (NodeId node : cluster.nodes.ids())
    if (!draft.elastic(node)) rate += cluster.nodes[node].capacity.cpu.value() * cluster.nodes[node].speed;
  return rate;
}

// Scales bytes, or the times between arrivals, until CPU work over the capacity of the cluster in the day is the load.
void scale_to_load(YamlMap& root, ScenarioDraft& draft, Workload& work, bool by_arrivals) {
  const double load = root.number("load", 0, {1e-6, 100});
  const double rate = cluster_rate(draft);
  if (!root.has("load") || load <= 0 || rate <= 0) return;
  const double written = cpu_of_written_jobs(draft);
  if (by_arrivals) {
    const double span = (total_cpu(work, work.scale_bytes) + written) / (load * rate);
    work.scale_arrivals = span / to_seconds(work.day);
    return draft.assume("scaleArrivals", fmt::format("{:.6g}", work.scale_arrivals),
                        "times between arrivals, for the load");
  }
  const double wanted = load * rate * to_seconds(work.day) - written;
  double low = std::log(1e-15), high = std::log(1e9);
  if (total_cpu(work, 1e9) < wanted)
    return root.error("load", fmt::format("{}", load),
                      fmt::format("at most {:.3g} with these jobs and maxTasks",
                                  (total_cpu(work, 1e9) + written) / (rate * to_seconds(work.day))));
  if (total_cpu(work, 1e-15) > wanted)
    return root.error("load", fmt::format("{}", load),
                      fmt::format("at least {:.3g}, what these jobs take without any bytes",
                                  (total_cpu(work, 1e-15) + written) / (rate * to_seconds(work.day))));
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (total_cpu(work, std::exp(middle)) < wanted ? low : high) = middle;
  }
  work.scale_bytes = std::exp(low);
}

std::vector<TraceJob> read_trace(YamlMap& fields, ScenarioDraft& draft) {
  if (!fields.require("file")) return {};
  const std::optional<std::string> text =
      read_data_file(fields, "file", "swim",
                     "the FB-2010 traces are in SWIM's repository (SWIMProjectUCB/SWIM, workloadSuite)", draft);
  if (!text) return {};
  Result<std::vector<TraceJob>> rows = parse_swim(fields.text("file"), *text);
  if (rows) return std::move(*rows);
  draft.errors.messages.push_back(rows.error().message);
  return {};
}

void choose_rows(YamlMap& fields, ScenarioDraft& draft, Workload& work) {
  const Duration from = fields.duration("from", Duration(0)), until = fields.duration("until", std::chrono::hours(24));
  if (from >= until)
    return fields.error("until", fmt::format("{} s", to_seconds(until)),
                        fmt::format("more than from, {} s", to_seconds(from)));
  const std::size_t all = work.rows.size();
  std::erase_if(work.rows, [&](const TraceJob& job) {
    return job.arrival < to_seconds(from) || (job.arrival >= to_seconds(until) && until != std::chrono::hours(24));
  });
  for (TraceJob& job : work.rows) job.arrival = std::min(job.arrival - to_seconds(from), to_seconds(until - from));
  work.day = until - from;
  const auto wanted = static_cast<std::size_t>(fields.integer("jobs", 0, 0, 10'000'000));
  work.rows = sample_jobs(std::move(work.rows), wanted, seed_for(draft, Draw::sample));
  if (work.rows.empty() && all > 0) fields.error("from", "no job in the window", "a window with jobs");
  draft.assume("trace", fmt::format("{} of {} jobs", work.rows.size(), all),
               work.rows.size() < all ? fmt::format("drawn by seed {}", draft.scenario.seed) : "all of the window");
}

void choose_cpu(YamlMap& fields, ScenarioDraft& draft, Workload& work) {
  std::vector<double> rates, weights;
  std::string names;
  if (fields.is_map("applications")) {
    for (const auto& [name, weight] : fields.number_map("applications", not_negative)) {
      const auto& known = applications();
      const auto found =
          std::find_if(known.begin(), known.end(),
                       [&, wanted = std::string_view(name)](const Application& a) { return a.name == wanted; });
      if (found == known.end()) {
        fields.error("applications", '\'' + name + '\'', "Grep, Stress1, Stress2, WordCount with a weight each");
        continue;
      }
      rates.push_back(found->cpu_per_mebibyte);
      weights.push_back(weight);
      names += fmt::format("{}{} x {}", names.empty() ? "" : ", ", name, weight);
    }
    if (std::none_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; })) {
      fields.error("applications", "no weight above 0", "at least one");
      return;
    }
  } else if (fields.has("cpuPerMiB")) {
    rates = {fields.number("cpuPerMiB", 1, work_per_mebibyte_range)};
    weights = {1};
    names = fmt::format("{} CPU-seconds per MiB", rates[0]);
  } else {
    for (const Application& application : applications())
      rates.push_back(application.cpu_per_mebibyte), weights.push_back(1);
    names = "Grep, Stress1, Stress2, WordCount evenly";
  }
  Random random(seed_for(draft, Draw::applications));
  for (std::size_t row = 0; row < work.rows.size(); ++row)
    work.cpu_per_mebibyte.push_back(rates[random.weighted(weights)]);
  draft.assume("CPU per byte", names, "drawn for each job; the trace has no CPU time (Table I of the LiPS paper)");
}

void read_rules(YamlMap& fields, ScenarioDraft& draft, Workload& work) {
  work.scale_bytes = fields.number("scaleBytes", 1, {1e-15, 1e9});
  work.scale_arrivals = fields.number("scaleArrivals", 1, not_negative);
  work.most_maps = static_cast<double>(fields.integer("maxTasks", 0, 0, 10'000'000));
  work.block_size = fields.size("blockSize", draft.block_size);
  if (work.block_size.value() <= 0) fields.error("blockSize", "0", "a size above 0"), work.block_size = Mebibytes(128);
  work.cpu_factor = fields.number("cpuFactor", 1, {1e-9, 1e6});
  work.least_cpu = fields.number("leastCpuPerTask", 1, work_range);
  work.cpu_without_input = fields.number("cpuWithoutInput", 30, work_range);
  work.share_inputs = fields.flag("shareInputs", false);
  work.days = fields.integer("days", 1, 1, 31);
  work.sizes = read_sizes(fields, draft);
  if (std::optional<YamlMap> reduces = fields.map("reduces")) {
    work.reduce_mebibytes = reduces->size("bytesEach", Mebibytes(work.reduce_mebibytes)).value();
    if (work.reduce_mebibytes <= 0) reduces->error("bytesEach", "0", "a size above 0"), work.reduce_mebibytes = 1024;
    work.most_reduces = static_cast<double>(reduces->integer("most", 50, 1, 100'000));
    work.reduce_cpu_per_mebibyte = reduces->number("cpuPerMiB", work.reduce_cpu_per_mebibyte, work_per_mebibyte_range);
    reduces->finish();
  }
  draft.assume("reduces", fmt::format("one per {} MiB of shuffle, at most {}, {} CPU-seconds per MiB",
                                      work.reduce_mebibytes, work.most_reduces, work.reduce_cpu_per_mebibyte));
  draft.assume("least CPU of a task", fmt::format("{} CPU-seconds", work.least_cpu),
               "start-up; jobs without input take cpuWithoutInput");
  if (work.most_maps > 0)
    draft.assume("maxTasks", fmt::format("{}", work.most_maps), "larger jobs are cut, their shuffle in proportion");
  if (work.sizes.size() > 1)
    draft.assume("sizes", fmt::format("{}", work.sizes.size()), "of tasks; drawn for each job");
}

// By row.
std::vector<Resources> choose_sizes(const ScenarioDraft& draft, const Workload& work) {
  std::vector<double> weights;
  for (const RequestSize& size : work.sizes) weights.push_back(size.weight);
  Random random(seed_for(draft, Draw::sizes));
  std::vector<Resources> chosen;
  for (std::size_t row = 0; row < work.rows.size(); ++row)
    chosen.push_back(work.sizes[random.weighted(weights)].request);
  return chosen;
}

std::vector<PoolId> choose_pools(YamlMap& fields, ScenarioDraft& draft, std::size_t jobs) {
  std::vector<PoolId> pools;
  std::vector<double> weights;
  for (const auto& [name, weight] : fields.number_map("pools", not_negative)) {
    const auto known = draft.pools.find(name);
    if (known == draft.pools.end()) {
      fields.error("pools", '\'' + name + '\'', "names of pools with a weight each");
      continue;
    }
    pools.push_back(known->second);
    weights.push_back(weight);
  }
  if (pools.empty())
    for (PoolId pool : draft.cluster().pools.ids())
      pools.push_back(pool), weights.push_back(draft.cluster().pools[pool].weight);
  std::vector<PoolId> result;
  Random random(seed_for(draft, Draw::pools));
  for (std::size_t job = 0; job < jobs; ++job) result.push_back(pools[random.weighted(weights)]);
  return result;
}

// The largest input that a job of the trace reads from each path.
std::map<std::string, Mebibytes> shared_sizes(const Workload& work) {
  std::map<std::string, Mebibytes> sizes;
  if (!work.share_inputs) return sizes;
  for (const TraceJob& row : work.rows)
    if (!row.path.empty() && row.input > 0)
      sizes[row.path] = std::max(sizes[row.path], scaled(work, row, work.scale_bytes).input);
  return sizes;
}

void add_jobs(const Workload& work, const std::vector<PoolId>& pools, const Placement& placement,
              ScenarioDraft& draft) {
  const std::map<std::string, Mebibytes> shared = shared_sizes(work);
  const std::vector<Resources> requests = choose_sizes(draft, work);
  for (std::size_t row = 0; row < work.rows.size(); ++row) {
    const TraceJob& from = work.rows[row];
    const Scaled size = scaled(work, from, work.scale_bytes);
    JobArrived added;
    Job& job = added.job;
    job.name = from.name;
    job.pool = pools[row];
    job.arrival = TimePoint(seconds(from.arrival * work.scale_arrivals));
    job.request = requests[row];
    job.map_tasks = static_cast<std::uint32_t>(size.maps);
    job.reduce_tasks = static_cast<std::uint32_t>(size.reduces);
    job.shuffle = size.shuffle;
    DataSetId input;
    if (size.input.value() > 0) {
      const auto path = shared.find(from.path);
      const std::string name = path == shared.end() ? from.name + "-input" : from.path;
      const auto known = path == shared.end() ? draft.data_sets.end() : draft.data_sets.find(name);
      input =
          known != draft.data_sets.end()
              ? known->second
              : add_data_set(draft, name, path == shared.end() ? size.input : path->second, work.block_size, placement);
      job.inputs = {{input, 1}};
    }
    Mebibytes left = size.input;
    for (std::uint32_t i = 0; i < job.map_tasks; ++i) {
      Task task;
      task.cpu = CpuSeconds(work.cpu_without_input);
      if (input.valid()) {
        task.block = BlockId(draft.cluster().data_sets[input].first_block.index() + i);
        task.input = std::min(left, work.block_size);
        left -= task.input;
        task.cpu = CpuSeconds(map_cpu(work, work.cpu_per_mebibyte[row], task.input));
      }
      added.tasks.push_back(task);
    }
    Task reduce;
    reduce.kind = TaskKind::reduce;
    if (job.reduce_tasks > 0)
      reduce.cpu = CpuSeconds(reduce_cpu(work, size)), reduce.input = job.shuffle / job.reduce_tasks;
    added.tasks.insert(added.tasks.end(), job.reduce_tasks, reduce);
    draft.scenario.jobs.push_back(std::move(added));
  }
}

// The same jobs on further days, reading the same data.
void repeat_days(const Workload& work, std::size_t first, ScenarioDraft& draft) {
  const std::size_t end = draft.scenario.jobs.size();
  for (std::int64_t day = 1; day < work.days; ++day)
    for (std::size_t i = first; i < end; ++i) {
      JobArrived again = draft.scenario.jobs[i];
      again.job.name += fmt::format("-day-{}", day + 1);
      again.job.arrival += std::chrono::hours(24) * day;
      draft.scenario.jobs.push_back(std::move(again));
    }
  if (work.days > 1)
    draft.assume("days", fmt::format("{}", work.days), "with the same jobs each, which read the same data");
}

// Checks the scaled rows: tasks and blocks fit into the scenario; work, size and arrival of each job are in range.
bool check_products(YamlMap& fields, const Workload& work, const Placement& placement, ScenarioDraft& draft) {
  double tasks = 0, most_work = 0, last = 0;
  Mebibytes input, largest;
  for (std::size_t row = 0; row < work.rows.size(); ++row) {
    const Scaled job = scaled(work, work.rows[row], work.scale_bytes);
    tasks += job.maps + job.reduces;
    input += work.block_size * job.maps;
    largest = std::max({largest, job.input, job.shuffle});
    last = std::max(last, work.rows[row].arrival * work.scale_arrivals);
    most_work = std::max(most_work, map_cpu(work, work.cpu_per_mebibyte[row], std::min(job.input, work.block_size)));
    if (job.reduces > 0) most_work = std::max(most_work, reduce_cpu(work, job));
  }
  if (!work_range.contains(most_work))
    fields.error("", fmt::format("a task of {:.3g} CPU-seconds", most_work),
                 fmt::format("at most {}: smaller blocks, or less work for each MiB", work_range.most));
  if (largest > largest_size)
    fields.error("", fmt::format("a job of {:.3g} MiB", largest.value()), "at most 1048576Ti: scale bytes down");
  if (last > to_seconds(longest_duration))
    fields.error("scaleArrivals", fmt::format("a last arrival after {:.3g} s", last), allowed_durations);
  const auto jobs = static_cast<double>(work.rows.size()), days = static_cast<double>(work.days);
  if (draft.errors.messages.empty() && room_for_jobs(fields, "", days * jobs, tasks / std::max(1.0, jobs), draft))
    room_for_blocks(fields, "", input, work.block_size, placement, draft);
  return draft.errors.messages.empty();
}

}  // namespace

void read_workload(YamlMap& root, ScenarioDraft& draft) {
  if (root.has("trace") && root.has("synthetic")) root.error("synthetic", "both trace and synthetic", "one of them");
  std::optional<YamlMap> fields = root.map("trace");
  if (!fields) fields = root.map("synthetic");
  if (!fields) {
    if (root.has("load"))
      root.error("load", "a load without trace or synthetic", "jobs whose bytes or arrivals can be scaled");
    return;
  }
  Workload work;
  if (root.has("trace")) {
    work.rows = read_trace(*fields, draft);
  } else {
    const auto jobs = static_cast<std::size_t>(fields->integer("jobs", 400, 1, 10'000'000));
    work.rows = synthetic_day(jobs, seed_for(draft, Draw::synthetic));
    draft.assume("synthetic day", fmt::format("{} jobs", jobs),
                 "quantiles of FB-2010: median input 12 MB, 10 % above 32 GB, 34 % without shuffle");
  }
  choose_rows(*fields, draft, work);
  choose_cpu(*fields, draft, work);
  read_rules(*fields, draft, work);
  const Placement placement = read_placement(*fields, draft);
  static constexpr std::array<std::string_view, 2> ways{"bytes", "arrivals"};
  const bool by_arrivals = fields->choice("loadBy", ways, 0) == 1;
  const std::vector<PoolId> pools = choose_pools(*fields, draft, work.rows.size());
  fields->finish();
  if (!draft.errors.messages.empty()) return;
  scale_to_load(root, draft, work, by_arrivals);
  if (!draft.errors.messages.empty()) return;
  draft.assume("scaleBytes", fmt::format("{:.6g}", work.scale_bytes),
               root.has("load") && !by_arrivals ? "bytes of the trace, for the load" : "bytes of the trace");
  if (!check_products(*fields, work, placement, draft)) return;
  const std::size_t written = draft.scenario.jobs.size();
  add_jobs(work, pools, placement, draft);
  repeat_days(work, written, draft);
}

}  // namespace lips::simulation

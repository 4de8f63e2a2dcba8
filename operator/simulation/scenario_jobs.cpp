#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "simulation/job_table.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

constexpr auto most_tasks = static_cast<std::int64_t>(ScenarioTotals::most_tasks);

// "key", "key:Effect", "key=value" or "key=value:Effect".
Toleration parse_toleration(const std::string& text) {
  Toleration toleration;
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  if (colon < text.size()) toleration.effect = text.substr(colon + 1);
  const std::string front = text.substr(0, colon);
  const std::size_t equals = front.find('=');
  toleration.key = front.substr(0, equals);
  toleration.exists = equals == std::string::npos;
  if (!toleration.exists) toleration.value = front.substr(equals + 1);
  return toleration;
}

}  // namespace

ConstraintId read_constraint(YamlMap& fields, ScenarioDraft& draft) {
  PlacementConstraint constraint;
  for (const auto& [key, value] : fields.text_map("nodeSelector"))
    constraint.required.push_back({key, LabelRequirement::Operator::in, {value}});
  for (const std::string& text : fields.texts("tolerations")) {
    if (text.empty() || text.front() == '=')
      fields.error("tolerations", '\'' + text + '\'', "key, key=value, key:NoSchedule or key=value:NoSchedule");
    constraint.tolerations.push_back(parse_toleration(text));
  }
  if (constraint == PlacementConstraint{}) return ConstraintId::none();
  std::sort(constraint.required.begin(), constraint.required.end());
  std::sort(constraint.tolerations.begin(), constraint.tolerations.end());
  for (ConstraintId id : draft.cluster().constraints.ids())
    if (draft.cluster().constraints[id] == constraint) return id;
  return draft.cluster().constraints.push_back(std::move(constraint));
}

namespace {

double read_cpu_per_mebibyte(YamlMap& fields) {
  if (!fields.has("application")) return fields.number("cpuPerMiB", 0, work_per_mebibyte_range);
  if (fields.has("cpuPerMiB")) fields.error("cpuPerMiB", "both application and cpuPerMiB", "one of them");
  std::vector<std::string_view> names;
  for (const Application& application : applications()) names.push_back(application.name);
  return applications()[fields.choice("application", names, 0)].cpu_per_mebibyte;
}

// One entry of the list, which may stand for several equal jobs.
struct JobEntry {
  JobArrived job;
  std::int64_t count = 1, tasks = 0;
  Duration every{};
  double cpu_per_mebibyte = 0, cpu_per_task = 0, cpu_per_reduce = 0, fraction = 1;
  std::string input;
  Mebibytes input_size, block_size, shuffle;
  double shuffle_ratio = 0;
  Placement placement;
  std::vector<std::string> after;
  std::string output;
  Mebibytes output_size;
  double output_ratio = 0;
  std::optional<Duration> max_wait;
};

void check_input(YamlMap& fields, JobEntry& entry, ScenarioDraft& draft) {
  if (fields.has("input") && fields.has("inputSize"))
    fields.error("inputSize", "both input and inputSize", "one of them");
  if (!entry.input.empty()) {
    const auto known = draft.data_sets.find(entry.input);
    std::vector<std::string_view> names;
    for (const auto& [name, id] : draft.data_sets) names.push_back(name);
    if (known == draft.data_sets.end()) {
      fields.error("input", '\'' + entry.input + '\'',
                   names.empty() ? "a data set of dataSets" : fmt::format("{}", fmt::join(names, ", ")));
    } else if (!known->second.valid() && draft.errors.messages.empty()) {
      fields.error("input", '\'' + entry.input + "', which the job itself writes", "another data set");
    } else if (known->second.valid()) {
      const std::int64_t blocks = draft.cluster().data_sets[known->second].blocks;
      if (entry.tasks > blocks)
        fields.error("tasks", fmt::format("{}", entry.tasks),
                     fmt::format("at most {}, the blocks of '{}'", blocks, entry.input));
    }
  }
  const bool reads = !entry.input.empty() || entry.input_size.value() > 0;
  if (!reads && entry.tasks == 0)
    fields.error("", "a job without tasks and without input", "tasks, input or inputSize");
  if (!reads && entry.cpu_per_mebibyte > 0)
    fields.error("", "cpuPerMiB or application without input", "cpuPerTask, or an input");
  if (entry.cpu_per_mebibyte <= 0 && entry.cpu_per_task <= 0 && !fields.has("cpuPerTask") && !fields.has("cpuPerMiB"))
    fields.error("", "no CPU work", "application, cpuPerMiB or cpuPerTask");
}

// A job can wait only for jobs further up, so there are no cycles.
void read_output(YamlMap& fields, JobEntry& entry, ScenarioDraft& draft) {
  entry.after = fields.texts("after");
  for (const std::string& name : entry.after)
    if (!draft.copies_of.contains(name))
      fields.error("after", '\'' + name + '\'', "names of jobs further up in the list");
  entry.output = fields.text("output");
  entry.output_size = fields.size("outputSize", Mebibytes(0));
  entry.output_ratio = fields.number("outputRatio", 0, not_negative);
  const bool sized = entry.output_size.value() > 0 || entry.output_ratio > 0;
  if (entry.output.empty()) {
    if (sized) fields.error("output", "nothing", "the name of the data set that is written");
    return;
  }
  if (!sized) fields.error("outputSize", "no size of the output", "outputSize or outputRatio above 0");
  if (entry.count > 1) fields.error("output", "an output of several equal jobs", "one job with an output");
  if (draft.data_sets.contains(entry.output))
    fields.error("output", '\'' + entry.output + "' twice", "every data set once");
  draft.data_sets[entry.output] = DataSetId::none();
}

JobEntry read_entry(YamlMap& fields, ScenarioDraft& draft) {
  JobEntry entry;
  Job& job = entry.job.job;
  if (fields.require("name")) job.name = fields.text("name");
  entry.count = fields.integer("count", 1, 1, 1'000'000);
  entry.every = fields.duration("every", Duration(0));
  job.arrival = TimePoint(fields.duration("arrival", Duration(0)));
  if (fields.has("completeBy")) job.due.complete_by = TimePoint(fields.duration("completeBy", Duration(0)));
  if (fields.has("maxWait")) entry.max_wait = fields.duration("maxWait", Duration(0));
  job.priority = static_cast<std::int32_t>(fields.integer("priority", 0, -1'000'000'000, 1'000'000'000));
  job.preempts = fields.choice("preempts", std::array<std::string_view, 2>{"lowerPriority", "never"}, 0) == 0;
  job.pool = pool_named(fields, draft);
  job.constraint = read_constraint(fields, draft);
  job.request = read_request(fields, draft);
  entry.tasks = fields.integer("tasks", 0, 1, most_tasks);
  entry.cpu_per_mebibyte = read_cpu_per_mebibyte(fields);
  entry.cpu_per_task = fields.number("cpuPerTask", 0, work_range);
  entry.input = fields.text("input");
  entry.input_size = fields.size("inputSize", Mebibytes(0));
  entry.fraction = fields.number("fraction", 1, {1e-9, 1});
  entry.block_size = fields.size("blockSize", draft.block_size);
  if (entry.block_size.value() <= 0)
    fields.error("blockSize", "0", "a size above 0"), entry.block_size = draft.block_size;
  entry.placement = read_placement(fields, draft);
  entry.shuffle = fields.size("shuffle", Mebibytes(0));
  entry.shuffle_ratio = fields.number("shuffleRatio", 0, not_negative);
  job.reduce_tasks = static_cast<std::uint32_t>(fields.integer("reduces", 0, 0, most_tasks));
  entry.cpu_per_reduce = fields.number("cpuPerReduce", 0, work_range);
  if ((entry.shuffle.value() > 0 || entry.shuffle_ratio > 0) && job.reduce_tasks == 0)
    fields.error("reduces", "a shuffle without reduces", "1 or more");
  read_output(fields, entry, draft);
  check_input(fields, entry, draft);
  const double last = to_seconds(job.arrival) + to_seconds(entry.every) * static_cast<double>(entry.count - 1);
  if (last > to_seconds(longest_duration))
    fields.error("every", fmt::format("a last arrival after {:.3g} s", last), allowed_durations);
  fields.finish();
  return entry;
}

// Checks the products of an entry: its tasks and blocks fit into the scenario, and the work and size of each task are
// in range.
bool check_products(YamlMap& fields, const JobEntry& entry, ScenarioDraft& draft) {
  const bool shared = !entry.input.empty();
  const DataSet* read = shared ? &draft.cluster().data_sets[draft.data_sets.at(entry.input)] : nullptr;
  const double own = entry.input_size.value() > 0 ? std::ceil(entry.input_size / entry.block_size) : 0;
  const double maps = entry.tasks > 0 ? static_cast<double>(entry.tasks) : read ? read->blocks : std::max(1.0, own);
  const auto count = static_cast<double>(entry.count);
  if (!room_for_jobs(fields, entry.tasks > 0 ? "tasks" : "", count, maps + entry.job.job.reduce_tasks, draft))
    return false;
  const Mebibytes input = (read ? read->size : entry.input_size) * entry.fraction;
  if (entry.input_size.value() > 0) {
    const Mebibytes block = entry.tasks > 0 ? entry.input_size / maps : entry.block_size;
    if (!room_for_blocks(fields, "inputSize", entry.input_size * count, block, entry.placement, draft)) return false;
  }
  const Mebibytes block =
      read && read->blocks > 0 ? draft.cluster().blocks[read->first_block].size * entry.fraction : input / maps;
  if (const double work = entry.cpu_per_task + entry.cpu_per_mebibyte * block.value(); !work_range.contains(work)) {
    fields.error("", fmt::format("a task of {:.3g} CPU-seconds", work), fmt::format("at most {}", work_range.most));
    return false;
  }
  const Mebibytes shuffle = entry.shuffle + input * entry.shuffle_ratio;
  const Mebibytes output = entry.output_size + input * entry.output_ratio;
  if (shuffle > largest_size) fields.error("shuffleRatio", fmt::format("{:.3g} MiB", shuffle.value()), allowed_sizes);
  if (output > largest_size) fields.error("outputRatio", fmt::format("{:.3g} MiB", output.value()), allowed_sizes);
  if (!entry.output.empty() && output <= largest_size)
    room_for_blocks(fields, "outputSize", output, entry.block_size, entry.placement, draft);
  return draft.errors.messages.empty();
}

void remember_order(const JobEntry& entry, const std::string& name, ScenarioDraft& draft) {
  draft.copies_of[entry.job.job.name].push_back(name);
  std::vector<std::string>& after = draft.after[name];
  for (const std::string& earlier : entry.after)
    after.insert(after.end(), draft.copies_of[earlier].begin(), draft.copies_of[earlier].end());
  if (const auto writer = draft.writer_of.find(entry.input); writer != draft.writer_of.end())
    after.push_back(writer->second);
  if (after.empty()) draft.after.erase(name);
}

void add_jobs(const JobEntry& entry, ScenarioDraft& draft) {
  for (std::int64_t copy = 0; copy < entry.count; ++copy) {
    JobArrived added = entry.job;
    Job& job = added.job;
    if (entry.count > 1) job.name += fmt::format("-{}", copy);
    job.arrival += entry.every * copy;
    if (entry.max_wait) job.due.start_by = job.arrival + *entry.max_wait;
    DataSetId data_set;
    if (!entry.input.empty()) data_set = draft.data_sets.at(entry.input);
    if (entry.input_size.value() > 0) {
      const Mebibytes block_size =
          entry.tasks > 0 ? entry.input_size / static_cast<double>(entry.tasks) : entry.block_size;
      data_set = add_data_set(draft, job.name + "-input", entry.input_size, block_size, entry.placement);
    }
    const DataSet* read = data_set.valid() ? &draft.cluster().data_sets[data_set] : nullptr;
    LIPS_CHECK(read || entry.tasks > 0, "a job without input says how many tasks it has");
    job.map_tasks = static_cast<std::uint32_t>(entry.tasks > 0 ? entry.tasks : read->blocks);
    if (read) job.inputs = {{data_set, entry.fraction}};
    Mebibytes input;
    for (std::uint32_t i = 0; i < job.map_tasks; ++i) {
      Task task;
      task.cpu = CpuSeconds(entry.cpu_per_task);
      if (read) {
        task.block = BlockId(read->first_block.index() + i);
        task.input = draft.cluster().blocks[task.block].size * entry.fraction;
        task.cpu += CpuSeconds(entry.cpu_per_mebibyte * task.input.value());
        input += task.input;
      }
      added.tasks.push_back(task);
    }
    job.shuffle = entry.shuffle + input * entry.shuffle_ratio;
    Task reduce;
    reduce.kind = TaskKind::reduce;
    reduce.cpu = CpuSeconds(entry.cpu_per_reduce);
    reduce.input = job.reduce_tasks > 0 ? job.shuffle / job.reduce_tasks : Mebibytes(0);
    added.tasks.insert(added.tasks.end(), job.reduce_tasks, reduce);
    if (!entry.output.empty()) {
      job.output = add_output(draft, entry.output, entry.output_size + input * entry.output_ratio, entry.block_size);
      draft.writer_of[entry.output] = job.name;
    }
    remember_order(entry, job.name, draft);
    draft.scenario.jobs.push_back(std::move(added));
  }
}

}  // namespace

bool room_for_jobs(YamlMap& fields, std::string_view key, double jobs, double tasks, ScenarioDraft& draft) {
  ScenarioTotals& totals = draft.totals;
  totals.jobs += jobs, totals.tasks += jobs * tasks;
  if (totals.jobs > ScenarioTotals::most_jobs)
    fields.error(key, fmt::format("{:.8g} jobs in all", totals.jobs),
                 fmt::format("at most {}", ScenarioTotals::most_jobs));
  if (totals.tasks > ScenarioTotals::most_tasks)
    fields.error(key, fmt::format("{:.8g} tasks in all", totals.tasks),
                 fmt::format("at most {}; fewer and larger tasks, or less data", ScenarioTotals::most_tasks));
  return totals.jobs <= ScenarioTotals::most_jobs && totals.tasks <= ScenarioTotals::most_tasks;
}

const std::vector<Application>& applications() {
  static const std::vector<Application> table{
      {"Grep", 20.0 / 64}, {"Stress1", 37.0 / 64}, {"Stress2", 75.0 / 64}, {"WordCount", 90.0 / 64}};
  return table;
}

namespace {

Targets read_targets(YamlMap& fields) {
  Targets targets;
  targets.budget_per_day = Usd(fields.amount("budgetPerDay", 0, "USD"));
  targets.mean_wait = fields.duration("meanWait", Duration(0));
  targets.complete_by = fields.time_of_day("completeBy", Duration(0));
  fields.finish();
  return targets;
}

}  // namespace

void read_pools(YamlMap& root, ScenarioDraft& draft) {
  for (YamlMap& fields : root.maps("pools")) {
    Pool pool;
    if (fields.require("name")) pool.name = fields.text("name");
    if (draft.pools.count(pool.name)) fields.error("name", fmt::format("'{}' twice", pool.name), "every name once");
    pool.weight = fields.number("weight", 1, {1e-6, 1e6});
    pool.minimum = Cores(fields.number("minimum", 0, {0, 1e9}));
    pool.maximum = Cores(fields.number("maximum", 0, {0, 1e9}));
    if (pool.maximum.value() > 0 && pool.maximum < pool.minimum)
      fields.error("maximum", fmt::format("{}", pool.maximum.value()),
                   fmt::format("0 (none), or at least the minimum {}", pool.minimum.value()));
    pool.shortfall_price = UsdPerCpuSecond(fields.amount("shortfallPrice", 0, "USD/CPU-s"));
    constexpr std::array rules{to_string(ReclaimRule::never), to_string(ReclaimRule::from_borrowers)};
    pool.reclaim = static_cast<ReclaimRule>(fields.choice("reclaim", rules, 0));
    if (std::optional<YamlMap> targets = fields.map("targets")) pool.targets = read_targets(*targets);
    fields.finish();
    draft.pools[pool.name] = draft.cluster().pools.push_back(pool);
  }
  if (!draft.cluster().pools.empty()) return;
  Pool pool;
  pool.name = "default";
  draft.pools["default"] = draft.cluster().pools.push_back(pool);
}

PoolId pool_named(YamlMap& fields, ScenarioDraft& draft) {
  if (!fields.has("pool")) return PoolId(0);
  const std::string name = fields.text("pool");
  if (const auto known = draft.pools.find(name); known != draft.pools.end()) return known->second;
  std::vector<std::string_view> names;
  for (const auto& [known, id] : draft.pools) names.push_back(known);
  fields.error("pool", '\'' + name + '\'', fmt::format("{}", fmt::join(names, ", ")));
  return PoolId(0);
}

namespace {

void read_job(YamlMap& fields, ScenarioDraft& draft) {
  const JobEntry entry = read_entry(fields, draft);
  if (draft.errors.messages.empty() && check_products(fields, entry, draft)) add_jobs(entry, draft);
}

// Errors of a row name the table and its line.
void read_job_table(YamlMap& root, ScenarioDraft& draft) {
  if (!root.has("jobsFile")) return;
  const std::optional<std::string> text =
      read_data_file(root, "jobsFile", "jobs", "docs/scenarios.md has its columns", draft);
  if (!text) return;
  const std::string table = root.text("jobsFile");
  const Result<std::vector<YamlValue>> rows = parse_job_table(table, *text);
  if (!rows) return draft.errors.add(rows.error().message);
  const std::string scenario = std::exchange(draft.errors.file, table);
  for (const YamlValue& row : *rows) {
    YamlMap fields(row, "", draft.errors);
    read_job(fields, draft);
  }
  draft.errors.file = scenario;
  draft.assume("jobs of the table", fmt::format("{}", rows->size()), table);
}

}  // namespace

void read_jobs(YamlMap& root, ScenarioDraft& draft) {
  for (YamlMap& fields : root.maps("jobs")) read_job(fields, draft);
  read_job_table(root, draft);
}

}  // namespace lips::simulation

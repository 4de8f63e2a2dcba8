#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/explain/explain_move.h"
#include "config/quantities.h"
#include "records/snapshot_file.h"
#include "simulation/scenario_reader.h"

namespace lips::cmd {

namespace {

struct MoveOptions {
  std::string file, job, data_set, from, to, application, size = "64MiB", config_folder;
  OutputFormat format = OutputFormat::text;
  std::string from_price, to_price, intensity;
  std::string transfer = "0.01";
  double cpu = 0;
  std::vector<std::pair<std::string, std::string>> set;
};

// Table I of the LiPS paper, CPU-seconds per 64 MiB.
constexpr std::array<std::pair<std::string_view, double>, 4> applications = {
    {{"Grep", 20}, {"Stress1", 37}, {"Stress2", 75}, {"WordCount", 90}}};

Arguments describe(MoveOptions& options) {
  Arguments arguments("lips explain move",
                      "Calculates whether it pays to move data to a cheaper node (LiPS, Fig. 1). It does when the "
                      "CPU-seconds per MiB times the difference of the prices exceed the cost of the transfer.");
  arguments.operand("FILE",
                    "a scenario, its name, or a snapshot (.json, .json.gz); without FILE, give everything by options",
                    options.file, false);
  arguments.heading("With a file");
  arguments.text("--job", "NAME", "move the data that this job reads", options.job);
  arguments.text("--data-set", "NAME", "move this data set, once for all its readers", options.data_set);
  arguments.text("--from", "NODE", "node beside the data (default: the cheapest node in a zone that has it)",
                 options.from);
  arguments.text("--to", "NODE", "node to compare with (default: the best node of the other zones)", options.to);
  arguments.pairs("--set", "replace fields of the scenario, such as priceReading=ecu", options.set);
  arguments.text("--config-dir", "DIR", "folder of scenarios that come with lips (default: beside the program)",
                 options.config_folder);
  arguments.heading("Without a file");
  arguments.text("--from-price", "X", "USD per CPU-second on the node beside the data", options.from_price);
  arguments.text("--to-price", "X", "USD per CPU-second on the other node", options.to_price);
  arguments.text("--cpu-per-mib", "X", "CPU-seconds per MiB of input", options.intensity);
  arguments.choice("--application", {"Grep", "Stress1", "Stress2", "WordCount"},
                   "instead of --cpu-per-mib: 20, 37, 75 or 90 CPU-seconds per 64 MiB", options.application);
  arguments.number("--cpu", "CPU-seconds that do not depend on the size", options.cpu);
  arguments.text("--size", "SIZE", "size of the data; 0 for a job without input (default 64MiB)", options.size);
  arguments.text("--transfer", "X", "USD per GB between the two nodes, or X/GiB (default 0.01)", options.transfer);
  arguments.heading("Output");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  arguments.example("lips explain move --from-price 4.44e-5 --to-price 0.92e-5 --application Grep --transfer 0.01/GiB",
                    "a block of the paper's Grep, at the prices in the caption of its Table III");
  arguments.example("lips explain move table-iv-iii --job J5-grep --set priceReading=ecu", "a job of a scenario");
  arguments.example("lips explain move cluster.json.gz --data-set data-3",
                    "a data set of a snapshot, with all its readers");
  return arguments;
}

tl::unexpected<Error> wrong(std::string message) { return fail(ErrorCode::invalid_input, std::move(message)); }

Result<double> number(std::string_view name, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (value && *value >= 0) return *value;
  return wrong(text.empty() ? fmt::format("{}: expected a number of at least 0, or a FILE, found nothing", name)
                            : fmt::format("{}: expected a number of at least 0, found '{}'", name, text));
}

// CPU-seconds per MiB from the option or the application; 0 without input.
Result<double> intensity_of(const MoveOptions& options, Mebibytes size) {
  for (const auto& [name, per_block] : applications)
    if (name == options.application) return per_block / 64;
  if (options.intensity.empty() && size.value() == 0) return 0;
  return number("--cpu-per-mib", options.intensity);
}

Result<std::vector<MoveCase>> case_of_options(const MoveOptions& options) {
  const Result<double> here = number("--from-price", options.from_price),
                       there = number("--to-price", options.to_price);
  if (!here) return tl::unexpected(here.error());
  if (!there) return tl::unexpected(there.error());
  const std::optional<Mebibytes> size = parse_size(options.size);
  if (!size) return wrong(fmt::format("--size: expected a size such as 64MiB or 10GB, found '{}'", options.size));
  const bool binary = options.transfer.ends_with("/GiB");
  const Result<double> transfer =
      number("--transfer", binary ? options.transfer.substr(0, options.transfer.size() - 4) : options.transfer);
  if (!transfer) return tl::unexpected(transfer.error());
  const Result<double> intensity = intensity_of(options, *size);
  if (!intensity) return tl::unexpected(intensity.error());
  return std::vector<MoveCase>{
      {fmt::format("{}{:.6g} MiB", options.application.empty() ? "" : options.application + ", ", size->value()),
       "from",
       "to",
       {UsdPerCpuSecond(*here), UsdPerCpuSecond(*there), CpuSecondsPerMebibyte(*intensity), *size,
        binary ? UsdPerMebibyte(*transfer / 1024) : usd_per_gigabyte(*transfer), CpuSeconds(options.cpu)}}};
}

struct ExplainInput {
  ClusterSnapshot cluster;
  CostModel costs;
  std::vector<std::pair<Job, std::vector<Task>>> jobs;
};

Result<ExplainInput> read(const MoveOptions& options) {
  if (options.file.ends_with(".json") || options.file.ends_with(".json.gz")) {
    if (!options.set.empty()) return wrong("--set applies to scenarios only, and FILE is a snapshot");
    Result<SnapshotFile> file = load_snapshot(options.file);
    if (!file) return tl::unexpected(file.error());
    ExplainInput input{std::move(file->cluster), std::move(file->costs), {}};
    for (const JobId id : input.cluster.jobs.ids()) {
      const Job& job = input.cluster.jobs[id];
      std::vector<Task> tasks;
      for (std::uint32_t i = 0; i < job.tasks(); ++i)
        tasks.push_back(input.cluster.tasks[TaskId(job.first_task.index() + i)]);
      input.jobs.emplace_back(job, std::move(tasks));
    }
    return input;
  }
  simulation::ScenarioOptions reading;
  reading.config_folder = options.config_folder;
  reading.set = options.set;
  const Result<std::string> path = simulation::find_scenario(options.file, reading);
  if (!path) return tl::unexpected(path.error());
  Result<simulation::Scenario> scenario = simulation::read_scenario(*path, reading);
  if (!scenario) return tl::unexpected(scenario.error());
  ExplainInput input{std::move(scenario->cluster), std::move(scenario->costs), {}};
  for (JobArrived& arrived : scenario->jobs) input.jobs.emplace_back(std::move(arrived.job), std::move(arrived.tasks));
  return input;
}

// The map tasks of the job, or all tasks that read the data set.
Result<std::vector<ReadingTask>> tasks_of(const MoveOptions& options, const ExplainInput& input) {
  std::vector<ReadingTask> found;
  std::vector<std::string> names;
  bool known = false;
  const bool by_job = !options.job.empty();
  if (by_job)
    for (const auto& [job, tasks] : input.jobs) names.push_back(job.name);
  else
    for (const DataSet& data_set : input.cluster.data_sets) names.push_back(data_set.name);
  const std::string& wanted = by_job ? options.job : options.data_set;
  for (const std::string& name : names) known |= name == wanted;
  if (!known)
    return wrong(
        fmt::format("{}: there is no '{}'{}", by_job ? "--job" : "--data-set", wanted, did_you_mean(wanted, names)));
  for (const auto& [job, tasks] : input.jobs) {
    if (by_job && job.name != wanted) continue;
    for (const Task& task : tasks) {
      if (task.kind != TaskKind::map) continue;
      const bool reads = task.block.valid();
      if (!by_job && (!reads || input.cluster.data_sets[input.cluster.blocks[task.block].data_set].name != wanted))
        continue;
      found.push_back({task.job, job.constraint, task.block, task.cpu, task.input});
    }
  }
  return found;
}

Result<int> explain(const MoveOptions& options) {
  if (options.file.empty()) {
    const auto cases = case_of_options(options);
    if (!cases) return tl::unexpected(cases.error());
    return print(options.format == OutputFormat::json ? move_json(*cases) : move_text(*cases));
  }
  if (options.job.empty() == options.data_set.empty()) return wrong("expected --job or --data-set");
  const Result<ExplainInput> input = read(options);
  if (!input) return tl::unexpected(input.error());
  const Result<std::vector<ReadingTask>> tasks = tasks_of(options, *input);
  if (!tasks) return tl::unexpected(tasks.error());
  const auto cases = move_cases(input->cluster, input->costs, options.job.empty() ? options.data_set : options.job,
                                *tasks, {options.from, options.to});
  if (!cases) return tl::unexpected(cases.error());
  return print(options.format == OutputFormat::json ? move_json(*cases) : move_text(*cases));
}

int explain_move(Words words) {
  MoveOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = explain(options);
  return status ? *status : print_error(status.error());
}

}  // namespace

int run_explain(Words words) {
  static const std::string overview =
      "Explains a decision.\n\nUsage: lips explain move [FILE] [OPTIONS]\n\n"
      "'lips explain move --help' lists the options.\n\n"
      "Examples:\n  lips explain move --from-price 4.44e-5 --to-price 0.92e-5 --application Grep\n"
      "  lips explain move table-iv-iii --job J5-grep\n";
  if (words.empty()) {
    print_error("explain: expected 'move' (try 'lips explain --help')");
    return bad_input;
  }
  if (words.front() == "--help" || words.front() == "-h") return print(overview);
  if (words.front() == "move") return explain_move(words.subspan(1));
  print_error(fmt::format("explain: expected 'move', found '{}' (try 'lips explain --help')", words.front()));
  return bad_input;
}

}  // namespace lips::cmd

#include <fmt/format.h>

#include <optional>
#include <string>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/generate/generated_scenario.h"
#include "config/text_file.h"
#include "records/snapshot_file.h"
#include "simulation/random_snapshot.h"

namespace lips::cmd {

namespace {

// 'lips plan' reads no more; 4 GiB of memory are enough to write it.
constexpr std::uint32_t most_tasks = 10'000'000, most_replicas = 20'000'000;

struct GenerateOptions {
  simulation::SnapshotShape shape;
  std::optional<Duration> horizon;
  std::optional<std::uint64_t> seed;
  std::string output;
};

Arguments describe(GenerateOptions& options) {
  simulation::SnapshotShape& shape = options.shape;
  Arguments arguments(
      "lips generate snapshot",
      "Writes a random snapshot of a cluster: nodes, data, pending jobs. The same options give the same file.");
  arguments.heading("Size");
  arguments.count("--nodes", "number of nodes", shape.nodes, {1, 1'000'000});
  arguments.count("--tasks", "number of tasks: pending maps and blocked reduces", shape.tasks, {0, most_tasks});
  arguments.count("--jobs", "number of jobs; 0: a fiftieth of the tasks", shape.jobs, {0, 1'000'000});
  arguments.count("--classes", "distinct combinations of zone, price and speed; 0: twelve in each zone", shape.classes,
                  {0, 10'000});
  arguments.count("--zones", "number of zones", shape.zones, {1, 64});
  arguments.count("--racks", "racks in each zone", shape.racks_per_zone, {1, 1000});
  arguments.count("--pools", "number of pools", shape.pools, {1, 1000});
  arguments.number("--load",
                   "work of the pending tasks as a share of what the cluster does within --horizon; 0: 10 to 120 "
                   "CPU-seconds for each task",
                   shape.load);
  arguments.duration("--horizon", "time that --load refers to (default 600s)", options.horizon);
  arguments.seed("--seed", "seed of everything random (default 1)", options.seed);
  arguments.heading("Data");
  arguments.count("--replicas", "replicas of each block, in directories of nodes", shape.replicas, {1, 100});
  arguments.count("--zones-per-block", "zones that these replicas lie in", shape.zones_per_block, {1, 64});
  arguments.number("--skew", "skew of the zones: zone k is drawn in proportion to (k + 1)^-X", shape.skew);
  arguments.heading("What binds");
  arguments.flag("--memory", "draw memory requests that can bind", shape.memory);
  arguments.number("--selectors", "share of jobs with node selectors; also taints a tenth of the classes",
                   shape.share_of_jobs_with_selectors);
  arguments.number("--sharing", "share of jobs that read data of other jobs", shape.share_of_jobs_sharing_data);
  arguments.number("--shuffle", "share of jobs with reduce tasks", shape.share_of_jobs_with_shuffle);
  arguments.number("--without-input", "share of jobs that read nothing", shape.share_of_jobs_without_input);
  arguments.count("--expected", "jobs that are announced and have not come", shape.announcements, {0, 100'000});
  arguments.number("--busy", "share of slots that are busy", shape.busy);
  arguments.heading("Adversarial");
  arguments.flag("--nothing-fits", "every task requests more than any node has", shape.nothing_fits);
  arguments.flag("--free-of-charge", "make every price 0", shape.free_of_charge);
  arguments.flag("--equal-prices", "let nodes differ only in size and place", shape.equal_prices);
  arguments.flag("--uneven-transfer", "draw a transfer price for each pair of zones and each direction",
                 shape.uneven_transfer);
  arguments.heading("Output");
  arguments.text("--output", "FILE", "file to write; compressed if its name ends in .gz (default: stdout)",
                 options.output);
  arguments.example("lips generate snapshot --nodes 1000 --tasks 10000 --classes 60 --output cluster.json.gz",
                    "then: lips plan cluster.json.gz");
  arguments.example("lips generate snapshot --nodes 50 --tasks 400 --sharing 0.3 --memory --seed 7",
                    "shared data, and memory that binds");
  return arguments;
}

Result<void> check_shape(const simulation::SnapshotShape& shape) {
  const std::pair<const char*, double> shares[] = {{"--selectors", shape.share_of_jobs_with_selectors},
                                                   {"--sharing", shape.share_of_jobs_sharing_data},
                                                   {"--shuffle", shape.share_of_jobs_with_shuffle},
                                                   {"--without-input", shape.share_of_jobs_without_input},
                                                   {"--busy", shape.busy}};
  for (const auto& [name, share] : shares)
    if (share > 1)
      return fail(ErrorCode::invalid_input, fmt::format("{}: expected a share from 0 to 1, found {}", name, share));
  if (shape.zones > shape.nodes)
    return fail(ErrorCode::invalid_input, fmt::format("--zones: expected at most as many zones as nodes ({}), found {}",
                                                      shape.nodes, shape.zones));
  const std::pair<const char*, double> factors[] = {{"--load", shape.load}, {"--skew", shape.skew}};
  for (const auto& [name, factor] : factors)
    if (factor > 100)
      return fail(ErrorCode::invalid_input, fmt::format("{}: expected a number from 0 to 100, found {}", name, factor));
  if (std::uint64_t{shape.tasks} * shape.replicas > most_replicas)
    return fail(ErrorCode::invalid_input, fmt::format("--tasks: expected at most {} with --replicas {}, found {}",
                                                      most_replicas / shape.replicas, shape.replicas, shape.tasks));
  return {};
}

int generate_snapshot(Words words) {
  GenerateOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  options.shape.horizon = options.horizon.value_or(options.shape.horizon);
  options.shape.seed = options.seed.value_or(options.shape.seed);
  if (auto sound = check_shape(options.shape); !sound) return print_error(sound.error());
  const ClusterState state = simulation::random_cluster(options.shape);
  const CostModel costs = simulation::random_costs(options.shape);
  if (options.output.empty()) return print(write_snapshot(state.snapshot(), costs));
  const Result<void> saved = save_snapshot(options.output, state.snapshot(), costs);
  return saved ? done : print_error(saved.error());
}

}  // namespace

int run_generate(Words words) {
  static const std::string overview =
      "Writes a random snapshot or scenario of a given size and shape.\n\n"
      "Usage: lips generate snapshot [OPTIONS]\n       lips generate scenario [OPTIONS]\n\n"
      "'lips generate snapshot --help' and 'lips generate scenario --help' list the options.\n"
      "'lips plan' reads a snapshot, 'lips simulate' a scenario.\n\n"
      "Examples:\n  lips generate snapshot --nodes 1000 --tasks 10000 --output cluster.json.gz\n"
      "  lips generate scenario --nodes 100 --jobs 500 --load 0.7 --output day.yaml\n";
  if (words.empty()) {
    print_error("generate: expected snapshot or scenario (try 'lips generate --help')");
    return bad_input;
  }
  if (words.front() == "--help" || words.front() == "-h") return print(overview);
  if (words.front() == "snapshot") return generate_snapshot(words.subspan(1));
  if (words.front() == "scenario") return generate_scenario(words.subspan(1));
  print_error(fmt::format("generate: expected snapshot or scenario, found '{}'{} (try 'lips generate --help')",
                          words.front(),
                          did_you_mean(words.front(), std::vector<std::string>{"snapshot", "scenario"})));
  return bad_input;
}

}  // namespace lips::cmd

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
      "Writes a random cluster at one moment: nodes, data, pending jobs. Equal options give equal files.");
  arguments.heading("Size");
  arguments.count("--nodes", "nodes", shape.nodes, 1);
  arguments.count("--tasks", "pending map and blocked reduce tasks", shape.tasks);
  arguments.count("--jobs", "jobs; 0: a fiftieth of the tasks", shape.jobs);
  arguments.count("--classes", "distinct zone x price x speed; 0: twelve a zone", shape.classes);
  arguments.count("--zones", "zones", shape.zones, 1);
  arguments.count("--racks", "racks a zone", shape.racks_per_zone, 1);
  arguments.count("--pools", "pools", shape.pools, 1);
  arguments.number(
      "--load", "work of the pending tasks over what the cluster does in --horizon; 0: leave 10-120 CPU-seconds a task",
      shape.load);
  arguments.duration("--horizon", "the time that --load means (default 600s)", options.horizon);
  arguments.seed("--seed", "of all that is drawn (default 1)", options.seed);
  arguments.heading("Data");
  arguments.count("--replicas", "replicas of a block, on nodes' own directories", shape.replicas, 1);
  arguments.count("--zones-per-block", "zones that these lie in", shape.zones_per_block, 1);
  arguments.number("--skew", "zone k of z is chosen in proportion to (k + 1)^-skew", shape.skew);
  arguments.heading("What binds");
  arguments.flag("--memory", "memory requests that can bind", shape.memory);
  arguments.number("--selectors", "share of the jobs with node selectors; taints a tenth of the classes too",
                   shape.share_of_jobs_with_selectors);
  arguments.number("--sharing", "share of the jobs that read data of others", shape.share_of_jobs_sharing_data);
  arguments.number("--shuffle", "share of the jobs with reduce tasks", shape.share_of_jobs_with_shuffle);
  arguments.number("--without-input", "share of the jobs that read nothing", shape.share_of_jobs_without_input);
  arguments.number("--busy", "share of the slots that run something already", shape.busy);
  arguments.heading("Adversarial");
  arguments.flag("--nothing-fits", "each task asks for more than any node has", shape.nothing_fits);
  arguments.flag("--free-of-charge", "every price is 0", shape.free_of_charge);
  arguments.flag("--equal-prices", "nodes differ in size and place only", shape.equal_prices);
  arguments.flag("--uneven-transfer", "another transfer price for each pair of zones and direction",
                 shape.uneven_transfer);
  arguments.heading("Output");
  arguments.text("--output", "FILE", "where to write; compressed when it ends in .gz (default: stdout)",
                 options.output);
  arguments.example("lips generate snapshot --nodes 1000 --tasks 10000 --classes 60 --output cluster.json.gz",
                    "then: lips plan cluster.json.gz");
  arguments.example("lips generate snapshot --nodes 50 --tasks 400 --sharing 0.3 --memory --seed 7",
                    "shared data and memory that binds");
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
      return fail(ErrorCode::invalid_input, fmt::format("{}: found {}, allowed is a share from 0 to 1", name, share));
  if (shape.zones > 64)
    return fail(ErrorCode::invalid_input, fmt::format("--zones: found {}, allowed is 1 to 64", shape.zones));
  if (shape.zones > shape.nodes)
    return fail(
        ErrorCode::invalid_input,
        fmt::format("--zones: found {} zones, allowed is at most as many as nodes ({})", shape.zones, shape.nodes));
  return {};
}

int generate_snapshot(Words words) {
  GenerateOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return end_with(parsed.error());
  if (arguments.help_asked()) return print(arguments.help());
  options.shape.horizon = options.horizon.value_or(options.shape.horizon);
  options.shape.seed = options.seed.value_or(options.shape.seed);
  if (auto sound = check_shape(options.shape); !sound) return end_with(sound.error());
  const ClusterState state = simulation::random_cluster(options.shape);
  const CostModel costs = simulation::random_costs(options.shape);
  if (options.output.empty()) return print(write_snapshot(state.snapshot(), costs));
  const Result<void> saved = save_snapshot(options.output, state.snapshot(), costs);
  return saved ? done : end_with(saved.error());
}

}  // namespace

int run_generate(Words words) {
  static const std::string overview =
      "Writes a random snapshot or scenario of a stated size and shape.\n\n"
      "Usage: lips generate snapshot [OPTIONS]\n       lips generate scenario [OPTIONS]\n\n"
      "'lips generate snapshot --help' and 'lips generate scenario --help' list the options.\n"
      "A snapshot is for 'lips plan', a scenario for 'lips simulate'.\n\n"
      "Examples:\n  lips generate snapshot --nodes 1000 --tasks 10000 --output cluster.json.gz\n"
      "  lips generate scenario --nodes 100 --jobs 500 --load 0.7 --output day.yaml\n";
  if (words.empty()) {
    complain("generate: found nothing, allowed is snapshot or scenario ('lips generate --help' says more)");
    return bad_input;
  }
  if (words.front() == "--help" || words.front() == "-h") return print(overview);
  if (words.front() == "snapshot") return generate_snapshot(words.subspan(1));
  if (words.front() == "scenario") return generate_scenario(words.subspan(1));
  complain(fmt::format("generate: found '{}', allowed is snapshot or scenario{} ('lips generate --help' says more)",
                       words.front(), did_you_mean(words.front(), std::vector<std::string>{"snapshot", "scenario"})));
  return bad_input;
}

}  // namespace lips::cmd

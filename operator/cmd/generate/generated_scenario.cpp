#include "cmd/generate/generated_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "cmd/cli/arguments.h"
#include "config/price_sheet.h"
#include "config/text_file.h"
#include "simulation/scenario_reader.h"

namespace lips::cmd {

namespace {

struct ScenarioShape {
  std::uint32_t nodes = 100, zones = 3, racks_per_zone = 2, instance_types = 6, jobs = 400, pools = 3, most_tasks = 0;
  double load = 0.8, spot_share = 0.4;
  bool mixed_sizes = false, memory = false;
  double share_of_jobs_with_gpus = 0;
  std::string placement = "twoZones", output, name = "generated";
  std::vector<std::string> policies;
  std::optional<std::uint64_t> seed;
};

// Current types of the price sheet, cheap and expensive in turn.
constexpr std::array<std::string_view, 12> instance_types{"m7g.2xlarge", "m6i.2xlarge", "c7g.2xlarge", "c6i.2xlarge",
                                                          "r6i.2xlarge", "m5a.2xlarge", "m5.2xlarge",  "c5.2xlarge",
                                                          "r5.2xlarge",  "m7i.2xlarge", "r7g.2xlarge", "m6g.2xlarge"};

Arguments describe(ScenarioShape& shape) {
  Arguments arguments("lips generate scenario",
                      "Writes a scenario for 'lips simulate': nodes of current instance types at current prices, and a "
                      "day of jobs drawn from the distributions of a Facebook trace.");
  arguments.heading("Size and shape");
  arguments.count("--nodes", "number of nodes", shape.nodes, {1, 1'000'000});
  arguments.count("--zones", "number of zones", shape.zones, {1, 64});
  arguments.count("--racks", "racks in each zone", shape.racks_per_zone, {1, 1000});
  arguments.count("--instance-types", "number of instance types", shape.instance_types, {1, instance_types.size()});
  arguments.number("--spot-share", "share of nodes that are spot", shape.spot_share);
  arguments.count("--jobs", "number of jobs in the day", shape.jobs, {1, 200'000});
  arguments.count("--most-tasks", "most map tasks of a job; 0: twenty times the mean", shape.most_tasks,
                  {0, 10'000'000});
  arguments.count("--pools", "number of pools; their weights are N : ... : 2 : 1", shape.pools, {1, 1000});
  arguments.number("--load", "CPU work as a share of what the cluster could do in the day", shape.load);
  arguments.flag("--mixed-sizes", "draw the cores of a job's tasks, 0.25 to 8 (default: 1)", shape.mixed_sizes);
  arguments.flag("--memory", "draw memory requests that can bind", shape.memory);
  arguments.number("--gpus", "share of jobs whose tasks ask for a GPU, and nodes that have one",
                   shape.share_of_jobs_with_gpus);
  arguments.choice("--placement",
                   {"oneReplica", "oneZone", "twoZones", "hotZone", "skewedTwoZones", "hdfs", "rs-6-3", "rs-10-4"},
                   "where replicas of blocks lie (default twoZones)", shape.placement);
  arguments.seed("--seed", "seed of everything random (default 1)", shape.seed);
  arguments.texts("--policy", "A,B,...",
                  "policies that 'lips simulate' runs (default lips,delay,hadoop-default,own-zone-cheapest)",
                  shape.policies);
  arguments.heading("Output");
  arguments.text("--name", "NAME", "name of the scenario (default generated)", shape.name);
  arguments.text("--output", "FILE", "file to write (default: stdout)", shape.output);
  arguments.example("lips generate scenario --nodes 40 --jobs 200 --load 0.6 --output day.yaml",
                    "then: lips simulate day.yaml");
  arguments.example("lips generate scenario --mixed-sizes --memory --gpus 0.1 --output mixed.yaml",
                    "each job with its own cores and memory, a tenth of them with GPUs");
  return arguments;
}

Result<void> check_shape(const ScenarioShape& shape) {
  const auto wrong = [](const char* option, auto found, std::string allowed) -> Result<void> {
    return fail(ErrorCode::invalid_input, fmt::format("{}: expected {}, found {}", option, allowed, found));
  };
  if (shape.zones > shape.nodes) return wrong("--zones", shape.zones, "at most as many as nodes");
  if (shape.instance_types > shape.nodes)
    return wrong("--instance-types", shape.instance_types, "at most as many as nodes");
  if (shape.spot_share > 1) return wrong("--spot-share", shape.spot_share, "a share from 0 to 1");
  if (shape.share_of_jobs_with_gpus > 1) return wrong("--gpus", shape.share_of_jobs_with_gpus, "a share from 0 to 1");
  if (shape.share_of_jobs_with_gpus > 0 && shape.nodes <= shape.instance_types)
    return wrong("--gpus", fmt::format("{} nodes of {} types", shape.nodes, shape.instance_types),
                 "more nodes than --instance-types, so that some can have GPUs");
  if (shape.load <= 0 || shape.load > 100) return wrong("--load", shape.load, "above 0 and at most 100");
  if (shape.name.find_first_of(":#\"'\n{}[]") != std::string::npos)
    return wrong("--name", shape.name, "letters, digits, spaces and dashes");
  return check_policies(shape.policies);
}

constexpr double cores_of_a_node = 8;  // of every type above

// A block takes about 100 CPU-seconds (Table I of the LiPS paper). Blocks double until the day has at most four
// million: 'lips simulate' takes ten million tasks and twenty million replicas, and the draw can be several times the
// mean.
struct Blocks {
  int mebibytes = 128;
  double tasks = 0;
};

Blocks blocks_of(const ScenarioShape& shape) {
  Blocks blocks;
  blocks.tasks = shape.load * 86400 * cores_of_a_node * shape.nodes / 100;
  while (blocks.tasks > 4e6) blocks.mebibytes *= 2, blocks.tasks /= 2;
  return blocks;
}

std::uint32_t twenty_mean_jobs(const ScenarioShape& shape) {
  return static_cast<std::uint32_t>(std::clamp(20 * blocks_of(shape).tasks / shape.jobs, 10.0, 1e7));
}

// A GPU task has four cores and a node one GPU, so these are busy for some 70 % of the day.
std::uint32_t nodes_with_gpus(const ScenarioShape& shape) {
  if (shape.share_of_jobs_with_gpus <= 0) return 0;
  const double wanted = std::ceil(shape.nodes * shape.share_of_jobs_with_gpus * shape.load * cores_of_a_node / 4 / 0.7);
  return static_cast<std::uint32_t>(std::clamp(wanted, 1.0, double{1} * (shape.nodes - shape.instance_types)));
}

// Small tasks are many. The first type, which every scenario has, holds the largest.
std::string sizes(const ScenarioShape& shape) {
  if (!shape.mixed_sizes && !shape.memory && shape.share_of_jobs_with_gpus <= 0) return "";
  static constexpr std::array<std::pair<double, int>, 6> mixed{{{0.25, 4}, {0.5, 6}, {1, 8}, {2, 5}, {4, 3}, {8, 1}}};
  std::string text;
  const auto add = [&](double weight, double cores, double gibibytes, const char* more) {
    text += fmt::format("    - {{weight: {:.4g}, cores: {}", weight, cores);
    if (shape.memory) text += fmt::format(", memory: {}Mi", std::min(32.0, gibibytes) * 1024);
    text += fmt::format("{}}}\n", more);
  };
  const double plain = 1 - shape.share_of_jobs_with_gpus;
  for (const auto& [cores, weight] : mixed) {
    if (plain <= 0 || (!shape.mixed_sizes && cores != 1)) continue;
    const double share = plain * (shape.mixed_sizes ? weight / 27.0 : 1);
    if (shape.memory) add(share / 2, cores, 6 * cores, "");
    add(shape.memory ? share / 2 : share, cores, cores, "");
  }
  if (plain < 1) add(1 - plain, 4, 24, ", extended: {nvidia.com/gpu: 1}");
  return "  sizes:\n" + text;
}

std::string yaml(const ScenarioShape& shape) {
  std::string out = fmt::format(
      "name: {}\ndescription: {} nodes of {} instance types in {} zones, {} synthetic jobs in a day, load {}.\nseed: "
      "{}\nload: {}\n",
      shape.name, shape.nodes, shape.instance_types, shape.zones, shape.jobs, shape.load, shape.seed.value_or(1),
      shape.load);
  out += "prices: {region: us-east-1}\nzones:\n";
  for (std::uint32_t zone = 0; zone < shape.zones; ++zone) out += fmt::format("  - us-east-1-z{:02}\n", zone + 1);
  out += fmt::format("racksPerZone: {}\nnodes:\n", shape.racks_per_zone);
  const std::uint32_t gpus = nodes_with_gpus(shape), plain = shape.nodes - gpus;
  for (std::uint32_t type = 0; type < shape.instance_types; ++type) {
    const std::string_view instance = instance_types[type];
    const std::uint32_t count = plain / shape.instance_types + (type < plain % shape.instance_types ? 1 : 0);
    out += fmt::format("  - {{name: {}, count: {}, instanceType: {}, spotShare: {}}}\n",
                       instance.substr(0, instance.find('.')), count, instance, shape.spot_share);
  }
  if (gpus > 0)
    out += fmt::format(
        "  - {{name: g5, count: {}, instanceType: g5.2xlarge, spotShare: {}, extended: {{nvidia.com/gpu: 1}}}}\n", gpus,
        shape.spot_share);
  out += "pools:\n";
  for (std::uint32_t pool = 0; pool < shape.pools; ++pool)
    out += fmt::format("  - {{name: pool-{}, weight: {}}}\n", pool + 1, shape.pools - pool);
  out += fmt::format(
      "network: {{nodeLink: 3Gbit/s, zoneStream: 1Gbit/s, remoteStream: 500Mbit/s}}\nblockSize: {}Mi\n"
      "placement: {}\nsynthetic:\n  jobs: {}\n  maxTasks: {}\n",
      blocks_of(shape).mebibytes, shape.placement, shape.jobs,
      shape.most_tasks > 0 ? shape.most_tasks : twenty_mean_jobs(shape));
  out += sizes(shape);
  std::vector<std::string> policies = shape.policies;
  if (policies.empty()) policies = {"lips", "delay", "hadoop-default", "own-zone-cheapest"};
  out += fmt::format("policies: [{}]\n", fmt::join(policies, ", "));
  return out;
}

// Few jobs may not reach the load, and many may exceed it: only the reader knows. Without prices it cannot tell.
Result<void> check_text(const std::string& text) {
  if (!find_config_folder()) return {};
  const Result<simulation::Scenario> read = simulation::parse_scenario("the scenario", text);
  if (read) return {};
  return fail(ErrorCode::invalid_input,
              fmt::format("found options whose scenario 'lips simulate' refuses; allowed: others, by its reasons:\n{}",
                          read.error().message));
}

}  // namespace

int generate_scenario(Words words) {
  ScenarioShape shape;
  Arguments arguments = describe(shape);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  if (auto sound = check_shape(shape); !sound) return print_error(sound.error());
  const std::string text = yaml(shape);
  if (auto readable = check_text(text); !readable) return print_error(readable.error());
  if (shape.output.empty()) return print(text);
  const Result<void> written = write_text_file(shape.output, text);
  return written ? done : print_error(written.error());
}

}  // namespace lips::cmd

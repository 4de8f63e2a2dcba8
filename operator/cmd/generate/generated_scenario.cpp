#include "cmd/generate/generated_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cmd/cli/arguments.h"
#include "config/text_file.h"

namespace lips::cmd {

namespace {

struct ScenarioShape {
  std::uint32_t nodes = 100, zones = 3, racks_per_zone = 2, instance_types = 6, jobs = 400, pools = 3, most_tasks = 0;
  double load = 0.8, spot_share = 0.4;
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
  if (shape.load <= 0 || shape.load > 100) return wrong("--load", shape.load, "above 0 and at most 100");
  if (shape.name.find_first_of(":#\"'\n{}[]") != std::string::npos)
    return wrong("--name", shape.name, "letters, digits, spaces and dashes");
  return check_policies(shape.policies);
}

// A block takes about 100 CPU-seconds (Table I of the LiPS paper) and a node of these types has 8 cores.
std::uint32_t twenty_mean_jobs(const ScenarioShape& shape) {
  const double tasks = shape.load * 86400 * 8 * shape.nodes / 100;
  return static_cast<std::uint32_t>(std::clamp(20 * tasks / shape.jobs, 10.0, 1e7));
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
  for (std::uint32_t type = 0; type < shape.instance_types; ++type) {
    const std::string_view instance = instance_types[type];
    const std::uint32_t count =
        shape.nodes / shape.instance_types + (type < shape.nodes % shape.instance_types ? 1 : 0);
    out += fmt::format("  - {{name: {}, count: {}, instanceType: {}, spotShare: {}}}\n",
                       instance.substr(0, instance.find('.')), count, instance, shape.spot_share);
  }
  out += "pools:\n";
  for (std::uint32_t pool = 0; pool < shape.pools; ++pool)
    out += fmt::format("  - {{name: pool-{}, weight: {}}}\n", pool + 1, shape.pools - pool);
  out += fmt::format(
      "network: {{nodeLink: 3Gbit/s, zoneStream: 1Gbit/s, remoteStream: 500Mbit/s}}\nblockSize: 128Mi\nplacement: "
      "{}\nsynthetic: {{jobs: {}",
      shape.placement, shape.jobs);
  out += fmt::format(", maxTasks: {}", shape.most_tasks > 0 ? shape.most_tasks : twenty_mean_jobs(shape));
  std::vector<std::string> policies = shape.policies;
  if (policies.empty()) policies = {"lips", "delay", "hadoop-default", "own-zone-cheapest"};
  out += fmt::format("}}\npolicies: [{}]\n", fmt::join(policies, ", "));
  return out;
}

}  // namespace

int generate_scenario(Words words) {
  ScenarioShape shape;
  Arguments arguments = describe(shape);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  if (auto sound = check_shape(shape); !sound) return print_error(sound.error());
  if (shape.output.empty()) return print(yaml(shape));
  const Result<void> written = write_text_file(shape.output, yaml(shape));
  return written ? done : print_error(written.error());
}

}  // namespace lips::cmd

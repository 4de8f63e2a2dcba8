#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/cli/simulation_runs.h"
#include "cmd/commands.h"
#include "policies/registry/registry.h"
#include "version.h"
#include "virtual/run_alone.h"
#include "virtual/run_through.h"

namespace lips::cmd {

namespace {

std::string overview() {
  std::string out =
      "lips schedules the tasks and data of data-intensive jobs together, for the fewest dollars (LiPS, HiPC 2013).\n\n"
      "Usage: lips COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : commands()) out += fmt::format("  {:<10} {}\n", command.name, command.summary);
  out +=
      "\nOptions:\n"
      "  -h, --help  show this text; 'lips COMMAND --help' shows the options of a command\n"
      "  --version   show the versions of lips and of its libraries\n"
      "\nExamples:\n"
      "  lips simulate quickstart\n"
      "      run a scenario that comes with lips\n"
      "  lips simulate my-cluster.yaml --policy lips,delay,hadoop-default --report report.html\n"
      "      compare three policies on your own scenario, and write a report page\n"
      "  lips generate snapshot --nodes 1000 --tasks 10000 --output cluster.json.gz\n"
      "  lips plan cluster.json.gz\n"
      "      make one plan, with its certified lower bound\n"
      "  kubectl lips why etl-17 -n batch\n"
      "      ask the operator of your cluster why a pod waits, and what would start it\n"
      "\nExit status: 0 done, 1 failed, 2 bad input or usage, 130 after Ctrl-C (finished results are printed).\n";
  return out;
}

std::string versions() {
  return fmt::format("lips {}{}\nbuilt with {}, CLP {}, fmt {}.{}.{}, nlohmann-json {}.{}.{}\n", version,
                     revision.empty() ? "" : fmt::format(" ({})", revision), LIPS_COMPILER, LIPS_CLP_VERSION,
                     FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
                     NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
}

int dispatch(Words words) {
  if (words.empty()) {
    print_error("expected a command");
    fmt::print(stderr, "\n{}", overview());
    return bad_input;
  }
  const std::string& name = words.front();
  if (name == "--version" || name == "-V" || name == "version") return print(versions());
  if (name == "--help" || name == "-h") return print(overview());
  if (name == "help" && words.size() == 1) return print(overview());
  const bool help = name == "help";
  const std::string& wanted = help ? words[1] : name;
  const std::vector<std::string> asks_for_help{"--help"};
  for (const Command& command : commands())
    if (command.name == wanted) return command.run(help ? Words(asks_for_help) : words.subspan(1));
  std::vector<std::string> names{"help", "--help", "--version"};
  for (const Command& command : commands()) names.emplace_back(command.name);
  print_error(fmt::format("unknown command '{}'{} ('lips --help' lists them)", wanted, did_you_mean(wanted, names)));
  return bad_input;
}

}  // namespace

int run_policies(Words words) {
  Arguments arguments("lips policies", "Lists the policies that simulate, plan and the operator can run.");
  OutputFormat format = OutputFormat::text;
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format", format);
  arguments.example("lips policies", "list names and what each does");
  arguments.example("lips policies --format json", "list them for a program");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  if (format == OutputFormat::json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const PolicyEntry& entry : policy_registry())
      list.push_back({{"name", entry.name}, {"summary", entry.summary}});
    return print(list.dump(2) + "\n");
  }
  std::string out;
  for (const PolicyEntry& entry : policy_registry()) out += fmt::format("{:<20} {}\n", entry.name, entry.summary);
  return print(out);
}

}  // namespace lips::cmd

namespace {

lips::Result<lips::simulation::RunResult> through_kubernetes(const lips::simulation::Scenario& scenario,
                                                             const lips::Policy& policy, const std::string& name,
                                                             lips::PodMode mode,
                                                             const lips::simulation::RunOptions& options) {
  lips::virtual_cluster::ThroughOptions through;
  through.cluster.mode = mode;
  if (const auto scoring = lips::virtual_cluster::scoring_of(name)) through.cluster.scheduler.scoring = *scoring;
  through.stop = options.stop, through.progress = options.progress, through.stopwatch = options.stopwatch;
  return lips::virtual_cluster::run_through_kubernetes(scenario, policy, name, through);
}

}  // namespace

int main(int count, char** words) {
  lips::cmd::virtual_runs() = {through_kubernetes, lips::virtual_cluster::run_alone};
  const std::vector<std::string> all(words + std::min(count, 1), words + count);
  const lips::Result<int> status = lips::cmd::guarded([&]() -> lips::Result<int> { return lips::cmd::dispatch(all); });
  return status ? *status : lips::cmd::print_error(status.error());
}

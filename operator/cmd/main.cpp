#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "policies/registry/registry.h"
#include "version.h"

namespace lips::cmd {

namespace {

struct Command {
  std::string_view name, summary;
  int (*run)(Words words);
};

constexpr auto commands = std::to_array<Command>({
    {"operator", "place the pods and data of a Kubernetes cluster, or of a simulated one, until it is stopped",
     run_operator},
    {"simulate", "run policies on a scenario and compare their dollars, times, locality and fairness", run_simulate},
    {"plan", "one decision for one snapshot of a cluster: cost, lower bound, what runs, moves and waits", run_plan},
    {"replay", "make the plans of an operator's journal again, bit for bit", run_replay},
    {"generate", "write a random snapshot or scenario of a stated size and shape", run_generate},
    {"policies", "list the policies", run_policies},
    {"explain", "why: whether it pays to move data to a cheaper node", run_explain},
    {"experiment", "run the experiments of published papers again: claimed beside measured", run_experiment},
    {"encode", "cut a file into native and parity blocks of an erasure-coded data set", run_encode},
    {"decode", "write a lost block from others of its stripe", run_decode},
});

std::string overview() {
  std::string out =
      "lips co-schedules data and tasks of data-intensive jobs for least dollar cost (LiPS, HiPC 2013).\n\n"
      "Usage: lips COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : commands) out += fmt::format("  {:<10} {}\n", command.name, command.summary);
  out +=
      "\nOptions:\n"
      "  -h, --help  this text; 'lips COMMAND --help' says more\n"
      "  --version   the version of lips and of what it is built from\n"
      "\nExamples:\n"
      "  lips simulate quickstart\n"
      "      a shipped scenario, by name\n"
      "  lips simulate my-cluster.yaml --policy lips,delay,hadoop-default --report report.html\n"
      "      three policies on a scenario of your own, with a report page\n"
      "  lips generate snapshot --nodes 1000 --tasks 10000 --output cluster.json.gz\n"
      "  lips plan cluster.json.gz\n"
      "      one decision, with its certified lower bound\n"
      "\nExit status: 0 done, 1 failed, 2 bad input or usage, 130 after Ctrl-C (what is finished is printed).\n";
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
    complain("a command is missing");
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
  for (const Command& command : commands)
    if (command.name == wanted) return command.run(help ? Words(asks_for_help) : words.subspan(1));
  std::vector<std::string> names{"help", "--help", "--version"};
  for (const Command& command : commands) names.emplace_back(command.name);
  complain(fmt::format("there is no command '{}'{} ('lips --help' lists them)", wanted, did_you_mean(wanted, names)));
  return bad_input;
}

}  // namespace

int run_policies(Words words) {
  Arguments arguments("lips policies", "Lists the policies that simulate, plan and the operator know.");
  std::string format = "text";
  arguments.choice("--format", {"text", "json"}, "how to print", format);
  arguments.example("lips policies", "names, and what each does");
  arguments.example("lips policies --format json", "the same for a program");
  if (auto parsed = arguments.parse(words); !parsed) return end_with(parsed.error());
  if (arguments.help_asked()) return print(arguments.help());
  if (format == "json") {
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

int main(int count, char** words) {
  const std::vector<std::string> all(words + std::min(count, 1), words + count);
  return lips::cmd::dispatch(all);
}

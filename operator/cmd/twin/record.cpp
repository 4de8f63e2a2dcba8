#include <fmt/format.h>

#include <string>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/reading_line.h"
#include "cmd/twin/cut.h"
#include "cmd/twin/twin_result.h"
#include "config/text_file.h"
#include "twin/recorded_scenario.h"
#include "twin/scenario_file.h"

namespace lips::cmd {

namespace {

constexpr const char* journal_help =
    "folder of the journal (journal.directory of the operator's configuration), or one of its files";

struct CutOptions {
  std::string journal, from, to, output, names = "kept";
  bool no_progress = false;
};

Arguments describe(CutOptions& options) {
  Arguments arguments("lips record cut", "Writes some epochs of an operator's journal as a journal of their own.");
  arguments.operand("JOURNAL", journal_help, options.journal);
  arguments.text("--from", "TIME|N",
                 "the first: an epoch, a time since the first record (90m), or a time (2026-01-31T12:00:00Z)",
                 options.from);
  arguments.text("--to", "TIME|N", "the last (default: the last one of the journal)", options.to);
  arguments.choice("--names", {"kept", "replaced"},
                   "replaced: other names for jobs, pools, data sets, nodes, stores and racks (docs/journal.md)",
                   options.names);
  arguments.heading("Output");
  arguments.text("--output", "FILE", "file to write, which ends in .zst, or a new folder", options.output);
  arguments.flag("--no-progress", "show no progress on the terminal", options.no_progress);
  arguments.example("lips record cut /var/lib/lips/journal --from 410 --to 420 --output incident.zst",
                    "eleven epochs, for a report");
  arguments.example(
      "lips record cut /var/lib/lips/journal --from 2026-01-31T12:00:00Z --names replaced --output given-away",
      "all since noon, without your names");
  return arguments;
}

Result<int> cut(const CutOptions& options) {
  if (options.output.empty())
    return fail(ErrorCode::invalid_input,
                "--output: expected a file that ends in .zst, or a new folder, found nothing");
  Cut wanted{options.journal, options.output, {}, {}, options.names == "replaced", reading_line(!options.no_progress)};
  const auto read = [](const char* name, const std::string& text, std::optional<CutPoint>& point) -> Result<void> {
    if (text.empty()) return {};
    const Result<CutPoint> parsed = parse_cut_point(name, text);
    if (!parsed) return tl::unexpected(parsed.error());
    point = *parsed;
    return {};
  };
  if (Result<void> from = read("--from", options.from, wanted.from); !from) return tl::unexpected(from.error());
  if (Result<void> to = read("--to", options.to, wanted.to); !to) return tl::unexpected(to.error());
  watch_for_interrupt();
  const Result<CutDone> made = cut_journal(wanted);
  if (!made) return tl::unexpected(made.error());
  std::string out =
      fmt::format("{}: {} records, epochs {} to {}\n", options.output, made->records, made->first, made->last);
  if (made->without_digest > 0)
    out += fmt::format("{} of their plans are not made again by this program, and cannot be compared any more\n",
                       made->without_digest);
  if (!made->cut_off.empty()) out += made->cut_off + "\n";
  return print(out);
}

int run_cut(Words words) {
  CutOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = cut(options);
  return status ? *status : print_error(status.error());
}

struct ScenarioOptions {
  std::string journal, output;
  bool no_progress = false;
};

Arguments describe(ScenarioOptions& options) {
  Arguments arguments("lips record scenario",
                      "Writes what an operator's journal has seen as a scenario for 'lips simulate', and says what it "
                      "does not know.");
  arguments.operand("JOURNAL", journal_help, options.journal);
  arguments.heading("Output");
  arguments.text("--output", "FILE", "file to write; compressed when it ends in .gz", options.output);
  arguments.flag("--no-progress", "show no progress on the terminal", options.no_progress);
  arguments.example("lips record scenario /var/lib/lips/journal --output day.json.gz",
                    "then: lips simulate day.json.gz");
  return arguments;
}

Result<int> scenario(const ScenarioOptions& options) {
  if (options.output.empty())
    return fail(ErrorCode::invalid_input, "--output: expected a file such as day.json.gz, found nothing");
  watch_for_interrupt();
  const Result<twin::RecordedDay> day =
      twin::recorded_day(options.journal, {interrupt_requested, reading_line(!options.no_progress)});
  if (!day) return tl::unexpected(day.error());
  if (Result<void> written = write_text_file(options.output, twin::write_recorded_scenario(day->scenario)); !written)
    return tl::unexpected(written.error());
  return print(fmt::format("{}: {}\n{}", options.output, about_day(*day), not_known_text(*day)));
}

int run_scenario(Words words) {
  ScenarioOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = scenario(options);
  return status ? *status : print_error(status.error());
}

}  // namespace

int run_record(Words words) {
  static const std::string overview =
      "Takes a part out of an operator's journal, or what happened in it as a scenario.\n\n"
      "Usage: lips record cut JOURNAL [OPTIONS]\n       lips record scenario JOURNAL [OPTIONS]\n\n"
      "'lips record cut --help' and 'lips record scenario --help' list the options.\n"
      "'lips replay' reads what was cut out, 'lips simulate' a scenario, and 'lips twin' the journal itself.\n\n"
      "Examples:\n  lips record cut /var/lib/lips/journal --from 410 --to 420 --output incident.zst\n"
      "  lips record scenario /var/lib/lips/journal --output day.json.gz\n";
  if (words.empty()) {
    print_error("record: expected cut or scenario (try 'lips record --help')");
    return bad_input;
  }
  if (words.front() == "--help" || words.front() == "-h") return print(overview);
  if (words.front() == "cut") return run_cut(words.subspan(1));
  if (words.front() == "scenario") return run_scenario(words.subspan(1));
  print_error(fmt::format("record: expected cut or scenario, found '{}'{} (try 'lips record --help')", words.front(),
                          did_you_mean(words.front(), std::vector<std::string>{"cut", "scenario"})));
  return bad_input;
}

}  // namespace lips::cmd

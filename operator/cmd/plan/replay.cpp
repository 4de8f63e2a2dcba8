#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/plan/plan_result.h"
#include "records/digest.h"
#include "records/epoch_record.h"
#include "records/journal_reader.h"
#include "twin/plan_again.h"
#include "version.h"

namespace lips::cmd {

namespace {

struct ReplayOptions {
  std::string journal, extract, policy;
  OutputFormat format = OutputFormat::text;
  std::optional<std::uint64_t> epoch;
};

Arguments describe(ReplayOptions& options) {
  Arguments arguments("lips replay",
                      "Repeats the plans in an operator's journal and reports whether they are the same, bit for bit.");
  arguments.operand("JOURNAL",
                    "folder of the journal (journal.directory of the operator's configuration), or one of its files",
                    options.journal);
  arguments.seed("--epoch", "repeat only this epoch, and print its plan in full", options.epoch);
  arguments.text("--policy", "NAME", "with --epoch: plan with another policy instead", options.policy);
  arguments.text("--extract", "FILE", "with --epoch: write the snapshot to FILE, for 'lips plan'", options.extract);
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json},
                   "output format of the plan of one epoch (docs/json.md)", options.format);
  arguments.example("lips replay /var/lib/lips/journal",
                    "repeat all epochs, one line each; status 1 if a plan differs");
  arguments.example("lips replay /var/lib/lips/journal --epoch 41", "print the plan of one epoch");
  arguments.example("lips replay /var/lib/lips/journal --epoch 41 --extract epoch.json.gz",
                    "write its snapshot, for 'lips plan'");
  return arguments;
}

Result<void> expect_a_record(const std::string& file, const EpochRecord& record) {
  if (!record.live) return {};
  return fail(ErrorCode::invalid_input,
              fmt::format("{}: expected a record of a journal, found the state of a running operator, which is no plan "
                          "('lips why --from' reads it)",
                          file));
}

Result<PlanResult> decide(const EpochRecord& record, const std::string& policy_name, const std::string& file) {
  const WallStopwatch watch;
  const double began = watch.seconds();
  Result<Plan> plan = twin::plan_again(record, policy_name, &watch);
  if (!plan) return tl::unexpected(plan.error());
  PlanResult result;
  result.seconds = watch.seconds() - began;
  result.policy = policy_name, result.file = file, result.cluster = &record.snapshot.cluster;
  result.plan = std::move(*plan);
  count_deferred(result);
  return result;
}

// Records of the first format have no digest of the whole plan.
bool is_same(const EpochRecord& record, const Plan& plan) {
  if (!record.digest.empty()) return plan_digest(plan) == record.digest;
  return plan.assignments.size() == record.assignments && plan.moves.size() == record.moves &&
         plan.account.dollars().value() == record.dollars;
}

std::string verdict(const EpochRecord& record, const Plan& plan) {
  if (is_same(record, plan))
    return record.digest.empty() ? "as many assignments and moves for the same dollars (an old record says no more)"
                                 : "the same plan";
  std::string out = fmt::format("A DIFFERENT plan: {} assignments for {}, {} moves for {}", plan.assignments.size(),
                                record.assignments, plan.moves.size(), record.moves);
  if (record.version != version) out += fmt::format("; made by lips {}, this is {}", record.version, version);
  return out;
}

// The invoice that the operator had counted when it made the plan; empty: an old record does not say.
std::string invoice_text(const EpochRecord& record) {
  if (!record.invoice) return "";
  const InvoiceSoFar& invoice = *record.invoice;
  return fmt::format(
      "invoice until then: {:.6f} USD (nodes {:.6f}, transfer {:.6f}, shuffle {:.6f}, moves {:.6f}, storage {:.6f})\n",
      invoice.total().value(), invoice.nodes.value(), invoice.transfer.value(), invoice.shuffle.value(),
      invoice.moves.value(), invoice.storage.value());
}

Result<int> replay_one(const ReplayOptions& options, JournalReader journal) {
  const Result<EpochRecord> record = journal.find(options.epoch.value_or(journal.last_epoch()));
  if (!record) return tl::unexpected(record.error());
  if (Result<void> expected = expect_a_record(options.journal, *record); !expected)
    return tl::unexpected(expected.error());
  if (!options.extract.empty())
    if (Result<void> saved = save_snapshot(options.extract, record->snapshot.cluster, record->snapshot.costs); !saved)
      return tl::unexpected(saved.error());
  const bool same_policy = options.policy.empty() || options.policy == record->policy;
  const Result<PlanResult> result = decide(*record, same_policy ? record->policy : options.policy, options.journal);
  if (!result) return tl::unexpected(result.error());
  const std::string words = same_policy ? verdict(*record, result->plan) : "a different policy from the journal's";
  if (options.format == OutputFormat::json) {
    if (const int printed = print(plan_json(*result)); printed != done) return printed;
  } else if (const int printed = print(
                 fmt::format("epoch {}: {}\n{}\n{}", record->epoch, words, invoice_text(*record), plan_text(*result)));
             printed != done) {
    return printed;
  }
  return static_cast<int>(same_policy && !is_same(*record, result->plan) ? failed : done);
}

std::string line_of(const EpochRecord& record, const Plan& plan) {
  return fmt::format("epoch {:>6}  {:<12} {:>7} pending {:>7} assigned {:>5} moves  {:.6f} USD by use  {}\n",
                     record.epoch, record.policy, record.snapshot.cluster.pending_tasks, plan.assignments.size(),
                     plan.moves.size(), plan.account.dollars().value(), verdict(record, plan));
}

Result<int> replay_all(const ReplayOptions& options, JournalReader journal) {
  std::size_t same = 0, all = 0;
  for (;;) {
    const Result<std::optional<EpochRecord>> record = journal.next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) break;
    const Result<PlanResult> result = decide(**record, (*record)->policy, options.journal);
    if (!result) return tl::unexpected(result.error());
    same += is_same(**record, result->plan), ++all;
    if (const int printed = print(line_of(**record, result->plan)); printed != done) return printed;
    if (interrupt_requested()) return static_cast<int>(interrupted);
  }
  const std::string end = journal.cut_off().empty() ? "" : journal.cut_off() + "\n";
  if (const int printed = print(fmt::format("{}{} of {} plans are the same\n", end, same, all)); printed != done)
    return printed;
  return static_cast<int>(same == all ? done : failed);
}

Result<int> replay(const ReplayOptions& options) {
  if (!options.policy.empty())
    if (Result<void> known = check_policies({options.policy}); !known) return tl::unexpected(known.error());
  watch_for_interrupt();
  Result<JournalReader> journal = JournalReader::open(options.journal);
  if (!journal) return tl::unexpected(journal.error());
  const bool one = options.epoch.has_value() || !is_journal(options.journal);
  if (!one && (!options.policy.empty() || !options.extract.empty() || options.format != OutputFormat::text))
    return fail(ErrorCode::invalid_input, "--policy, --extract and --format need --epoch, or the file of one record");
  return one ? replay_one(options, *std::move(journal)) : replay_all(options, *std::move(journal));
}

}  // namespace

int run_replay(Words words) {
  ReplayOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = replay(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd

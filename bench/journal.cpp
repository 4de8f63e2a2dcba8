// The size of a journal of a whole run: each plan as a whole record in a file of its own, as earlier versions kept it,
// and as the log of what changed; with the time that each takes, and all records read back and compared.
// docs/journal.md quotes it.
// PLANS: only the first ones are kept; 0: all. KEY=VALUE: fields of the scenario, as --set of lips simulate.
//   bench_journal [SCENARIO [POLICY [PLANS [KEY=VALUE...]]]]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cmd/cli/wall_stopwatch.h"
#include "config/gzip.h"
#include "config/text_file.h"
#include "policies/registry/registry.h"
#include "records/digest.h"
#include "records/epoch_journal.h"
#include "records/epoch_record.h"
#include "records/journal_files.h"
#include "records/journal_log.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace {

using namespace lips;
using namespace lips::simulation;

double seconds() { return WallStopwatch().seconds(); }

struct Sizes {
  std::size_t most = SIZE_MAX;                  // plans
  std::vector<std::string> digests;             // of the texts
  double text = 0, whole = 0;                   // bytes
  double writing = 0, zipping = 0, adding = 0;  // seconds
};

// Keeps every plan in both ways.
class Kept : public Policy {
 public:
  Kept(const Policy& policy, std::string name, const Scenario& scenario, EpochJournal& journal, Sizes& sizes)
      : policy_(policy), name_(std::move(name)), scenario_(scenario), journal_(journal), sizes_(sizes) {}
  Cadence cadence() const override { return policy_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = policy_.decide(input);
    if (plan && sizes_.digests.size() < sizes_.most) keep(input, *plan);
    return plan;
  }

 private:
  void keep(const PolicyInput& input, const Plan& plan) const {
    EpochRecord record;
    record.epoch = journal_.next_epoch(), record.version = "bench", record.policy = name_;
    record.settings = scenario_.settings, record.seed = input.seed;
    record.reporting.assign(input.reporting.begin(), input.reporting.end());
    record.digest = plan_digest(plan);
    record.assignments = plan.assignments.size(), record.moves = plan.moves.size();
    record.dollars = plan.account.dollars().value();
    record.snapshot = {input.cluster, input.costs};
    const double began = seconds();
    std::string text = write_epoch(record);
    const double written = seconds();
    sizes_.whole += static_cast<double>(gzipped(text).size());
    const double zipped = seconds();
    sizes_.text += static_cast<double>(text.size());
    sizes_.digests.push_back(first_text_digest(text));
    const double counted = seconds();
    if (!journal_.add(std::move(text))) fmt::print(stderr, "a record was not written\n");
    sizes_.writing += written - began, sizes_.zipping += zipped - written, sizes_.adding += seconds() - counted;
  }

  const Policy& policy_;
  std::string name_;
  const Scenario& scenario_;
  EpochJournal& journal_;
  Sizes& sizes_;
};

// Says whether each text is read back as it was.
bool read_back(const std::string& folder, const std::vector<std::string>& digests) {
  std::size_t next = 0;
  const Result<std::vector<JournalFile>> files = list_journal(folder);
  for (const JournalFile& file : *files) {
    Result<JournalLog> log = JournalLog::open(file.path, *read_text_file(file.path));
    if (!log) return false;
    for (Result<std::optional<std::string>> text = log->next(); text && *text; text = log->next())
      if (next == digests.size() || first_text_digest(**text) != digests[next++]) return false;
  }
  return next == digests.size();
}

int measure(const Scenario& scenario, const std::string& name, std::size_t most, const std::string& folder) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) return fmt::print(stderr, "{}\n", policy.error().message), 2;
  Result<EpochJournal> journal = EpochJournal::open(folder, Mebibytes(100'000));
  if (!journal) return fmt::print(stderr, "{}\n", journal.error().message), 2;
  Sizes sizes;
  sizes.most = most;
  const Result<RunResult> result = run(scenario, Kept(**policy, name, scenario, *journal, sizes), name, {});
  if (!result) return fmt::print(stderr, "{}\n", result.error().message), 1;
  const double mebibyte = 1 << 20, plans = static_cast<double>(sizes.digests.size());
  const auto log = static_cast<double>(journal->bytes());
  const double began = seconds();
  const bool same = read_back(folder, sizes.digests);
  const double took = seconds() - began;
  fmt::print("{} under {}: {} plans, {:.1f} MiB of text, {:.1f} ms each to write as text\n", scenario.name, name, plans,
             sizes.text / mebibyte, 1e3 * sizes.writing / plans);
  fmt::print("whole records: {:.1f} MiB, {:.0f} bytes a plan, {:.1f} ms each\n", sizes.whole / mebibyte,
             sizes.whole / plans, 1e3 * sizes.zipping / plans);
  fmt::print("journal: {:.1f} MiB in {} files, {:.0f} bytes a plan, {:.1f} ms each\n", log / mebibyte,
             list_journal(folder)->size(), log / plans, 1e3 * sizes.adding / plans);
  const double days = std::max(1e-9, to_seconds(result->makespan) / 86400),
               pods = static_cast<double>(result->tasks_finished);
  if (sizes.digests.size() == result->plans.made)
    fmt::print("{:.0f} pods in {:.2f} days: {:.0f} bytes of journal a pod, {:.1f} MiB a week\n", pods, days, log / pods,
               7 * log / mebibyte / days);
  fmt::print("1/{:.0f} of the bytes; all records {} in {:.1f} s\n", sizes.whole / log,
             same ? "read back the same" : "NOT the same", took);
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "modern-day-elastic", policy = argc > 2 ? argv[2] : "spread";
  const Result<std::string> path = find_scenario(name);
  ScenarioOptions options;
  for (int i = 4; i < argc; ++i) {
    const std::string field = argv[i];
    options.set.emplace_back(field.substr(0, field.find('=')),
                             field.substr(std::min(field.find('='), field.size() - 1) + 1));
  }
  const Result<Scenario> scenario = path ? read_scenario(*path, options) : tl::unexpected<Error>(path.error());
  if (!scenario) return fmt::print(stderr, "{}\n", scenario.error().message), 2;
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("lips-bench-journal-" + std::to_string(getpid()))).string();
  const std::size_t most = argc > 3 ? std::stoul(argv[3]) : 0;
  const int status = measure(*scenario, policy, most > 0 ? most : SIZE_MAX, folder);
  std::filesystem::remove_all(folder);
  return status;
}

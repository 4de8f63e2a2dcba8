#include "twin/recorded_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "records/journal_reader.h"
#include "telemetry/page/numbers.h"

namespace lips::twin {

namespace {

using simulation::Assumption;
using simulation::Scenario;
using Facts = std::vector<Assumption>;

constexpr const char* not_known = "not known: ";

std::string span_text(Duration span) { return page::duration(to_seconds(span)); }

std::size_t tasks_of(const std::vector<JobArrived>& jobs) {
  std::size_t tasks = 0;
  for (const JobArrived& job : jobs) tasks += job.tasks.size();
  return tasks;
}

Assumption gap_text(const JournalGap& gap) {
  if (gap.kind == JournalGap::Kind::clock_back)
    return {"clock", fmt::format("went back from {} to {}", span_text(gap.from), span_text(gap.until)),
            "times after it count as they were written"};
  const std::string span = fmt::format("{} to {} after the first record", span_text(gap.from), span_text(gap.until));
  if (gap.kind == JournalGap::Kind::restart)
    return {"gap", span, "the operator was started anew: what came, ended or was billed in between is left out"};
  return {"gap", fmt::format("{}, {} records", span, gap.records),
          "records are missing: what came and ended in between is left out"};
}

// Counts that are 0 say nothing.
void add_count(Facts& facts, std::size_t count, const char* name, const char* of, const char* note) {
  if (count > 0) facts.push_back({name, fmt::format("{} {}", count, of), note});
}

Facts unknown_of(const JournalFacts& journal, const RecordedJobs& jobs, const UnknownJobs& unknown,
                 const std::string& cut_off) {
  Facts facts;
  for (const JournalGap& gap : journal.gaps()) facts.push_back(gap_text(gap));
  if (!cut_off.empty()) facts.push_back({"end", "torn", cut_off});
  if (!jobs.knows_ends())
    facts.push_back({"work", "as predicted", "records of an earlier version do not say when tasks ended"});
  add_count(facts, unknown.unended, "work of tasks that had not ended", "tasks",
            "they count with the work that the operator expected");
  if (jobs.knows_ends())
    add_count(facts, unknown.unseen_end, "work of tasks whose end nobody saw", "tasks",
              "they count with the work that the operator expected");
  add_count(facts, unknown.slow_reads, "work of tasks that waited for data", "tasks",
            "they took longer than expected and read from another node: the other tasks of their job say how much of "
            "it was work");
  if (unknown.unseen_tasks > 0)
    facts.push_back({"jobs between two records",
                     fmt::format("{} tasks, {:.0f} CPU-seconds", unknown.unseen_tasks, unknown.unseen_work.value()),
                     "their jobs came and went unseen and are left out"});
  add_count(facts, unknown.under_way, "beginning of jobs", "jobs",
            "under way at the first record: they begin with the tasks that were left, without an order of stages");
  add_count(facts, unknown.in_parts, "jobs in parts", "jobs",
            "without shuffle here, and their tasks need not start together");
  add_count(facts, unknown.released, "order of jobs", "jobs",
            "they read what others wrote, and come when they were released, whenever those end here");
  add_count(facts, unknown.outputs, "output", "jobs", "they wrote data sets, which are there from the beginning here");
  add_count(facts, unknown.without_data, "data that were gone", "tasks", "they read nothing here");
  add_count(facts, unknown.nowhere, "jobs that fit nowhere", "jobs",
            "they are left out: no node or offer of the journal may take their tasks");
  add_count(facts, unknown.lost, "why attempts ended", "attempts",
            "evicted, failed, or their node gone: here only what fails by this scenario is lost");
  return facts;
}

void add_cluster(const RecordedCluster& seen, const RecordedCluster::Start& start, Facts& facts) {
  add_count(facts, start.never_up, "nodes that took no tasks", "nodes", "they are left out");
  add_count(facts, start.elsewhere, "nodes of other zones", "nodes", "the last record does not have their zone");
  if (!start.fleet.offers.empty()) {
    add_count(facts, seen.elastic_at_first(), "elastic nodes of the beginning", "nodes",
              "they were there at the first record, and are launched when needed here");
    facts.push_back({"the autoscaler", "Karpenter's defaults",
                     "but for when idle nodes go: batches, budget and the time until a machine is off are not in a "
                     "journal; interruptions are drawn at the rate of the offers"});
  }
  if (start.elastic_stay)
    facts.push_back({"what could be launched", "nothing",
                     "the journal names no types (`fleet` of the configuration), so its elastic nodes stay"});
  add_count(facts, start.failures.size(), "why nodes were away", "times",
            "they count as failures, from record to record");
  add_count(facts, seen.price_changes(), "prices that changed", "times", "the last ones hold for the whole time");
}

void add_services(const RecordedServices& seen, const RecordedServices::Placed& placed, Facts& facts) {
  if (!seen.known())
    facts.push_back({"services", "records without them",
                     "the room of other pods stays theirs on fixed nodes; on elastic ones they are no load here"});
  add_count(facts, placed.nowhere, "services that fit nowhere", "pods",
            "they are left out: no node or offer of the journal may take them");
  add_count(facts, placed.any_label, "labels that services select", "workloads",
            "the records do not have those labels: their pods may go to any node here");
  add_count(facts, placed.no_amounts, "other resources that services ask for", "workloads",
            "the records do not have the amounts of nodes: here they ask for CPU and memory alone");
}

Facts assumptions_of(const RecordedJobs::Placed& placed, const RecordedServices::Placed& services,
                     const RecordedCluster::Start& start, bool knows_ends) {
  Facts all;
  all.push_back({"jobs", fmt::format("{} jobs, {} tasks", placed.jobs.size(), tasks_of(placed.jobs)),
                 "that the records have; one that came and went between two of them is missing"});
  all.push_back({"work", knows_ends ? "as it turned out" : "as predicted",
                 "time on a task's node times its cores and the node's speed; policies see what was expected"});
  all.push_back({"cluster", fmt::format("{} nodes", start.fixed), "the room that DaemonSets had stays theirs"});
  if (services.pods > 0)
    all.push_back({"services", fmt::format("{} workloads, {} pods", services.workloads, services.pods),
                   "pods that nobody placed here: kube-scheduler's stand-in does, under every policy, for as long as "
                   "they were there"});
  if (!start.fleet.offers.empty())
    all.push_back({"elastic nodes", fmt::format("{} offers", start.fleet.offers.size()),
                   fmt::format("none at the beginning, at most {} of each at once", most_offered)});
  all.push_back({"data", "as first recorded", "copies that LiPS made are left out"});
  all.push_back(
      {"tariff", "nodes, transfer and storage", "a journal does not know prices of requests, nor commitments"});
  return all;
}

}  // namespace

void RecordsOfADay::add(EpochRecord record) {
  facts_.add(record);
  jobs_.add(record.snapshot.cluster, record.ended, record.watched);
  services_.add(record.snapshot.cluster.now, record.services);
  cluster_.add(record.snapshot.cluster, record.services.value_or(std::vector<ServicePods>()));
  last_ = std::move(record);
}

Result<RecordedDay> RecordsOfADay::day(const std::string& path, const std::string& cut_off) const {
  RecordedCluster::Start start = cluster_.start(last_.snapshot.cluster);
  RecordedJobs::Placed placed = jobs_.place(start.cluster);
  RecordedServices::Placed services = services_.place(start.cluster);
  if (placed.jobs.empty())
    return fail(ErrorCode::invalid_input, fmt::format("{}: no jobs found in {} records", path, facts_.records()));
  RecordedDay day;
  day.records = facts_.records(), day.span = jobs_.span(), day.counted = facts_.counted();
  day.unknown = facts_.unknown(), day.watched = last_.watched;
  day.not_known = unknown_of(facts_, jobs_, placed.unknown, cut_off);
  add_cluster(cluster_, start, day.not_known);
  add_services(services_, services, day.not_known);
  add_count(day.not_known, facts_.policy_changes(), "one policy", "changes", "the last one holds here");
  Scenario& scenario = day.scenario;
  scenario.name = std::filesystem::path(path).filename().string();
  if (scenario.name.empty()) scenario.name = "journal";
  scenario.description = fmt::format("{} records of an operator over {}", day.records, span_text(day.span));
  scenario.costs = last_.snapshot.costs;
  scenario.settings = last_.settings;
  scenario.billing = last_.settings.lips.billing;
  scenario.seed = last_.seed;
  scenario.policies = {last_.policy};
  scenario.assumptions = assumptions_of(placed, services, start, jobs_.knows_ends());
  for (const Assumption& fact : day.not_known)
    scenario.assumptions.push_back({not_known + fact.name, fact.value, fact.note});
  scenario.jobs = std::move(placed.jobs);
  scenario.work_factors = std::move(placed.work_factors);
  scenario.not_evicted = std::move(placed.not_evicted);
  scenario.cluster = std::move(start.cluster);
  scenario.fleet = std::move(start.fleet);
  scenario.failures = std::move(start.failures);
  scenario.services = std::move(services.services);
  return day;
}

Result<RecordedDay> recorded_day(const std::string& path, const RecordReading& reading) {
  Result<JournalReader> journal = JournalReader::open(path);
  if (!journal) return tl::unexpected(journal.error());
  if (reading.window)
    if (Result<void> begun = journal->begin_within(*reading.window); !begun) return tl::unexpected(begun.error());
  RecordsOfADay seen;
  for (std::size_t read = 0;; ++read) {
    if (reading.stop && reading.stop()) return fail(ErrorCode::cancelled, "interrupted while reading the journal");
    if (reading.at) reading.at(read, journal->records());
    Result<std::optional<EpochRecord>> record = journal->next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) return seen.day(path, journal->cut_off());
    seen.add(**std::move(record));
    if (seen.tasks() > reading.most_tasks)
      return fail(ErrorCode::gone, fmt::format("more than {} tasks", reading.most_tasks));
  }
}

}  // namespace lips::twin

#include "cmd/tune/recorded_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "cmd/tune/recorded_cluster.h"
#include "cmd/tune/recorded_jobs.h"
#include "records/journal_reader.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using simulation::Scenario;

std::size_t tasks_of(const std::vector<JobArrived>& jobs) {
  std::size_t tasks = 0;
  for (const JobArrived& job : jobs) tasks += job.tasks.size();
  return tasks;
}

std::vector<simulation::Assumption> about_jobs(const RecordedJobs& seen, const RecordedJobs::Placed& placed) {
  std::vector<simulation::Assumption> all;
  all.push_back({"jobs", fmt::format("{} jobs, {} tasks", placed.jobs.size(), tasks_of(placed.jobs)),
                 "that the records have; one that came and went between two of them may be missing"});
  all.push_back({"work", "as predicted", "what the operator expected of each task when its job was first seen"});
  if (seen.under_way() > 0)
    all.push_back({"under way at the beginning", fmt::format("{} jobs", seen.under_way()),
                   "they begin with the tasks that were left, without an order of stages"});
  if (seen.in_parts() > 0)
    all.push_back({"in parts", fmt::format("{} jobs", seen.in_parts()),
                   "their parts are jobs of their own here, without shuffle, and do not start together"});
  if (placed.without_data > 0)
    all.push_back({"without data", fmt::format("{} tasks", placed.without_data),
                   "they read nothing here: the last record does not have their data any more"});
  if (placed.nowhere > 0)
    all.push_back(
        {"left out", fmt::format("{} jobs", placed.nowhere), "no node of the last record may take their tasks"});
  return all;
}

std::vector<simulation::Assumption> about_cluster(const RecordedCluster& cluster) {
  std::vector<simulation::Assumption> all;
  all.push_back(
      {"cluster", fmt::format("{} nodes", cluster.fixed),
       fmt::format("as in the last record, without {} that took no tasks then; the room that other pods had stays "
                   "theirs",
                   cluster.unschedulable)});
  if (cluster.elastic_stay)
    all.push_back(
        {"elastic nodes", "stay", "the record names no types that could be launched (`fleet` of the configuration)"});
  if (!cluster.fleet.offers.empty())
    all.push_back({"elastic nodes", fmt::format("{} offers", cluster.fleet.offers.size()),
                   fmt::format("none at the beginning, at most {} of each at once", most_offered)});
  all.push_back({"data", "as in the last record", "copies that LiPS made are left out"});
  all.push_back(
      {"tariff", "nodes, transfer and storage", "a journal does not know prices of requests, nor commitments"});
  return all;
}

}  // namespace

Result<Scenario> recorded_scenario(const std::string& path, const RecordReading& reading) {
  Result<JournalReader> journal = JournalReader::open(path);
  if (!journal) return tl::unexpected(journal.error());
  RecordedJobs seen;
  EpochRecord last;
  std::size_t read = 0;
  for (;; ++read) {
    if (reading.stop()) return fail(ErrorCode::cancelled, "interrupted while reading the journal");
    reading.at(read, journal->records());
    Result<std::optional<EpochRecord>> record = journal->next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) break;
    seen.add((*record)->snapshot.cluster);
    last = **std::move(record);
  }
  RecordedCluster recorded = recorded_cluster(last.snapshot.cluster);
  RecordedJobs::Placed placed = seen.place(recorded.cluster);
  if (placed.jobs.empty())
    return fail(ErrorCode::invalid_input, fmt::format("{}: no jobs found in {} records", path, read));
  Scenario scenario;
  scenario.name = std::filesystem::path(path).filename().string();
  if (scenario.name.empty()) scenario.name = "journal";
  scenario.description =
      fmt::format("{} records of an operator over {}", read, page::duration(to_seconds(seen.span())));
  scenario.costs = std::move(last.snapshot.costs);
  scenario.settings = last.settings;
  scenario.billing = last.settings.lips.billing;
  scenario.assumptions = about_jobs(seen, placed);
  std::ranges::move(about_cluster(recorded), std::back_inserter(scenario.assumptions));
  scenario.jobs = std::move(placed.jobs);
  scenario.cluster = std::move(recorded.cluster);
  scenario.fleet = std::move(recorded.fleet);
  return scenario;
}

}  // namespace lips::cmd

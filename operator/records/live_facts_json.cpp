#include "records/live_facts_json.h"

#include <array>

#include "records/optional_usd_json.h"
#include "records/twin_state_json.h"

namespace lips {

namespace {

using namespace json_tables;
using Ordered = nlohmann::ordered_json;

constexpr std::array bill_terms{&Bill::cpu, &Bill::transfer, &Bill::shuffle, &Bill::moves, &Bill::storage};
constexpr std::size_t job_day_cells = 4 + 3 * bill_terms.size();
constexpr std::int64_t last_day = 2'900'000;  // in the year 9909

Ordered job_day_json(const JobDay& job) {
  Ordered json = {job.day, job.pool, job.job, job.dollars.finished};
  for (const Bill* bill : {&job.dollars.predicted, &job.dollars.counted, &job.dollars.spent})
    for (const auto term : bill_terms) json.push_back((bill->*term).value());
  return json;
}

JobDay read_job_day(const View& row) {
  JobDay result{row.cell(0, Whole{0, last_day}), row.cell(1, Text{}), row.cell(2, Text{}), {}};
  result.dollars.finished = row.cell(3, Natural{});
  std::size_t next = 4;
  for (Bill* bill : {&result.dollars.predicted, &result.dollars.counted, &result.dollars.spent})
    for (const auto term : bill_terms) bill->*term = Usd(row.cell(next++, any_real));
  return result;
}

constexpr std::size_t target_cells = 8;

Ordered target_json(const TargetReport& report) {
  return {report.pool,   static_cast<int>(report.kind),  report.target, report.reached, report.forecast,
          report.factor, static_cast<int>(report.state), report.why};
}

TargetReport read_target(const View& row) {
  TargetReport report;
  report.pool = row.cell(0, Text{});
  report.kind = static_cast<TargetKind>(row.cell(1, index_below(enum_size<TargetKind>)));
  report.target = row.cell(2, any_real), report.reached = row.cell(3, any_real);
  report.forecast = row.cell(4, any_real), report.factor = row.cell(5, any_real);
  report.state = static_cast<TargetState>(row.cell(6, index_below(enum_size<TargetState>)));
  report.why = row.cell(7, Text{});
  return report;
}

constexpr std::size_t own_target_cells = 6;

Ordered own_target_json(const OwnTargetReport& report) {
  return {report.pool,
          report.job,
          static_cast<int>(report.kind),
          report.target.count(),
          report.forecast.count(),
          static_cast<int>(report.state)};
}

OwnTargetReport read_own_target(const View& row) {
  OwnTargetReport report{row.cell(0, Text{}), row.cell(1, Text{})};
  report.kind = static_cast<OwnTargetKind>(row.cell(2, index_below(enum_size<OwnTargetKind>)));
  report.target = Duration(row.cell(3, Whole{-any_time, any_time}));
  report.forecast = Duration(row.cell(4, Whole{-any_time, any_time}));
  report.state = static_cast<OwnTargetState>(row.cell(5, index_below(enum_size<OwnTargetState>)));
  return report;
}

}  // namespace

Ordered live_facts_json(const LiveFacts& facts) {
  Ordered json = {{"absentNodes", Ordered::array()},
                  {"pods", Ordered::array()},
                  {"held", Ordered::array()},
                  {"plans", Ordered::array()}};
  for (const NodeId node : facts.absent) json["absentNodes"].push_back(node.index());
  for (const PodOfTask& pod : facts.pods) json["pods"].push_back({pod.name, pod.task.index()});
  for (const HeldPod& pod : facts.held) json["held"].push_back({pod.name, pod.why});
  for (const PastPlan& plan : facts.plans)
    json["plans"].push_back({plan.at.time_since_epoch().count(), plan.policy, plan.pending, plan.assigned, plan.moves,
                             plan.dollars.value(), or_null(plan.cost), or_null(plan.bound), plan.seconds});
  json["ledger"] = Ordered::array();
  for (const JobDay& job : facts.ledger) json["ledger"].push_back(job_day_json(job));
  json["targets"] = Ordered::array();
  for (const TargetReport& report : facts.targets) json["targets"].push_back(target_json(report));
  json["ownTargets"] = Ordered::array();
  for (const OwnTargetReport& report : facts.own_targets) json["ownTargets"].push_back(own_target_json(report));
  json["applications"] = Ordered::array();
  for (const LearnedApplication& one : facts.applications)
    json["applications"].push_back({one.name, one.runs, one.shuffle.value(), one.input.value(), one.workers});
  json["twin"] = twin_state_json(facts.twin);
  return json;
}

LiveFacts read_live_facts(const View& json, const ClusterSnapshot& cluster) {
  LiveFacts facts;
  if (json.has("absentNodes")) {
    const View absent = json.at("absentNodes");
    for (std::size_t i = 0, count = absent.list(); i < count; ++i)
      facts.absent.push_back(id<NodeId>(absent.cell(i, index_below(cluster.nodes.size()))));
  }
  const View pods = json.at("pods"), held = json.at("held"), plans = json.at("plans");
  for (std::size_t i = 0, count = pods.rows(2); i < count; ++i)
    facts.pods.push_back(
        {pods.item(i).cell(0, Text{}), id<TaskId>(pods.item(i).cell(1, index_below(cluster.tasks.size())))});
  for (std::size_t i = 0, count = held.rows(2); i < count; ++i)
    facts.held.push_back({held.item(i).cell(0, Text{}), held.item(i).cell(1, Text{})});
  for (std::size_t i = 0, count = plans.rows(9); i < count; ++i) {
    const View row = plans.item(i);
    PastPlan plan;
    plan.at = time(row.cell(0, Whole{-any_time, any_time}));
    plan.policy = row.cell(1, Text{});
    plan.pending = row.cell(2, Natural{}), plan.assigned = row.cell(3, Natural{}), plan.moves = row.cell(4, Natural{});
    plan.dollars = Usd(row.cell(5, any_real));
    plan.cost = usd_or_none(row, 6), plan.bound = usd_or_none(row, 7);
    plan.seconds = row.cell(8, any_real);
    facts.plans.push_back(std::move(plan));
  }
  if (!json.has("ledger")) return facts;  // of an operator before there was one
  const View ledger = json.at("ledger");
  for (std::size_t i = 0, count = ledger.rows(job_day_cells); i < count; ++i)
    facts.ledger.push_back(read_job_day(ledger.item(i)));
  if (!json.has("targets")) return facts;
  const View targets = json.at("targets");
  for (std::size_t i = 0, count = targets.rows(target_cells); i < count; ++i)
    facts.targets.push_back(read_target(targets.item(i)));
  if (json.has("ownTargets")) {
    const View own = json.at("ownTargets");
    for (std::size_t i = 0, count = own.rows(own_target_cells); i < count; ++i)
      facts.own_targets.push_back(read_own_target(own.item(i)));
  }
  if (!json.has("applications")) return facts;
  const View applications = json.at("applications");
  const Whole any_count{0, 1'000'000'000};
  for (std::size_t i = 0, count = applications.rows(5); i < count; ++i) {
    const View row = applications.item(i);
    facts.applications.push_back({row.cell(0, Text{}), static_cast<std::uint32_t>(row.cell(1, any_count)),
                                  Mebibytes(row.cell(2, any_real)), Mebibytes(row.cell(3, any_real)),
                                  static_cast<std::uint32_t>(row.cell(4, any_count))});
  }
  if (json.has("twin")) facts.twin = read_twin_state(json.at("twin"));
  return facts;
}

}  // namespace lips

#include "records/live_facts_json.h"

namespace lips {

namespace {

using namespace json_tables;
using Ordered = nlohmann::ordered_json;

Ordered or_null(const std::optional<Usd>& value) { return value ? Ordered(value->value()) : Ordered(nullptr); }

std::optional<Usd> usd_or_none(const View& row, std::size_t cell) {
  if (row.json()[cell].is_null()) return std::nullopt;
  return Usd(row.cell(cell, any_real));
}

}  // namespace

Ordered live_facts_json(const LiveFacts& facts) {
  Ordered json = {
      {"pods", Ordered::array()}, {"held", Ordered::array()}, {"plans", Ordered::array()}, {"spent", Ordered::array()}};
  for (const PodOfTask& pod : facts.pods) json["pods"].push_back({pod.name, pod.task.index()});
  for (const HeldPod& pod : facts.held) json["held"].push_back({pod.name, pod.why});
  for (const PastPlan& plan : facts.plans)
    json["plans"].push_back({plan.at.time_since_epoch().count(), plan.policy, plan.pending, plan.assigned, plan.moves,
                             plan.dollars.value(), or_null(plan.cost), or_null(plan.bound), plan.seconds});
  for (const PoolSpending& pool : facts.spent)
    json["spent"].push_back({pool.pool, pool.finished, pool.spent.cpu.value(), pool.spent.transfer.value(),
                             pool.spent.shuffle.value(), pool.spent.moves.value(), pool.spent.storage.value()});
  return json;
}

LiveFacts read_live_facts(const View& json, std::size_t tasks) {
  LiveFacts facts;
  const View pods = json.at("pods"), held = json.at("held"), plans = json.at("plans"), spent = json.at("spent");
  for (std::size_t i = 0, count = pods.rows(2); i < count; ++i)
    facts.pods.push_back({pods.item(i).cell(0, Text{}), id<TaskId>(pods.item(i).cell(1, index_below(tasks)))});
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
  for (std::size_t i = 0, count = spent.rows(7); i < count; ++i) {
    const View row = spent.item(i);
    const auto usd = [&](std::size_t cell) { return Usd(row.cell(cell, any_real)); };
    facts.spent.push_back({row.cell(0, Text{}), {usd(2), usd(3), usd(4), usd(5), usd(6)}, row.cell(1, Natural{})});
  }
  return facts;
}

}  // namespace lips

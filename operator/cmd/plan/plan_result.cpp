#include "cmd/plan/plan_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "telemetry/page/numbers.h"
#include "version.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

const char* in_words(DeferralReason reason) {
  switch (reason) {
    case DeferralReason::no_capacity:
      return "nothing that fits is free";
    case DeferralReason::waits_for_node:
      return "wait for a requested node";
    case DeferralReason::cheaper_later:
      return "waiting is cheaper than what is free now";
    case DeferralReason::waits_for_data:
      return "a replica is on its way";
    case DeferralReason::waits_for_locality:
      return "waits for a slot near its data";
    case DeferralReason::pool_maximum:
      return "its pool is at its maximum";
    case DeferralReason::not_eligible:
      return "no node may take it";
    case DeferralReason::not_considered:
      return "the policy did not consider it this time";
    case DeferralReason::plan_refused:
      return "the plan failed its check";
    case DeferralReason::waits_for_peers:
      return "waits until all tasks of its job can start together";
  }
  return "";
}

double cost_of(const PlanAccount& account) { return account.objective.value_or(account.dollars()).value(); }

std::string row(std::string_view name, double dollars, std::string_view note) {
  return fmt::format("  {:<10} {:>14.6f} USD  {}\n", name, dollars, note);
}

std::string cost_rows(const PlanAccount& account) {
  std::string out = row("cpu", account.cpu.value(), "CPU-seconds used");
  out += row("transfer", account.transfer.value(), "input read across zones");
  out += row("shuffle", account.shuffle.value(), "map output across zones");
  out += row("moves", account.copies.value(), "data moved or copied");
  out += row("storage", account.storage.value(), "of extra copies");
  out += row("total", account.dollars().value(), "by use: what the CPU-seconds and bytes of this plan cost");
  if (account.waiting.value() != 0)
    out += row("waiting", account.waiting.value(), "a priced preference; nobody pays it");
  if (account.locality.value() != 0)
    out += row("locality", account.locality.value(), "a priced preference; nobody pays it");
  if (account.fairness.value() != 0)
    out += row("fairness", account.fairness.value(), "a priced preference; nobody pays it");
  return out;
}

constexpr double worth_saying = 0.03;  // of the model's cost, that whole tasks lose

std::string bound_lines(const PlanAccount& account) {
  if (!account.lower_bound) return "no lower bound: this policy solves no linear program\n";
  std::string lines = fmt::format(
      "model cost {:.6f} USD, certified lower bound {:.6f} USD, gap {:.4f} %\nform {}{}: {} groups of tasks x {} "
      "classes of nodes, {} rows, {} columns\n",
      cost_of(account), account.lower_bound->value(), 100 * account.gap, to_string(account.form),
      account.fell_back ? " (greedy plan: the solver returned none)" : "", account.groups, account.classes,
      account.rows, account.columns);
  const double loss = account.loss.value() / std::max(1e-12, cost_of(account));
  if (loss > worth_saying)
    lines += fmt::format("whole tasks cost {:.6f} USD ({:.1f} %) more than the program's amounts: {}\n",
                         account.loss.value(), 100 * loss, "they do not fit the nodes as divisible work would");
  return lines;
}

}  // namespace

void count_deferred(PlanResult& result) {
  const std::uint64_t pending = result.cluster->pending_tasks;
  result.deferred_by_reason = count_deferred(result.plan, pending);
  result.deferred = pending - std::min<std::uint64_t>(pending, result.plan.assignments.size());
}

std::vector<std::string> shadow_price_sentences(const PlanAccount& account, std::size_t most) {
  std::vector<ShadowPrice> prices;
  for (const ShadowPrice& price : account.shadow_prices)
    if (std::abs(price.usd_per_unit) > 1e-12) prices.push_back(price);
  std::stable_sort(prices.begin(), prices.end(), [](const ShadowPrice& a, const ShadowPrice& b) {
    const auto key = [](const ShadowPrice& price) { return price.of.substr(0, price.of.find(' ')); };
    return std::pair(key(b), std::abs(a.usd_per_unit)) > std::pair(key(a), std::abs(b.usd_per_unit));
  });
  std::vector<std::string> sentences;
  for (const ShadowPrice& price : prices) {
    if (sentences.size() == most) {
      sentences.push_back(fmt::format("and {} more (--format json has all)", prices.size() - most));
      break;
    }
    std::string unit = price.unit;
    if (unit.starts_with("USD per ")) unit = unit.substr(8);
    if (price.of.starts_with("pool "))
      sentences.push_back(
          fmt::format("a {} more or less for {} changes the cost by {:.3g} USD", unit, price.of, price.usd_per_unit));
    else if (price.of.starts_with("link "))
      sentences.push_back(
          fmt::format("one more {} over the {} would save {:.3g} USD", unit, price.of, price.usd_per_unit));
    else
      sentences.push_back(fmt::format("one more {} in {} would save {:.3g} USD", unit, price.of, price.usd_per_unit));
  }
  return sentences;
}

// Where pools compete.
std::string sharing_rows(const PlanAccount& account) {
  const auto limited = [](const PoolSharing& pool) { return pool.wanted > pool.entitlement + 1e-9; };
  if (account.sharing.size() < 2 || std::none_of(account.sharing.begin(), account.sharing.end(), limited)) return "";
  std::string out = "\nshares of pools, % of the dominant resource:\n";
  for (const PoolSharing& pool : account.sharing)
    out += fmt::format(
        "  {:<16} entitled {:5.1f}  uses {:5.1f}  wants {:5.1f}  holds {:5.1f}  lends {:5.1f}  borrows {:5.1f}{}\n",
        pool.pool, 100 * pool.entitlement, 100 * pool.use, 100 * pool.wanted, 100 * pool.held, 100 * pool.lent,
        100 * pool.borrowed,
        pool.price_of_sharing > 0 ? fmt::format("  one more core-hour would save {:.3g} USD", pool.price_of_sharing)
                                  : "");
  return out;
}

std::string plan_text(const PlanResult& result) {
  const Plan& plan = result.plan;
  const PlanAccount& account = plan.account;
  std::string out = fmt::format("{} on {}: {} nodes, {} pending tasks\n\n", result.policy, result.file,
                                result.cluster->nodes.size(), result.cluster->pending_tasks);
  out += fmt::format("assigned {}, deferred {}, moves {}, drops {}\n", plan.assignments.size(), result.deferred,
                     plan.moves.size(), plan.drops.size());
  for (const DeferralReason reason : enumerators<DeferralReason>)
    if (const std::uint64_t count = result.deferred_by_reason[reason]; count > 0)
      out += fmt::format("  {:>9} wait: {} ({})\n", count, in_words(reason), to_string(reason));
  out += "\n" + cost_rows(account) + "\n" + bound_lines(account);
  if (account.node_local_share)
    out += fmt::format("{:.1f} % of the reads are local to the node; at most {:.1f} % could be, on these nodes\n",
                       100 * *account.node_local_share, 100 * account.node_local_bound.value_or(1));
  const StageTimes& time = account.seconds;
  out += fmt::format("decided in {}", page::duration(result.seconds));
  if (time.total > 0)
    out += fmt::format(" (ms: group {:.2f}, solve {:.2f}, round {:.2f}, pack {:.2f}, locality {:.2f})",
                       1e3 * time.group, 1e3 * time.solve, 1e3 * time.round, 1e3 * time.pack, 1e3 * time.locality);
  out += "\n";
  const std::vector<std::string> sentences = shadow_price_sentences(account, 10);
  if (!sentences.empty()) out += "\nwhat would change the cost (shadow prices):\n";
  for (const std::string& sentence : sentences) out += "  " + sentence + "\n";
  return out + sharing_rows(account);
}

std::string plan_json(const PlanResult& result) {
  const Plan& plan = result.plan;
  const PlanAccount& account = plan.account;
  Json json;
  json["policy"] = result.policy;
  json["version"] = version;
  json["cost"] = cost_of(account);
  json["lowerBound"] = account.lower_bound ? Json(account.lower_bound->value()) : Json();
  json["gap"] = account.lower_bound ? Json(account.gap) : Json();
  json["loss"] = account.lower_bound ? Json(account.loss.value()) : Json();
  json["terms"] = Json::object();
  for (const TermDollars& term : account.terms) json["terms"][term.term] = term.usd.value();
  json["form"] = to_string(account.form);
  json["seconds"] = result.seconds;
  json["nodes"] = result.cluster->nodes.size();
  json["pending"] = result.cluster->pending_tasks;
  json["assigned"] = plan.assignments.size();
  json["deferred"] = result.deferred;
  json["moves"] = plan.moves.size();
  json["drops"] = plan.drops.size();
  json["billing"] = "use";
  json["dollars"] = {{"total", account.dollars().value()},   {"cpu", account.cpu.value()},
                     {"transfer", account.transfer.value()}, {"shuffle", account.shuffle.value()},
                     {"moves", account.copies.value()},      {"storage", account.storage.value()},
                     {"waiting", account.waiting.value()},   {"locality", account.locality.value()},
                     {"fairness", account.fairness.value()}};
  const StageTimes& time = account.seconds;
  json["stages"] = {{"group", time.group}, {"solve", time.solve},       {"round", time.round},
                    {"pack", time.pack},   {"locality", time.locality}, {"total", time.total}};
  json["groups"] = account.groups;
  json["classes"] = account.classes;
  json["rows"] = account.rows;
  json["columns"] = account.columns;
  json["fellBack"] = account.fell_back;
  json["nodeLocalShare"] = account.node_local_share ? Json(*account.node_local_share) : Json();
  json["homeGap"] = account.home_gap ? Json(*account.home_gap) : Json();
  json["jobsApart"] = account.jobs_apart;
  json["expectedRoom"] = account.expected_room().value();
  json["nodeLocalBound"] = account.node_local_bound ? Json(*account.node_local_bound) : Json();
  json["pools"] = Json::array();
  for (const PoolSharing& pool : account.sharing)
    json["pools"].push_back({{"pool", pool.pool},
                             {"entitlement", pool.entitlement},
                             {"use", pool.use},
                             {"wanted", pool.wanted},
                             {"held", pool.held},
                             {"lent", pool.lent},
                             {"borrowed", pool.borrowed},
                             {"priceOfSharing", pool.price_of_sharing}});
  json["shadowPrices"] = Json::array();
  for (const ShadowPrice& price : account.shadow_prices)
    json["shadowPrices"].push_back({{"of", price.of}, {"usdPerUnit", price.usd_per_unit}, {"unit", price.unit}});
  json["deferredByReason"] = Json::object();
  for (const DeferralReason reason : enumerators<DeferralReason>)
    json["deferredByReason"][std::string(to_string(reason))] = result.deferred_by_reason[reason];
  return json.dump(2) + "\n";
}

}  // namespace lips::cmd

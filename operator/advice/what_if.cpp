#include "advice/what_if.h"

#include "advice/forecast.h"
#include "advice/place.h"

namespace lips::advice {

Result<Figures> figures_of(const Question& question) {
  const ClusterSnapshot& cluster = question.cluster;
  const Result<Outcome> outcome = ask(question);
  if (!outcome) return tl::unexpected(outcome.error());
  Figures figures;
  figures.pending = cluster.pending_tasks;
  figures.starting = outcome->starting.size();
  for (const Assignment& assignment : outcome->starting) {
    const Place place = place_of(question, assignment);
    figures.bill += place.bill;
    if (place.locality != Locality::remote) continue;
    ++figures.remote_reads;
    figures.across_zones += cluster.tasks[assignment.task].input;
  }
  for (const DataMove& move : outcome->plan.moves) {
    const ZoneId from = cluster.stores[move.from].zone, to = cluster.stores[move.to].zone;
    if (from != to) figures.across_zones += cluster.blocks[move.block].size;
    figures.bill.moves += cluster.blocks[move.block].size * question.costs.transfer(from, to);
  }
  if (outcome->plan.account.objective) figures.cost = outcome->plan.account.objective->value();
  const Result<Forecast> ahead = forecast(question);
  if (!ahead) return tl::unexpected(ahead.error());
  double waited = 0;
  for (const auto& [task, after] : ahead->starts) waited += to_seconds(after);
  if (!ahead->starts.empty()) figures.mean_wait = waited / static_cast<double>(ahead->starts.size());
  figures.beyond = cluster.pending_tasks - ahead->starts.size();
  return figures;
}

Result<Comparison> compare(const Question& question, const std::vector<Change>& changes) {
  const Result<Figures> before = figures_of(question);
  if (!before) return tl::unexpected(before.error());
  Question changed = question;
  for (const Change& change : changes) apply_change(change, changed);
  const Result<Figures> after = figures_of(changed);
  if (!after) return tl::unexpected(after.error());
  return Comparison{*before, *after};
}

}  // namespace lips::advice

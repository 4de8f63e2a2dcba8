#include "policies/lips/program/paid_parts.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace lips {

namespace {

// Those of another urgency than usual that some class may refuse for different reasons: few.
std::vector<const Commodity*> urgent_kinds(const Workload& workload) {
  std::set<std::tuple<ConstraintId, Resources>> known;
  std::vector<const Commodity*> kinds;
  for (const Commodity& commodity : workload.commodities)
    if (commodity.urgency != 1 && known.insert({commodity.constraint, commodity.request}).second)
      kinds.push_back(&commodity);
  return kinds;
}

}  // namespace

PaidParts::PaidParts(const NodeClasses& classes, const Workload& workload) {
  const std::vector<const Commodity*> kinds = urgent_kinds(workload);
  if (kinds.empty()) return;
  const auto is_paid = [](const CapacityStep& step) { return step.paid; };
  std::vector<ClassId> paid;
  for (const ClassId c : classes.classes.ids())
    if (std::any_of(classes.steps[c].begin(), classes.steps[c].end(), is_paid)) paid.push_back(c);
  if (paid.empty()) return;
  is_parted_ = IdVector<ClassId, bool>(classes.classes.size(), false);
  for (const ClassId c : paid) {
    if (std::none_of(kinds.begin(), kinds.end(),
                     [&](const Commodity* kind) { return classes.takes(c, kind->constraint, kind->request); }))
      continue;
    if (none()) {
      parted_ = classes;
      for (const ClassId known : classes.classes.ids()) of_.push_back(known);
    }
    of_.push_back(c);
    is_parted_[c] = true;
    part(c);
  }
}

void PaidParts::part(ClassId c) {
  NodeClass paid = parted_.classes[c];
  paid.to_pay = price_of_paid_capacity;
  std::vector<CapacityStep>& all = parted_.steps[c];
  const auto first = std::stable_partition(all.begin(), all.end(), [](const CapacityStep& step) { return !step.paid; });
  std::vector<CapacityStep> steps(first, all.end());
  all.erase(first, all.end());
  for (CapacityStep& step : steps) step.waiting_price += (1 - price_of_paid_capacity) * paid.price.value();
  parted_.steps.push_back(std::move(steps));
  parted_.now_window.push_back(parted_.now_window[c]);
  parted_.classes.push_back(std::move(paid));
}

Amounts PaidParts::add_up(const Amounts& parted) const {
  Amounts all = parted;
  for (std::vector<std::pair<ClassId, double>>& amounts : all.in_class) {
    std::vector<std::pair<ClassId, double>> sums;
    for (const auto& [c, work] : amounts) {
      const ClassId whole = of_[c];
      const auto known = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == whole; });
      known == sums.end() ? sums.emplace_back(whole, work) : * known = {whole, known->second + work};
    }
    amounts = std::move(sums);
  }
  for (const ClassId c : of_.ids())
    if (of_[c] != c) all.open_work[of_[c]] += all.open_work[c];
  all.open_work.resize(is_parted_.size());
  return all;
}

}  // namespace lips

#include "policies/papers/lsap/group_fairness.h"

#include <algorithm>
#include <cmath>

namespace lips::lsap {

namespace {

constexpr double full_share = 100;  // GFC of a group that uses exactly its share

double total_running(std::span<const GroupUse> groups) {
  double sum = 0;
  for (const GroupUse& group : groups) sum += static_cast<double>(group.running);
  return sum;
}

double rounded(double slots, ShareRounding rounding) {
  constexpr double slack = 1e-9;  // 0.1 + 0.2 of 10 slots are 3
  switch (rounding) {
    case ShareRounding::down:
      return std::floor(slots + slack);
    case ShareRounding::up:
      return std::ceil(slots - slack);
    case ShareRounding::nearest:
      break;
  }
  return std::floor(slots + 0.5 + slack);
}

double least_beta(std::span<const double> weights) {
  double least = 1, greatest = 0;
  for (const double weight : weights) {
    if (weight <= 0) continue;
    least = std::min(least, weight);
    greatest = std::max(greatest, weight);
  }
  // One group has all: whoever else waits has no share, and costs more than a full one.
  return greatest < 1 ? full_share / (least * (1 - greatest)) : 2 * full_share;
}

}  // namespace

std::vector<double> normalised_weights(std::span<const GroupUse> groups) {
  double sum = 0;
  for (const GroupUse& group : groups) sum += std::max(0.0, group.weight);
  std::vector<double> weights;
  for (const GroupUse& group : groups)
    weights.push_back(sum > 0 ? std::max(0.0, group.weight) / sum : 1 / static_cast<double>(groups.size()));
  return weights;
}

std::vector<GroupCost> group_costs(std::span<const GroupUse> groups, std::uint64_t slots, double beta,
                                   ShareRounding rounding) {
  const std::vector<double> weights = normalised_weights(groups);
  const double running = total_running(groups);
  if (beta <= 0) beta = least_beta(weights);
  std::vector<GroupCost> costs;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    GroupCost cost;
    const double used = static_cast<double>(groups[i].running);
    if (weights[i] > 0 && running > 0) cost.chosen = full_share * (used / running) / weights[i];
    // The only group with a weight competes with itself: none of its tasks is dearer than the others.
    cost.rest = weights[i] < 1 ? (1 - weights[i]) * beta : cost.chosen;
    const double open = rounded(static_cast<double>(slots) * weights[i], rounding) - used;
    cost.to_occupy = std::min(groups[i].waiting, static_cast<std::uint64_t>(std::max(0.0, open)));
    costs.push_back(cost);
  }
  return costs;
}

double fairness_distance(std::span<const GroupUse> groups) {
  const std::vector<double> weights = normalised_weights(groups);
  const double running = total_running(groups);
  double sum = 0, counted = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (weights[i] <= 0) continue;
    const double used = running > 0 ? static_cast<double>(groups[i].running) / running : 0;
    sum += std::abs(used - weights[i]) / weights[i];
    counted += 1;
  }
  return counted > 0 ? sum / counted : 0;
}

}  // namespace lips::lsap

// The nodes that the constraints of pending jobs allow, worked out once for all questions of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "model/eligible_profiles.h"
#include "model/snapshot.h"

namespace lips {

class EligibleNodes {
 public:
  EligibleNodes() = default;
  explicit EligibleNodes(const ClusterSnapshot& cluster);  // outlives it

  // The answer of ClusterSnapshot::eligible().
  bool contain(ConstraintId constraint, NodeId node) const {
    const std::uint32_t place = place_of_[constraint.valid() ? constraint.index() : place_of_.size() - 1];
    if (place == unknown) return cluster_->eligible(constraint, node);
    return sets_[place].contains(cluster_->nodes[node].profile);
  }
  // The profiles that each constraint of a pending job allows; several may be equal.
  const std::vector<ProfileSet>& sets() const { return sets_; }

 private:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  const ClusterSnapshot* cluster_ = nullptr;
  std::vector<std::uint32_t> place_of_;  // by constraint, the last that of jobs without one
  std::vector<ProfileSet> sets_;
};

}  // namespace lips

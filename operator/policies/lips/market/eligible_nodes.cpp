#include "policies/lips/market/eligible_nodes.h"

namespace lips {

EligibleNodes::EligibleNodes(const ClusterSnapshot& cluster)
    : cluster_(&cluster), place_of_(cluster.constraints.size() + 1, unknown) {
  const EligibleProfiles profiles(cluster.profiles);
  for (const JobId id : cluster.pending) {
    const ConstraintId constraint = cluster.jobs[id].constraint;
    std::uint32_t& place = place_of_[constraint.valid() ? constraint.index() : place_of_.size() - 1];
    if (place != unknown) continue;
    place = static_cast<std::uint32_t>(sets_.size());
    sets_.push_back(profiles.of(constraint.valid() ? cluster.constraints[constraint] : PlacementConstraint{}));
  }
}

}  // namespace lips

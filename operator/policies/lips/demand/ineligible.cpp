#include "policies/lips/demand/ineligible.h"

#include <map>
#include <utility>

#include "model/launch_room.h"

namespace lips {

void defer_ineligible(const ClusterSnapshot& cluster, const NodeClasses& classes, std::vector<Deferral>& deferrals) {
  std::map<std::pair<ConstraintId, Resources>, bool> known;
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    if (job.whole.peers) continue;
    const auto [found, added] = known.try_emplace({job.constraint, job.request}, false);
    if (added) {
      for (const ClassId c : classes.classes.ids())
        found->second = found->second || classes.takes(c, job.constraint, job.request);
      // Classes leave out offers: all of them by use, and those that are no better than another.
      for (const Offer& offer : cluster.offers)
        found->second =
            found->second || (nodes_left(cluster, offer) > 0 && classes.eligible.contain(job.constraint, offer.like) &&
                              fits(job.request, cluster.nodes[offer.like].capacity));
    }
    if (found->second) continue;
    for (const TaskGroup& group : cluster.groups[id])
      for (const TaskId task : cluster.tasks_of(group)) deferrals.push_back({task, DeferralReason::not_eligible});
  }
}

}  // namespace lips

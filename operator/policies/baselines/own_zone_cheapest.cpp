// A cloud rule of thumb: stay in a zone that holds the data, take its cheapest free slot, and wait if there is none.
#include <algorithm>

#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

// The group's own zones: those of its replicas, or the zone with most of the map output. Empty: anywhere.
ZoneSet home_zones(const Job& job, const TaskGroup& group) {
  if (group.reads) return group.zones;
  ZoneSet home;
  if (group.kind != TaskKind::reduce || job.map_output.empty()) return home;
  const auto most = std::max_element(job.map_output.begin(), job.map_output.end());
  if (most->value() > 0) home.insert(ZoneId(static_cast<std::uint32_t>(most - job.map_output.begin())));
  return home;
}

class OwnZoneCheapest : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    if (draft.free.open_left() == 0) return draft.finish(DeferralReason::no_capacity);
    CheapestNodes nodes(input.cluster, draft.free);
    for (JobId job : input.cluster.pending) {
      if (draft.free.open_left() == 0) break;
      const std::vector<TaskGroup>& groups = input.cluster.groups[job];
      for (std::uint32_t group = 0; group < groups.size(); ++group)
        if (can_run(groups[group])) place(draft, nodes, job, group);
    }
    const bool room = draft.free.open_left() > 0;
    return draft.finish(room ? DeferralReason::cheaper_later : DeferralReason::no_capacity);
  }

 private:
  static void place(Draft& draft, CheapestNodes& nodes, JobId id, std::uint32_t group) {
    const Job& job = draft.cluster.jobs[id];
    const FreeCapacity::Kind kind = draft.free.kind_of(job);
    const ZoneSet home = home_zones(job, draft.cluster.groups[id][group]);
    while (draft.tasks.left(id, group) > 0) {
      NodeId node = home.empty() ? nodes.anywhere(kind) : nodes.among(kind, home);
      // A job that can never run in its own zones has nothing to wait for.
      if (!node.valid() && !home.empty() && (home.bits() & draft.free.zones_that_could_take(kind).bits()) == 0)
        node = nodes.anywhere(kind);
      if (!node.valid()) return;
      const TaskOnNode chosen = prefer_replica(draft, id, group, node);
      draft.assign(chosen.task, chosen.node);
    }
  }
};

}  // namespace

std::unique_ptr<Policy> make_own_zone_cheapest(const PolicySettings&) { return std::make_unique<OwnZoneCheapest>(); }

}  // namespace lips

// A cloud rule of thumb: stay in a zone that holds the data, take its cheapest free slot, and wait if there is none.
#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/draft.h"
#include "policies/drafting/own_zones.h"

namespace lips {

namespace {

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
    const ZoneSet home = own_zones(job, draft.cluster.groups[id][group]);
    assign_group(draft, id, group, [&] {
      const NodeId node = home.empty() ? nodes.anywhere(kind) : nodes.among(kind, home);
      if (node.valid()) return node;
      // A job that can never run in its own zones has nothing to wait for.
      const bool waits = home.empty() || (home.bits() & draft.free.zones_that_could_take(kind).bits()) != 0;
      return waits ? node : nodes.anywhere(kind);
    });
  }
};

}  // namespace

std::unique_ptr<Policy> make_own_zone_cheapest(const PolicySettings&) { return std::make_unique<OwnZoneCheapest>(); }

}  // namespace lips

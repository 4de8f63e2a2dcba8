// Starburst (Luo et al., USENIX ATC 2024): a job waits for the room that is cheap for it, a time in proportion to its
// work, and then takes, and pays for, any other.
#include <algorithm>
#include <optional>

#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/cheapest_offers.h"
#include "policies/drafting/cheapest_with_data.h"
#include "policies/drafting/draft.h"
#include "policies/drafting/own_zones.h"

namespace lips {

namespace {

class Starburst : public Policy {
 public:
  explicit Starburst(const PolicySettings& settings) : wait_per_cpu_hour_(settings.starburst.wait_per_cpu_hour) {}
  Cadence cadence() const override { return {}; }

  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    const CheapestOffers offers(input.cluster);
    CheapestNodes nodes(input.cluster, draft.free);
    const bool elastic = draft.launch_on_request();
    std::optional<Duration> next;  // until the first wait ends
    for (JobId job : input.cluster.pending) {
      if (draft.free.open_left() == 0 && !elastic) break;
      const Duration left = wait_left(input.cluster, job);
      if (left > Duration(0)) next = std::min(left, next.value_or(left));
      for (std::uint32_t group = 0; group < input.cluster.groups[job].size(); ++group) {
        if (!can_run(input.cluster.groups[job][group])) continue;
        if (place_cheaply(draft, nodes, offers, job, group) && left > Duration(0)) continue;
        place_anywhere(draft, nodes, offers, job, group);
      }
    }
    const bool room = draft.free.open_left() > 0;
    Plan plan = draft.finish(room ? DeferralReason::cheaper_later : DeferralReason::no_capacity);
    if (next) plan.replan_after = std::min(*next, cadence().interval);
    return plan;
  }

 private:
  Duration wait_left(const ClusterSnapshot& cluster, JobId id) const {
    const Job& job = cluster.jobs[id];
    return seconds(to_seconds(wait_per_cpu_hour_) * job.work.value() / 3600) - (cluster.now - job.arrival);
  }

  // On nodes that are there, in the zones of the data. False if the job has no such zone to wait for.
  static bool place_cheaply(Draft& draft, CheapestNodes& nodes, const CheapestOffers& offers, JobId id,
                            std::uint32_t group) {
    const Job& job = draft.cluster.jobs[id];
    const FreeCapacity::Kind kind = draft.free.kind_of(job);
    const ZoneSet own = own_zones(job, draft.cluster.groups[id][group]);
    assign_group(draft, id, group, [&] { return own.empty() ? nodes.anywhere(kind) : nodes.among(kind, own); });
    const std::uint64_t possible = draft.free.zones_that_could_take(kind).bits() | offers.zones(job).bits();
    return own.empty() || (own.bits() & possible) != 0;
  }

  // Wherever CPU and data cost least, and on nodes to be launched, in the zones of the data where there are any.
  static void place_anywhere(Draft& draft, CheapestNodes& nodes, const CheapestOffers& offers, JobId id,
                             std::uint32_t group) {
    const Job& job = draft.cluster.jobs[id];
    const FreeCapacity::Kind kind = draft.free.kind_of(job);
    const CheapestWithData cheapest(draft, id, group);
    assign_group(draft, id, group, [&] { return cheapest.node(nodes, kind); });
    if (draft.cluster.offers.empty() || draft.tasks.left(id, group) == 0) return;
    OfferId offer = offers.among(job, own_zones(job, draft.cluster.groups[id][group]));
    if (!offer.valid()) offer = offers.anywhere(job);
    if (offer.valid()) draft.request_nodes(id, group, offer);
  }

  Duration wait_per_cpu_hour_;
};

}  // namespace

std::unique_ptr<Policy> make_starburst(const PolicySettings& settings) { return std::make_unique<Starburst>(settings); }

}  // namespace lips

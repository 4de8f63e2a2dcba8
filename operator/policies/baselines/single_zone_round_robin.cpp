// The places that people pin by hand against traffic between zones: each job gets a zone, in turn, and all its tasks
// run there, on its cheapest free slots, wherever the data is.
#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/cheapest_offers.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

ZoneId nth(ZoneSet zones, std::uint32_t n) {
  for (std::uint32_t zone = 0;; ++zone)
    if (zones.contains(ZoneId(zone)) && n-- == 0) return ZoneId(zone);
}

// The zone that the job was given, or else the next one in turn that has nodes for it; none: no zone has.
ZoneId zone_of(Draft& draft, const CheapestOffers& offers, JobId id) {
  const Job& job = draft.cluster.jobs[id];
  const ZoneSet possible(draft.free.zones_that_could_take(draft.free.kind_of(job)).bits() | offers.zones(job).bits());
  if (possible.empty()) return ZoneId::none();
  JobMemory memory = draft.memory(id);
  if (memory.home.valid() && possible.contains(memory.home)) return memory.home;
  const std::uint32_t turn = job.whole.id.valid() ? job.whole.id.index() : id.index();
  memory.home = nth(possible, turn % static_cast<std::uint32_t>(possible.size()));
  memory.home_decided = true;
  draft.remember(id, memory);
  return memory.home;
}

class SingleZoneRoundRobin : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    const CheapestOffers offers(input.cluster);
    CheapestNodes nodes(input.cluster, draft.free);
    const bool elastic = draft.launch_on_request();
    for (JobId job : input.cluster.pending) {
      if (draft.free.open_left() == 0 && !elastic) break;
      const ZoneId zone = zone_of(draft, offers, job);
      if (!zone.valid()) continue;
      const OfferId offer = elastic ? offers.among(input.cluster.jobs[job], ZoneSet::of(zone)) : OfferId::none();
      const FreeCapacity::Kind kind = draft.free.kind_of(input.cluster.jobs[job]);
      for (std::uint32_t group = 0; group < input.cluster.groups[job].size(); ++group) {
        if (!can_run(input.cluster.groups[job][group])) continue;
        assign_group(draft, job, group, [&] { return nodes.in_zone(kind, zone); });
        if (offer.valid()) draft.request_nodes(job, group, offer);
      }
    }
    return draft.finish(DeferralReason::no_capacity);
  }
};

}  // namespace

std::unique_ptr<Policy> make_single_zone_round_robin(const PolicySettings&) {
  return std::make_unique<SingleZoneRoundRobin>();
}

}  // namespace lips

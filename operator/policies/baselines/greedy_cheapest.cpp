// LiPS's greedy algorithm (section IV): job by job, each task to the free slot of the lowest CPU plus transfer cost.
#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

// The bytes that each of the group's tasks brings into the zone: its block, or its share of the map output.
Usd data_cost(const Draft& draft, const Job& job, const TaskGroup& group, ZoneId zone) {
  if (group.reads) return group.input * draft.costs.transfer(group.zones, zone);
  Usd cost;
  if (group.kind == TaskKind::reduce)
    for (std::uint32_t from = 0; from < job.map_output.size(); ++from)
      cost += (job.map_output[from] / job.all_reduces()) * draft.costs.transfer(ZoneId(from), zone);
  return cost;
}

class GreedyCheapest : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    if (draft.free.open_left() > 0) {
      CheapestNodes nodes(input.cluster, draft.free);
      for (JobId job : input.cluster.pending) {
        if (draft.free.open_left() == 0) break;
        const std::vector<TaskGroup>& groups = input.cluster.groups[job];
        for (std::uint32_t group = 0; group < groups.size(); ++group)
          if (can_run(groups[group])) place(draft, nodes, job, group);
      }
    }
    Plan plan = draft.finish(DeferralReason::no_capacity);
    plan.account.form = ModelForm::greedy;
    return plan;
  }

 private:
  static void place(Draft& draft, CheapestNodes& nodes, JobId id, std::uint32_t group_index) {
    const Job& job = draft.cluster.jobs[id];
    const TaskGroup& group = draft.cluster.groups[id][group_index];
    const FreeCapacity::Kind kind = draft.free.kind_of(job);
    IdVector<ZoneId, Usd> data(draft.cluster.zones.size());
    for (ZoneId zone : data.ids()) data[zone] = data_cost(draft, job, group, zone);
    while (draft.tasks.left(id, group_index) > 0) {
      NodeId best;
      Usd least;
      for (ZoneId zone : data.ids()) {
        const NodeId node = nodes.in_zone(kind, zone);
        if (!node.valid()) continue;
        const Usd cost = CostModel::cpu(group.cpu, draft.cluster.nodes[node]) + data[zone];
        if (best.valid() && (cost > least || (cost == least && best < node))) continue;
        best = node;
        least = cost;
      }
      if (!best.valid()) return;
      const TaskOnNode chosen = prefer_replica(draft, id, group_index, best);
      draft.assign(chosen.task, chosen.node);
    }
  }
};

}  // namespace

std::unique_ptr<Policy> make_greedy_cheapest(const PolicySettings&) { return std::make_unique<GreedyCheapest>(); }

}  // namespace lips

#include "policies/lips/places.h"

#include <algorithm>
#include <map>

namespace lips {

namespace {

// The tasks of one portion that are not yet chosen.
class Chooser {
 public:
  Chooser(const ClusterSnapshot& cluster, const Portion& portion)
      : cluster_(cluster), job_(portion.job), group_(portion.group), next_(cluster.groups[portion.job][portion.group].first),
        chosen_(cluster.jobs[portion.job].tasks()) {}

  // Up to `count` tasks with a replica on the node.
  void local(NodeId node, std::uint32_t count, std::vector<TaskId>& tasks) {
    if (count == 0) return;
    cluster_.locality[job_].visit(node, [&](TaskId id) {
      const Task& task = cluster_.tasks[id];
      if (task.state != TaskState::pending || task.group != group_ || chosen(id)) return true;
      if (!cluster_.blocks[task.block].on(cluster_.node_store[node])) return true;
      take(id, tasks);
      return --count > 0;
    });
  }

  TaskId any() {
    while (chosen(next_)) next_ = cluster_.tasks[next_].next_pending;
    return next_;
  }
  void take(TaskId id, std::vector<TaskId>& tasks) {
    chosen_[offset(id)] = true;
    tasks.push_back(id);
  }

 private:
  std::size_t offset(TaskId id) const { return id.index() - cluster_.jobs[job_].first_task.index(); }
  bool chosen(TaskId id) const { return chosen_[offset(id)]; }

  const ClusterSnapshot& cluster_;
  JobId job_;
  std::uint32_t group_;
  TaskId next_;
  std::vector<bool> chosen_;
};

// One move instead of several remote reads of the same block in the same zone.
void share_copies(const ClusterSnapshot& cluster, std::size_t first, Plan& plan) {
  struct Copy {
    std::uint32_t readers = 0;
    StoreId store;
  };
  std::map<std::pair<BlockId, ZoneId>, Copy> copies;
  const auto copy_of = [&](const Assignment& assignment) -> Copy* {
    const BlockId block = cluster.tasks[assignment.task].block;
    const ZoneId zone = cluster.nodes[assignment.node].zone;
    if (!assignment.read_from.valid() || cluster.blocks[block].zones.contains(zone)) return nullptr;
    return &copies[{block, zone}];
  };
  for (std::size_t i = first; i < plan.assignments.size(); ++i)
    if (Copy* copy = copy_of(plan.assignments[i])) ++copy->readers;
  IdVector<StoreId, Mebibytes> taken(cluster.stores.size());
  for (std::size_t i = first; i < plan.assignments.size(); ++i) {
    Assignment& assignment = plan.assignments[i];
    Copy* copy = copy_of(assignment);
    if (!copy || copy->readers < 2) continue;
    const BlockId block = cluster.tasks[assignment.task].block;
    if (!copy->store.valid()) {
      const StoreId store = store_for_copy(cluster, block, assignment.node);
      const Mebibytes size = cluster.blocks[block].size;
      if (!store.valid()) continue;
      const DataStore& target = cluster.stores[store];
      if (target.capacity.value() > 0 && target.used + taken[store] + size > target.capacity) continue;
      taken[store] += size;
      copy->store = store;
      plan.moves.push_back({block, assignment.read_from, store, false});
    }
    assignment.read_from = copy->store;
  }
}

}  // namespace

StoreId store_for_copy(const ClusterSnapshot& cluster, BlockId block, NodeId node) {
  const Mebibytes size = cluster.blocks[block].size;
  const auto has_room = [&](StoreId id) {
    const DataStore& store = cluster.stores[id];
    return store.capacity.value() == 0 || store.used + size <= store.capacity;
  };
  const StoreId own = cluster.node_store[node];
  if (own.valid() && has_room(own)) return own;
  for (StoreId id : cluster.stores.ids()) {
    const DataStore& store = cluster.stores[id];
    if (!store.node.valid() && store.zone == cluster.nodes[node].zone && has_room(id)) return id;
  }
  return StoreId::none();
}

void choose_tasks(const PolicyInput& input, const Units& units, std::vector<Placement> placements, const PlaceSettings& settings,
                  Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  std::vector<std::uint32_t> order(placements.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return placements[a].portion < placements[b].portion; });
  std::vector<std::vector<TaskId>> tasks(placements.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const std::uint32_t portion = placements[order[first]].portion;
    Chooser chooser(cluster, units.portions[portion]);
    for (; last < order.size() && placements[order[last]].portion == portion; ++last) {
      const Placement& placement = placements[order[last]];
      chooser.local(placement.node, placement.tasks, tasks[order[last]]);
    }
    for (std::size_t i = first; i < last; ++i)
      while (tasks[order[i]].size() < placements[order[i]].tasks) chooser.take(chooser.any(), tasks[order[i]]);
  }
  std::vector<std::uint32_t> by_start(placements.size());
  for (std::uint32_t i = 0; i < by_start.size(); ++i) by_start[i] = i;
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return placements[a].start < placements[b].start; });
  const std::size_t first = plan.assignments.size();
  for (std::uint32_t i : by_start)
    for (TaskId task : tasks[i]) {
      const NodeId node = placements[i].node;
      const NearestReplica nearest = nearest_replica(cluster, input.costs, cluster.tasks[task].block, node);
      Assignment assignment{task, node, nearest.store, StoreId::none()};
      if (settings.keep_copies && !settings.share_copies && nearest.locality == Locality::remote)
        assignment.keep_in = store_for_copy(cluster, cluster.tasks[task].block, node);
      plan.assignments.push_back(assignment);
    }
  if (settings.share_copies) share_copies(cluster, first, plan);
}

}  // namespace lips

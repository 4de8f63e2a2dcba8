#include "policies/papers/lsap/wave.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_set>

namespace lips::lsap {

namespace {

class Gathering {
 public:
  Gathering(Draft& draft, bool by_rack, std::uint64_t like) : draft_(draft), by_rack_(by_rack), like_(like) {}

  Wave run() {
    for (const JobId job : draft_.cluster.pending) draft_.free.kind_of(draft_.cluster.jobs[job]);
    find_slots();
    if (wave_.slots == 0) return std::move(wave_);
    limit_ = by_rack_ ? std::numeric_limits<std::uint64_t>::max() : like_ * wave_.slots;
    for (const JobId job : draft_.cluster.pending) add(job);
    return std::move(wave_);
  }

 private:
  // Jobs of one pool that ask for the same, arrived together, and read as much from the same zones.
  using Alike = std::tuple<FreeCapacity::Kind, PoolId, TimePoint, double, std::uint64_t, bool>;

  void find_slots() {
    const std::vector<NodeId>& open = draft_.free.open();
    const std::size_t kinds = draft_.free.kinds();
    wave_.takes.assign(kinds, {});
    useful_.assign(kinds, false);
    for (const NodeId node : open) {
      std::int64_t slots = 0;
      for (FreeCapacity::Kind kind = 0; kind < kinds; ++kind)
        if (draft_.free.can_take(kind, node))
          slots = std::max(slots, fit_count(draft_.free.request(kind), draft_.free.left(node)));
      if (slots <= 0) continue;
      slots = std::min<std::int64_t>(
          {slots, std::numeric_limits<std::int32_t>::max(), static_cast<std::int64_t>(draft_.cluster.pending_tasks)});
      for (FreeCapacity::Kind kind = 0; kind < kinds; ++kind) {
        const bool takes = draft_.free.can_take(kind, node);
        wave_.takes[kind].push_back(takes);
        if (takes) useful_[kind] = true;
      }
      at_of_node_.emplace_back(node, wave_.nodes.size());
      wave_.nodes.push_back({node, static_cast<std::int32_t>(slots)});
      wave_.slots += static_cast<std::uint64_t>(slots);
    }
  }

  std::size_t at(NodeId node) const {
    const auto found = std::lower_bound(at_of_node_.begin(), at_of_node_.end(), std::pair(node, std::size_t{0}));
    return found != at_of_node_.end() && found->first == node ? found->second : wave_.nodes.size();
  }

  bool may_be_local(const Task& task, FreeCapacity::Kind kind) const {
    if (!task.block.valid()) return false;
    for (const Replica& replica : draft_.cluster.blocks[task.block].replicas) {
      const NodeId node = draft_.cluster.stores[replica.store].node;
      if (!node.valid()) continue;
      if (const std::size_t index = at(node); index < wave_.nodes.size() && wave_.takes[kind][index]) return true;
    }
    return false;
  }

  void add(JobId id) {
    const Job& job = draft_.cluster.jobs[id];
    const FreeCapacity::Kind kind = draft_.free.kind_of(job);
    if (!useful_[kind]) return;
    const std::vector<TaskGroup>& groups = draft_.cluster.groups[id];
    std::uint64_t waiting = 0;
    const std::size_t begin = wave_.tasks.size();
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      const std::uint32_t left = can_run(groups[group]) ? draft_.tasks.left(id, group) : 0;
      if (left == 0) continue;
      waiting += left;
      std::uint64_t& alike = alike_[Alike(kind, job.pool, job.arrival, groups[group].input.value(),
                                          groups[group].zones.bits(), groups[group].reads)];
      for (TaskId task = draft_.tasks.first(id, group); task.valid() && alike < limit_;
           task = draft_.cluster.tasks[task].next_pending) {
        if (draft_.tasks.taken(task)) continue;
        wave_.tasks.push_back({task, kind, may_be_local(draft_.cluster.tasks[task], kind)});
        ++alike;
      }
    }
    wave_.waiting += waiting;
    if (wave_.tasks.size() - begin < waiting) add_local(id, kind, begin);
    if (const std::uint64_t out = waiting - (wave_.tasks.size() - begin); out > 0)
      wave_.left_out.push_back({wave_.tasks.size(), job.pool, out});
  }

  // Those left out that have a replica on an idle node.
  void add_local(JobId id, FreeCapacity::Kind kind, std::size_t begin) {
    std::unordered_set<TaskId> known;  // looked up only
    for (std::size_t i = begin; i < wave_.tasks.size(); ++i) known.insert(wave_.tasks[i].task);
    for (std::size_t i = 0; i < wave_.nodes.size(); ++i) {
      if (!wave_.takes[kind][i]) continue;
      const StoreId store = draft_.cluster.node_store[wave_.nodes[i].node];
      draft_.cluster.locality[id].visit(wave_.nodes[i].node, [&](TaskId task) {
        const Task& what = draft_.cluster.tasks[task];
        if (what.state == TaskState::pending && !draft_.tasks.taken(task) && store.valid() &&
            draft_.cluster.blocks[what.block].on(store) && known.insert(task).second)
          wave_.tasks.push_back({task, kind, true});
        return true;
      });
    }
  }

  Draft& draft_;
  const bool by_rack_;
  const std::uint64_t like_;
  std::uint64_t limit_ = 0;
  Wave wave_;
  std::vector<bool> useful_;  // by kind: some idle node takes it
  std::vector<std::pair<NodeId, std::size_t>> at_of_node_;
  std::map<Alike, std::uint64_t> alike_;  // how many of them are in the wave
};

}  // namespace

Wave gather_wave(Draft& draft, bool by_rack, std::uint64_t like) { return Gathering(draft, by_rack, like).run(); }

}  // namespace lips::lsap

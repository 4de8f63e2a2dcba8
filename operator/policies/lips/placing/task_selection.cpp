#include "policies/lips/placing/task_selection.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>

#include "model/nearest_replicas.h"
#include "policies/lips/data/store_room.h"
#include "policies/lips/placing/fetch.h"
#include "solver/tiered_assignment.h"

namespace lips {

namespace {

struct Choice {
  TaskId task;
  StoreId read_from;
  bool leaves_copy = false;
};

// The tasks of each placement, one placement after the other.
class Chosen {
 public:
  explicit Chosen(const std::vector<Placement>& placements) {
    begin_.reserve(placements.size() + 1);
    std::size_t count = 0;
    for (const Placement& placement : placements) {
      begin_.push_back(count);
      count += placement.tasks;
    }
    begin_.push_back(count);
    choices_.resize(count);
  }
  std::span<Choice> of(std::uint32_t placement) {
    return std::span(choices_).subspan(begin_[placement], begin_[placement + 1] - begin_[placement]);
  }
  std::size_t size() const { return choices_.size(); }

 private:
  std::vector<std::size_t> begin_;  // [placement], and the end of the last
  std::vector<Choice> choices_;
};

// Marks on the tasks of one job at a time: a cluster has had many more than wait.
class JobMarks {
 public:
  void begin(const Job& job) {
    first_ = job.first_task.index();
    marked_.assign(job.tasks(), false);
  }
  bool contains(TaskId task) const { return marked_[task.index() - first_]; }
  void insert(TaskId task) { marked_[task.index() - first_] = true; }

 private:
  std::size_t first_ = 0;
  std::vector<bool> marked_;
};

// The tasks of one portion that are not yet chosen.
class Chooser {
 public:
  Chooser(const ClusterSnapshot& cluster, const Portion& portion, JobMarks& chosen)
      : cluster_(cluster),
        job_(portion.job),
        group_(portion.group),
        next_(cluster.groups[portion.job][portion.group].first),
        chosen_(chosen) {}

  // Tasks with a replica on the node, as many as there are or the span holds; returns how many.
  std::size_t local(NodeId node, std::span<Choice> choices) {
    std::size_t found = 0;
    if (choices.empty()) return found;
    cluster_.locality[job_].visit(node, [&](TaskId id) {
      const Task& task = cluster_.tasks[id];
      if (task.state != TaskState::pending || task.group != group_ || chosen_.contains(id)) return true;
      if (!cluster_.blocks[task.block].on(cluster_.node_store[node])) return true;
      choices[found++].task = take(id);
      return found < choices.size();
    });
    return found;
  }

  TaskId any() {
    while (chosen_.contains(next_)) next_ = cluster_.tasks[next_].next_pending;
    return take(next_);
  }

 private:
  TaskId take(TaskId id) {
    chosen_.insert(id);
    return id;
  }

  const ClusterSnapshot& cluster_;
  JobId job_;
  std::uint32_t group_;
  TaskId next_;
  JobMarks& chosen_;
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
    if (!assignment.read_from.valid() || cluster.stores[assignment.read_from].zone == zone) return nullptr;
    return &copies[{block, zone}];
  };
  for (std::size_t i = first; i < plan.assignments.size(); ++i)
    if (Copy* copy = copy_of(plan.assignments[i])) ++copy->readers;
  StoreRoom room(cluster, plan);
  for (std::size_t i = first; i < plan.assignments.size(); ++i) {
    Assignment& assignment = plan.assignments[i];
    Copy* copy = copy_of(assignment);
    if (!copy || copy->readers < 2) continue;
    const BlockId block = cluster.tasks[assignment.task].block;
    if (!copy->store.valid()) {
      copy->store = room.take_near(assignment.node, block);
      if (!copy->store.valid()) continue;
      plan.moves.push_back({block, assignment.read_from, copy->store, false});
    }
    assignment.read_from = copy->store;
  }
}

// The tasks of one portion for its placements.
class PortionTasks {
 public:
  PortionTasks(const ClusterSnapshot& cluster, const Portion& portion, const std::vector<Placement>& placements,
               std::span<const std::uint32_t> own)
      : cluster_(cluster),
        portion_(portion),
        group_(cluster.groups[portion.job][portion.group]),
        placements_(placements),
        own_(own) {
    for (std::uint32_t i : own_) wanted_ += placements[i].tasks;
  }

  std::uint32_t wanted() const { return wanted_; }
  bool reads() const { return group_.reads; }

  // Node by node; returns how many are local.
  std::uint32_t node_by_node(JobMarks& taken, Chosen& chosen) const {
    Chooser chooser(cluster_, portion_, taken);
    std::vector<std::span<Choice>> open;
    for (std::uint32_t i : own_) {
      const std::span<Choice> wanted = chosen.of(i);
      open.push_back(wanted.subspan(group_.reads ? chooser.local(placements_[i].node, wanted) : 0));
    }
    std::size_t far = 0;
    for (const std::span<Choice> rest : open) {
      for (Choice& choice : rest) choice.task = chooser.any();
      far += rest.size();
    }
    return wanted_ - static_cast<std::uint32_t>(far);
  }

  const TaskGroup& group() const { return group_; }
  const std::vector<Placement>& placements() const { return placements_; }
  std::span<const std::uint32_t> own() const { return own_; }

 private:
  const ClusterSnapshot& cluster_;
  const Portion& portion_;
  const TaskGroup& group_;
  const std::vector<Placement>& placements_;
  std::span<const std::uint32_t> own_;
  std::uint32_t wanted_ = 0;
};

// The most local tasks that the placements of one portion allow, where phases suffice. One portion after another uses
// the same memory.
class LocalityFlow {
 public:
  LocalityFlow(const ClusterSnapshot& cluster, const NearestReplicas& nearest)
      : cluster_(cluster), nearest_(nearest), bin_of_(cluster.nodes.size(), -1) {
    problem_.kinds = {{0, 1, 1, left_out_price}};
  }

  // How many are local; no choice exceeds `bound`.
  std::uint32_t choose(const PortionTasks& portion, Chosen& chosen, std::uint32_t& bound) {
    pose(portion);
    constexpr int phases = 40;
    const solver::TieredSolution& solution = solver_.solve(problem_, phases);
    std::size_t slots = 0;
    next_.clear();  // of each bin, in in_bins_
    for (const std::int32_t count : problem_.slots) {
      next_.push_back(slots);
      slots += static_cast<std::size_t>(count);
    }
    given_ = next_;
    in_bins_.resize(slots);
    std::size_t item = 0;
    for (TaskId task : cluster_.tasks_of(portion.group())) {
      const std::int32_t bin = solution.bin_of_item[item++];
      if (bin >= 0) in_bins_[next_[static_cast<std::size_t>(bin)]++] = task;
    }
    for (std::uint32_t i : portion.own()) {
      const auto bin = static_cast<std::size_t>(bin_of_[portion.placements()[i].node]);
      for (Choice& choice : chosen.of(i)) choice.task = in_bins_[given_[bin]++];
    }
    for (std::uint32_t i : portion.own()) bin_of_[portion.placements()[i].node] = -1;
    const std::int64_t left_out = std::int64_t{portion.group().count} - portion.wanted();
    const std::int64_t far = solution.lower_bound - left_out_price * left_out;
    bound = portion.wanted() - static_cast<std::uint32_t>(std::clamp<std::int64_t>(far, 0, portion.wanted()));
    return static_cast<std::uint32_t>(std::count(solution.tier.begin(), solution.tier.end(), solver::Tier::near));
  }

 private:
  static constexpr std::int64_t left_out_price = 2;

  // Items are the portion's pending tasks, bins the nodes with its placements. A read from elsewhere costs 1.
  void pose(const PortionTasks& portion) {
    problem_.slots.clear();
    problem_.near_bins.clear();
    problem_.near_start.assign(1, 0);
    for (std::uint32_t i : portion.own()) {
      const Placement& placement = portion.placements()[i];
      std::int32_t& bin = bin_of_[placement.node];
      if (bin < 0) {
        bin = static_cast<std::int32_t>(problem_.slots.size());
        problem_.slots.push_back(0);
      }
      problem_.slots[static_cast<std::size_t>(bin)] += static_cast<std::int32_t>(placement.tasks);
    }
    problem_.group_of_bin.assign(problem_.slots.size(), 0);
    for (TaskId task : cluster_.tasks_of(portion.group())) {
      const auto first = problem_.near_start.back();
      for (const Replica& replica : cluster_.blocks[cluster_.tasks[task].block].replicas) {
        const NodeId node = nearest_.at(replica.store).node;
        if (!node.valid() || bin_of_[node] < 0) continue;
        const auto begin = problem_.near_bins.begin() + first;
        if (std::find(begin, problem_.near_bins.end(), bin_of_[node]) == problem_.near_bins.end())
          problem_.near_bins.push_back(bin_of_[node]);
      }
      problem_.near_start.push_back(static_cast<std::int32_t>(problem_.near_bins.size()));
    }
  }

  const ClusterSnapshot& cluster_;
  const NearestReplicas& nearest_;
  solver::TieredSolver solver_;
  solver::TieredAssignment problem_;
  IdVector<NodeId, std::int32_t> bin_of_;  // -1: none
  std::vector<std::size_t> next_, given_;
  std::vector<TaskId> in_bins_;
};

// The source of a task on a node: a replica there is, or one that is on its way and costs less to read.
class Sources {
 public:
  explicit Sources(const PolicyInput& input)
      : cluster_(input.cluster), costs_(input.costs), nearest_(input.cluster, input.costs) {
    for (const MoveInFlight& move : cluster_.moves) coming_[move.block].push_back(move.to);
  }

  const NearestReplicas& nearest() const { return nearest_; }
  // `charged`: the zone whose link was charged, if that is not the reader's own.
  StoreId of(const TaskGroup& group, BlockId block, ZoneId charged, const Location& reader) const {
    if (block.valid() && charged.valid() && !group.zones_soon().contains(reader.zone))
      if (const StoreId store = in_zone(group, block, charged); store.valid()) return store;
    const StoreId now = nearest_.of(block, reader).store;
    if (group.coming.empty() || !block.valid() || group.zones.contains(reader.zone)) return now;
    StoreId best = now;
    const auto price = [&](StoreId store) {
      return store.valid() ? costs_.transfer(nearest_.at(store).zone, reader.zone).value() : 1e300;
    };
    for (const StoreId store : coming_.at(block))
      if (price(store) < price(best)) best = store;
    return best;
  }

 private:
  StoreId in_zone(const TaskGroup& group, BlockId block, ZoneId zone) const {
    for (const Replica& replica : cluster_.blocks[block].replicas)
      if (cluster_.stores[replica.store].zone == zone) return replica.store;
    if (group.coming.contains(zone))
      for (const StoreId store : coming_.at(block))
        if (cluster_.stores[store].zone == zone) return store;
    return StoreId::none();
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NearestReplicas nearest_;
  std::unordered_map<BlockId, std::vector<StoreId>> coming_;
};

// Numbers of placements by portion, in their order.
class ByPortion {
 public:
  ByPortion(const std::vector<Placement>& placements, std::size_t portions)
      : begin_(portions + 1, 0), order_(placements.size()) {
    for (const Placement& placement : placements) ++begin_[placement.portion.index() + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t i = 0; i < placements.size(); ++i) order_[next[placements[i].portion.index()]++] = i;
  }
  std::span<const std::uint32_t> operator[](PortionId portion) const {
    const std::uint32_t begin = begin_[portion.index()];
    return std::span(order_).subspan(begin, begin_[portion.index() + 1] - begin);
  }

 private:
  std::vector<std::uint32_t> begin_;  // [portion], and the end of the last
  std::vector<std::uint32_t> order_;
};

// Packing adds most placements by their start, so only the others are sorted.
std::vector<std::uint32_t> by_start(const std::vector<Placement>& placements) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return placements[a].start < placements[b].start; };
  std::vector<std::uint32_t> order(placements.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto sorted = std::is_sorted_until(order.begin(), order.end(), before);
  std::stable_sort(sorted, order.end(), before);
  std::inplace_merge(order.begin(), sorted, order.end(), before);
  return order;
}

// More tasks than this are chosen node by node.
constexpr std::uint64_t most_flow_tasks = 200'000;

Chosen choose(const PolicyInput& input, const Workload& workload, const std::vector<Placement>& placements,
              const TaskSelectionSettings& settings, LocalityReached& reached) {
  const ClusterSnapshot& cluster = input.cluster;
  const bool by_flow = settings.by_flow && cluster.pending_tasks <= most_flow_tasks;
  const Sources sources(input);
  const NearestReplicas& nearest = sources.nearest();
  const ByPortion by_portion(placements, workload.portions.size());
  std::optional<LocalityFlow> flow;
  if (by_flow) flow.emplace(cluster, nearest);
  JobMarks taken;
  Chosen chosen(placements);
  const auto job_of = [&](PortionId id) {
    return workload.portions.contains(id) ? workload.portions[id].job : JobId::none();
  };
  JobId now, next;
  for (const PortionId portion : workload.portions.ids()) {
    if (job_of(portion) != now) {
      now = job_of(portion);
      taken.begin(cluster.jobs[now]);
      for (PortionId later = portion; (next = job_of(later)) == now;) later = PortionId(later.index() + 1);
      if (next.valid()) fetch_tasks(cluster, next), fetch_blocks(cluster, next);
      fetch_replicas(cluster, now);
    }
    const std::span<const std::uint32_t> own = by_portion[portion];
    if (own.empty()) continue;
    const PortionTasks chooser(cluster, workload.portions[portion], placements, own);
    std::uint32_t local = chooser.node_by_node(taken, chosen), bound = chooser.wanted();
    if (!chooser.reads()) continue;
    if (flow && local < bound) local = flow->choose(chooser, chosen, bound);
    for (std::uint32_t i : own) {
      const Location& reader = nearest.at(placements[i].node);
      for (Choice& choice : chosen.of(i)) {
        const BlockId block = cluster.tasks[choice.task].block;
        choice.read_from = sources.of(chooser.group(), block, placements[i].from, reader);
        choice.leaves_copy = settings.copies && choice.read_from.valid() &&
                             (*settings.copies)(block, nearest.at(choice.read_from).zone, reader.zone);
      }
    }
    reached.readers += chooser.wanted();
    reached.local += local;
    reached.bound += bound;
  }
  return chosen;
}

}  // namespace

LocalityReached choose_tasks(const PolicyInput& input, const Workload& workload,
                             const std::vector<Placement>& placements, const TaskSelectionSettings& settings,
                             Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  LocalityReached reached;
  if (placements.empty()) return reached;
  Chosen chosen = choose(input, workload, placements, settings, reached);
  const std::size_t first = plan.assignments.size();
  plan.assignments.reserve(first + chosen.size());
  StoreRoom room(cluster, plan);
  for (std::uint32_t i : by_start(placements))
    for (const Choice& choice : chosen.of(i)) {
      const NodeId node = placements[i].node;
      Assignment assignment{choice.task, node, choice.read_from, StoreId::none()};
      if (choice.leaves_copy) assignment.keep_in = room.take_near(node, cluster.tasks[choice.task].block);
      plan.assignments.push_back(std::move(assignment));
    }
  if (settings.share_copies) share_copies(cluster, first, plan);
  return reached;
}

}  // namespace lips

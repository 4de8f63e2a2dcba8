#include "policies/papers/lips_paper/lips_paper_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>

#include "model/task_bill.h"
#include "policies/papers/lips_paper/lips_paper_rounding.h"

namespace lips::paper {

namespace {

constexpr double least_room = 1e-6;  // CPU-seconds of a node that are no room

class Placement {
 public:
  Placement(const PolicyInput& input, const SnapshotInstance& snapshot, const Solution& solution)
      : cluster_(input.cluster), costs_(input.costs), from_(snapshot), solution_(solution), room_(snapshot.capacity) {
    nodes_.resize(from_.machine_nodes.size());
    for (std::size_t machine = 0; machine < nodes_.size(); ++machine)
      for (NodeId node : from_.machine_nodes[machine]) nodes_[machine].push({time_left(node), node});
    for (const DataStore& store : cluster_.stores)
      space_.push_back(store.capacity.value() > 0 ? store.capacity.value() - store.used.value() : 1e300);
    for (const MoveInFlight& move : cluster_.moves) coming_[move.block].push_back(move.to);
    placed_ = IdVector<TaskId, std::uint8_t>(cluster_.tasks.size(), 0);
  }

  Plan run(CpuSeconds least_task) {
    round(least_task);
    std::vector<int> order(from_.instance.parts.size());
    std::iota(order.begin(), order.end(), 0);
    const auto priority = [&](int part) {
      return cluster_.jobs[from_.job_ids[from_.instance.parts[part].job]].priority;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return priority(a) > priority(b); });
    for (int part : order) place_readers_of_copies(part);
    for (int part : order) place_local(part);
    for (int part : order) place_rest(part);
    for (int part : order) spill(part);
    for (int part : order) start_long(part);
    return finish();
  }

 private:
  struct Piece {
    int machine, store;
    std::uint32_t count;
  };
  struct Spot {
    double room;  // seconds of the whole node
    NodeId node;
    bool operator<(const Spot& other) const { return room != other.room ? room < other.room : node > other.node; }
  };
  struct Placed {
    Assignment assignment;
    bool moving;
  };

  const Part& part_of(int part) const { return from_.instance.parts[part]; }
  CpuSeconds task_cpu(int part) const { return part_of(part).cpu / part_of(part).tasks; }
  bool is_copy(int part, int store) const {
    if (store < 0) return false;
    const std::vector<int>& origins = from_.instance.data[part_of(part).data].origins;
    return !std::binary_search(origins.begin(), origins.end(), store);
  }

  void round(CpuSeconds least_task) {
    pieces_.resize(from_.instance.parts.size());
    for (const Flow& flow : solution_.flows) pieces_[flow.part].push_back({flow.machine, flow.store, 0});
    std::vector<std::vector<double>> shares(pieces_.size());
    for (const Flow& flow : solution_.flows) shares[flow.part].push_back(flow.share);
    for (std::size_t part = 0; part < pieces_.size(); ++part) {
      shares[part].push_back(solution_.waiting[part]);
      const double cpu = task_cpu(static_cast<int>(part)).value();
      const double least = cpu > 0 ? std::clamp(std::ceil(least_task.value() / cpu - 1e-9), 1.0, 1e6) : 1;
      const std::vector<std::uint32_t> counts = round_shares(
          shares[part], static_cast<std::uint32_t>(from_.part_tasks[part].size()), static_cast<std::uint32_t>(least));
      for (std::size_t i = 0; i < pieces_[part].size(); ++i) pieces_[part][i].count = counts[i];
    }
  }

  // Where the run of an object's blocks that go to a store begins: equal for all its readers, so that they read the
  // same copies.
  std::map<std::pair<int, int>, double> copy_starts() const {
    std::map<std::pair<int, int>, double> starts;
    int data = -1;
    double start = 0;
    for (const Move& move : solution_.moves) {
      if (move.data != data) start = 0;
      data = move.data;
      starts[{move.data, move.store}] = start;
      start += move.share;
    }
    return starts;
  }

  void place_readers_of_copies(int part) {
    if (!starts_) starts_ = copy_starts();
    const std::vector<TaskId>& tasks = from_.part_tasks[part];
    std::map<int, std::size_t> next;  // by store: several machines go on where the last one ended
    for (Piece& piece : pieces_[part]) {
      if (!is_copy(part, piece.store)) continue;
      const auto start = starts_->find({part_of(part).data, piece.store});
      auto [at, added] = next.try_emplace(piece.store, 0);
      if (added && start != starts_->end())
        at->second = static_cast<std::size_t>(std::llround(start->second * static_cast<double>(tasks.size())));
      for (std::size_t looked = 0; looked < tasks.size() && piece.count > 0; ++looked) {
        const TaskId task = tasks[at->second++ % tasks.size()];
        if (placed_[task]) continue;
        const std::optional<NodeId> node = roomiest(piece.machine);
        if (!node) break;
        put(part, task, *node, piece.store);
        --piece.count;
      }
    }
  }

  void place_local(int part) {
    if (part_of(part).data < 0) return;
    std::map<int, Piece*> open;
    for (Piece& piece : pieces_[part])
      if (piece.count > 0 && !is_copy(part, piece.store)) open.emplace(piece.machine, &piece);
    if (open.empty()) return;
    for (TaskId task : from_.part_tasks[part]) {
      if (placed_[task]) continue;
      for (const Replica& replica : cluster_.blocks[cluster_.tasks[task].block].replicas) {
        const NodeId node = cluster_.stores[replica.store].node;
        if (!node.valid()) continue;
        const auto piece = open.find(from_.machine_of[node]);
        if (piece == open.end() || piece->second->count == 0 || room_[node] < task_cpu(part)) continue;
        put(part, task, node, -1);
        --piece->second->count;
        break;
      }
    }
  }

  void place_rest(int part) {
    auto task = from_.part_tasks[part].begin();
    const auto end = from_.part_tasks[part].end();
    for (Piece& piece : pieces_[part])
      for (; piece.count > 0 && task != end; ++task) {
        if (placed_[*task]) continue;
        const std::optional<NodeId> node = roomiest(piece.machine);
        if (!node) break;
        put(part, *task, *node, piece.store);
        --piece.count;
      }
  }

  // The classes that may run it, the cheapest first.
  std::vector<int> by_cost(int part) const {
    std::vector<std::pair<double, int>> classes;
    const Part& p = part_of(part);
    const std::vector<std::uint8_t>& kinds = from_.instance.jobs[p.job].kinds;
    for (int machine = 0; machine < static_cast<int>(nodes_.size()); ++machine) {
      const Machine& m = from_.instance.machines[machine];
      if (!kinds.empty() && !kinds[m.kind]) continue;
      double cost = (m.price * p.cpu).value(), read = p.data >= 0 ? 1e300 : 0;
      if (p.data >= 0)
        for (int origin : from_.instance.data[p.data].origins)
          read = std::min(read, from_.instance.read_price[from_.instance.stores[origin].place][m.place]);
      cost += read * p.input.value() + (p.place_cost.empty() ? 0 : p.place_cost[m.place].value());
      classes.emplace_back(cost, machine);
    }
    std::sort(classes.begin(), classes.end());
    std::vector<int> machines;
    for (const auto& [cost, machine] : classes) machines.push_back(machine);
    return machines;
  }

  // Tasks for which its class has no room after rounding go to the next class by cost.
  void spill(int part) {
    std::uint32_t left = 0;
    for (const Piece& piece : pieces_[part]) left += piece.count;
    if (left == 0) return;
    const std::vector<int> classes = by_cost(part);
    auto next = classes.begin();
    for (TaskId task : from_.part_tasks[part]) {
      if (left == 0) return;
      if (placed_[task]) continue;
      std::optional<NodeId> node;
      while (next != classes.end() && !(node = roomiest(*next))) ++next;
      if (!node) return;
      put(part, task, *node, -1);
      --left;
    }
  }

  // To the program a task of more work than a node does within the horizon is a fraction of a task, which may round to
  // none in each plan. It starts where nothing else is.
  void start_long(int part) {
    if (solution_.waiting[part] >= 1 - 1e-9) return;
    const std::vector<TaskId>& tasks = from_.part_tasks[part];
    if (std::any_of(tasks.begin(), tasks.end(), [&](TaskId task) { return placed_[task] != 0; })) return;
    for (const int machine : by_cost(part)) {
      const std::optional<NodeId> node = roomiest(machine);
      if (!node || time_left(*node) < to_seconds(from_.instance.horizon) * (1 - 1e-9)) continue;
      if (task_cpu(part) > room_[*node]) return put(part, tasks.front(), *node, -1);
    }
  }

  std::optional<NodeId> roomiest(int machine) {
    std::priority_queue<Spot>& queue = nodes_[machine];
    while (!queue.empty()) {
      const Spot top = queue.top();
      const double room = time_left(top.node);
      if (room == top.room) return room_[top.node].value() > least_room ? std::optional(top.node) : std::nullopt;
      queue.pop();
      queue.push({room, top.node});
    }
    return std::nullopt;
  }

  double time_left(NodeId node) const {
    const double speed = cluster_.nodes[node].work_per(std::chrono::seconds(1)).value();
    return speed > 0 ? room_[node].value() / speed : 0;
  }

  void put(int part, TaskId id, NodeId node, int store) {
    placed_[id] = 1;
    room_[node] -= task_cpu(part);
    const BlockId block = cluster_.tasks[id].block;
    Placed placed{{id, node, StoreId::none(), StoreId::none()}, false};
    if (block.valid()) {
      if (is_copy(part, store)) placed.assignment.read_from = copy_to(block, store, node);
      if (!placed.assignment.read_from.valid()) placed.assignment.read_from = nearest(block, node);
      placed.moving = !cluster_.blocks[block].on(placed.assignment.read_from);
    }
    out_.push_back(placed);
  }

  // The nearest replica; one that is on its way when none is in the zone.
  StoreId nearest(BlockId block, NodeId node) const {
    const NearestReplica found = nearest_replica(cluster_, costs_, block, node);
    if (found.store.valid() && found.locality < Locality::remote) return found.store;
    if (const auto moves = coming_.find(block); moves != coming_.end())
      for (StoreId store : moves->second)
        if (!found.store.valid() || cluster_.stores[store].zone == cluster_.nodes[node].zone) return store;
    return found.store;
  }

  // None when no store there has room, or nothing can be copied yet.
  StoreId copy_to(BlockId id, int store, NodeId reader) {
    const auto known = copies_.find({id, store});
    if (known != copies_.end()) return known->second;
    const Block& block = cluster_.blocks[id];
    if (block.replicas.empty()) return StoreId::none();
    StoreId to;
    for (StoreId member : from_.store_members[store]) {
      if (space_[member] < block.size.value()) continue;
      if (cluster_.stores[member].node == reader) {
        to = member;
        break;
      }
      if (!to.valid() || space_[member] > space_[to]) to = member;
    }
    if (!to.valid()) return to;
    StoreId source = block.replicas.front().store;
    const auto price = [&](StoreId from) {
      return costs_.transfer(cluster_.stores[from].zone, cluster_.stores[to].zone);
    };
    for (const Replica& replica : block.replicas)
      if (price(replica.store) < price(source)) source = replica.store;
    space_[to] -= block.size.value();
    copies_[{id, store}] = to;
    plan_.moves.push_back({id, source, to});
    plan_.account.copies += block.size * price(source);
    return to;
  }

  Plan finish() {
    const auto key = [&](const Placed& placed) {
      const lips::Job& job = cluster_.jobs[cluster_.tasks[placed.assignment.task].job];
      return std::tuple(placed.moving, -job.priority, job.arrival, placed.assignment.task);
    };
    std::sort(out_.begin(), out_.end(), [&](const Placed& a, const Placed& b) { return key(a) < key(b); });
    for (const Placed& placed : out_) {
      const Bill bill = task_bill(cluster_, costs_, cluster_.tasks[placed.assignment.task], placed.assignment);
      plan_.account.cpu += bill.cpu;
      plan_.account.transfer += bill.transfer;
      plan_.account.shuffle += bill.shuffle;
      plan_.assignments.push_back(placed.assignment);
    }
    for (std::size_t part = 0; part < from_.part_tasks.size(); ++part) {
      const double tasks = static_cast<double>(from_.part_tasks[part].size());
      for (TaskId task : from_.part_tasks[part])
        if (!placed_[task]) plan_.account.waiting += solution_.overflow_price[part] / tasks;
    }
    plan_.deferrals = from_.left_out;
    plan_.rest = DeferralReason::cheaper_later;  // on F
    return std::move(plan_);
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const SnapshotInstance& from_;
  const Solution& solution_;
  IdVector<NodeId, CpuSeconds> room_;
  std::vector<std::priority_queue<Spot>> nodes_;  // of each machine; a node's room may have shrunk since
  IdVector<StoreId, double> space_;
  std::map<BlockId, std::vector<StoreId>> coming_;
  std::map<std::pair<BlockId, int>, StoreId> copies_;
  std::optional<std::map<std::pair<int, int>, double>> starts_;
  IdVector<TaskId, std::uint8_t> placed_;
  std::vector<std::vector<Piece>> pieces_;
  std::vector<Placed> out_;
  Plan plan_;
};

}  // namespace

Plan place(const PolicyInput& input, const SnapshotInstance& snapshot, const Solution& solution,
           CpuSeconds least_task) {
  return Placement(input, snapshot, solution).run(least_task);
}

}  // namespace lips::paper

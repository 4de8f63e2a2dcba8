// Eva (Chang, Venkataraman, EuroSys 2025): a node holds tasks whose reservation prices are worth its own price. Looks
// at prices and room, at no run times and no data.
#include <algorithm>
#include <deque>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/baselines/baselines.h"
#include "policies/drafting/draft.h"
#include "policies/drafting/reservation_packing.h"

namespace lips {

namespace {

class Reconfiguration {
 public:
  explicit Reconfiguration(Draft& draft)
      : draft_(draft), packing_(draft.cluster), on_node_(draft.cluster.nodes.size()) {
    for (const RunningTask& running : draft_.cluster.running) {
      const FreeCapacity::Kind kind = kind_of(draft_.cluster.tasks[running.task].job);
      on_node_[running.node] += waiting_[kind].reservation;
    }
    for (const JobId job : jobs_by_priority(draft_.cluster)) {
      const FreeCapacity::Kind kind = kind_of(job);
      for (std::uint32_t group = 0; group < draft_.cluster.groups[job].size(); ++group)
        if (const TaskGroup& tasks = draft_.cluster.groups[job][group]; tasks.count > 0 && can_run(tasks)) {
          waiting_[kind].count += tasks.count;
          groups_[kind].emplace_back(job, group);
        }
    }
    for (const NodeId node : draft_.free.open()) (stays(node) ? staying_ : others_).push_back(node);
  }

  // On nodes that are worth their price: always where the tasks of a node and the new one are worth most.
  void join_nodes_that_stay() {
    std::priority_queue<Room> rooms;
    for (const NodeId node : staying_)
      if (const std::optional<Room> room = room_on(node)) rooms.push(*room);
    while (!rooms.empty()) {
      const Room room = rooms.top();
      rooms.pop();
      const NodeId node(~std::get<2>(room));
      const std::optional<Room> now = room_on(node);
      if (now == room)
        assign(fill(node), node);
      else if (now)
        rooms.push(*now);
    }
  }

  // On the other nodes: first where the new tasks make a node worth its price, the dearest first. Then wherever they
  // fit, the cheapest first: for tasks that find room an autoscaler launches nothing.
  void fill_other_nodes() {
    std::stable_sort(others_.begin(), others_.end(), [&](NodeId a, NodeId b) {
      return std::pair(price(a), on_node_[a]) > std::pair(price(b), on_node_[b]);
    });
    for (std::size_t i = 0; i < others_.size();) {
      const Bundle bundle = fill(others_[i]);
      if (bundle.tasks() == 0 || !is_worth(others_[i], bundle.worth)) {
        ++i;
        continue;
      }
      const std::size_t chosen = cheapest_for(bundle, i);
      assign(bundle, others_[chosen]);
      others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    std::stable_sort(others_.begin(), others_.end(), [&](NodeId a, NodeId b) { return price(a) < price(b); });
    for (const NodeId node : others_) assign(fill(node), node);
  }

  void request_nodes() {
    for (const auto& [offer, nodes, each] : packing_.buy(waiting_))
      for (std::size_t kind = 0; kind < each.counts.size(); ++kind)
        for (std::uint32_t i = 0; i < nodes * each.counts[kind]; ++i) draft_.request_node(next(kind), offer);
  }

 private:
  // The worth of the node's tasks and the next one there, the next one's alignment, and the node, inverted: the least
  // id among equals is the greatest.
  using Room = std::tuple<UsdPerHour, double, std::uint32_t>;

  std::optional<Room> room_on(NodeId node) {
    const auto next = packing_.pick(waiting_, Bundle(waiting_.size()), node, draft_.free.left(node));
    if (!next) return std::nullopt;
    return Room{(on_node_[node] + waiting_[next->kind].reservation) * draft_.cluster.nodes[node].speed, next->alignment,
                ~node.index()};
  }

  FreeCapacity::Kind kind_of(JobId id) {
    const Job& job = draft_.cluster.jobs[id];
    const FreeCapacity::Kind kind = draft_.free.kind_of(job);
    if (kind == waiting_.size()) {
      waiting_.push_back({job.request, job.constraint, 0, packing_.reservation_price(job.request, job.constraint)});
      groups_.emplace_back();
    }
    return kind;
  }

  // Eva would move the tasks of other nodes. Fixed ones are paid for anyway.
  bool stays(NodeId node) const {
    return draft_.cluster.nodes[node].fleet == FleetKind::fixed || is_worth(node, UsdPerHour(0));
  }
  bool is_worth(NodeId node, UsdPerHour more) const {
    return is_worth_its_price(draft_.cluster.nodes[node], on_node_[node] + more);
  }
  UsdPerHour price(NodeId node) const { return price_at_speed_one(draft_.cluster.nodes[node]); }
  Bundle fill(NodeId node) { return packing_.fill(waiting_, node, draft_.free.left(node)); }

  // The cheapest of the other nodes. Tasks that are worth an empty one go to the cheapest empty one that holds them.
  std::size_t cheapest_for(const Bundle& bundle, std::size_t worthy) {
    const auto is_empty = [&](std::size_t i) { return on_node_[others_[i]] == UsdPerHour(0); };
    std::size_t best = worthy;
    for (std::size_t i = worthy + 1; is_empty(worthy) && i < others_.size(); ++i)
      if (is_empty(i) && price(others_[i]) < price(others_[best]) &&
          packing_.holds(bundle, waiting_, others_[i], draft_.free.left(others_[i])))
        best = i;
    return best;
  }

  TaskId next(std::size_t kind) {
    for (;; groups_[kind].pop_front())
      if (const auto [job, group] = groups_[kind].front(); draft_.tasks.left(job, group) > 0)
        return draft_.tasks.first(job, group);
  }

  void assign(const Bundle& bundle, NodeId node) {
    for (std::size_t kind = 0; kind < bundle.counts.size(); ++kind) {
      for (std::uint32_t i = 0; i < bundle.counts[kind]; ++i) draft_.assign(next(kind), node);
      waiting_[kind].count -= bundle.counts[kind];
    }
  }

  Draft& draft_;
  ReservationPacking packing_;
  std::vector<AlikeTasks> waiting_;                                  // by kind
  std::vector<std::deque<std::pair<JobId, std::uint32_t>>> groups_;  // by kind: by priority and arrival
  IdVector<NodeId, UsdPerHour> on_node_;                             // what its tasks are worth
  std::vector<NodeId> staying_, others_;                             // with room
};

class Eva : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    const bool elastic = draft.launch_on_request();
    if (draft.free.open_left() == 0 && !elastic) return draft.finish(DeferralReason::no_capacity);
    Reconfiguration reconfiguration(draft);
    reconfiguration.join_nodes_that_stay();
    reconfiguration.fill_other_nodes();
    if (elastic) reconfiguration.request_nodes();
    return draft.finish(DeferralReason::no_capacity);
  }
};

}  // namespace

std::unique_ptr<Policy> make_eva(const PolicySettings&) { return std::make_unique<Eva>(); }

}  // namespace lips

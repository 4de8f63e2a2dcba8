#include "policies/papers/lips_paper/lips_paper_greedy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "model/task_bill.h"

namespace lips::paper {

namespace {

class Greedy {
 public:
  explicit Greedy(const PolicyInput& input) : cluster_(input.cluster), costs_(input.costs), free_(input.cluster.free) {}

  Plan run() {
    find_classes();
    find_offers();
    for (const Offer& offer : offers_) take(offer);
    plan_.rest = DeferralReason::no_capacity;
    plan_.account.form = ModelForm::greedy;
    plan_.account.groups = static_cast<std::uint32_t>(chains_.size());
    plan_.account.classes = static_cast<std::uint32_t>(classes_.size());
    return std::move(plan_);
  }

 private:
  // Nodes with room that cost and take the same.
  struct Class {
    std::vector<NodeId> nodes;
  };
  // The pending tasks of a group that are still to be placed.
  struct Chain {
    JobId job;
    const TaskGroup* group;
    TaskId next;
  };
  struct Offer {
    double cost;  // of one task
    std::uint32_t chain, in_class;
    bool operator<(const Offer& other) const {
      return std::tie(cost, chain, in_class) < std::tie(other.cost, other.chain, other.in_class);
    }
  };

  void find_classes() {
    std::map<std::tuple<ZoneId, double, ProfileId, Resources>, std::size_t> known;
    for (NodeId id : cluster_.nodes.ids()) {
      const Node& node = cluster_.nodes[id];
      if (!node.schedulable || free_[id].slots <= 0) continue;
      const auto [entry, added] =
          known.try_emplace({node.zone, node.cpu_price.value(), node.profile, node.capacity}, classes_.size());
      if (added) classes_.emplace_back();
      classes_[entry->second].nodes.push_back(id);
    }
  }

  void find_offers() {
    for (JobId id : cluster_.pending) {
      const lips::Job& job = cluster_.jobs[id];
      std::vector<std::uint32_t> takers;
      for (std::uint32_t c = 0; c < classes_.size(); ++c) {
        const auto roomy = [&](NodeId node) { return fits(job.request, free_[node]); };
        if (cluster_.eligible(job.constraint, classes_[c].nodes.front()) &&
            std::any_of(classes_[c].nodes.begin(), classes_[c].nodes.end(), roomy))
          takers.push_back(c);
      }
      if (takers.empty()) continue;
      for (const TaskGroup& group : cluster_.groups[id]) {
        if (group.count == 0) continue;
        if (group.reads && group.zones.empty()) {
          for (TaskId task : cluster_.tasks_of(group))
            plan_.deferrals.push_back({task, DeferralReason::waits_for_data});
          continue;
        }
        for (std::uint32_t c : takers)
          offers_.push_back(
              {cost(job, group, classes_[c].nodes.front()), static_cast<std::uint32_t>(chains_.size()), c});
        chains_.push_back({id, &group, group.first});
      }
    }
    std::sort(offers_.begin(), offers_.end());
  }

  double cost(const lips::Job& job, const TaskGroup& group, NodeId id) const {
    const Node& node = cluster_.nodes[id];
    Usd total = CostModel::cpu(group.cpu, node);
    if (group.kind == TaskKind::reduce) {
      for (std::uint32_t zone = 0; zone < job.map_output.size(); ++zone)
        total += (job.map_output[zone] / job.all_reduces()) * costs_.transfer(ZoneId(zone), node.zone);
    } else {
      total += group.input * costs_.transfer(group.zones, node.zone);
    }
    return total.value();
  }

  void take(const Offer& offer) {
    Chain& chain = chains_[offer.chain];
    const Resources& request = cluster_.jobs[chain.job].request;
    std::vector<NodeId>& nodes = classes_[offer.in_class].nodes;
    std::size_t at = 0;
    while (chain.next.valid()) {
      while (at < nodes.size() && !fits(request, free_[nodes[at]])) ++at;
      if (at == nodes.size()) return;
      const TaskId task = chain.next;
      chain.next = cluster_.tasks[task].next_pending;
      put(task, local_node(task, offer.in_class, request).value_or(nodes[at]), request);
    }
  }

  std::optional<NodeId> local_node(TaskId task, std::uint32_t in_class, const Resources& request) const {
    const BlockId block = cluster_.tasks[task].block;
    if (!block.valid()) return std::nullopt;
    const std::vector<NodeId>& nodes = classes_[in_class].nodes;
    for (const Replica& replica : cluster_.blocks[block].replicas) {
      const NodeId node = cluster_.stores[replica.store].node;
      if (node.valid() && std::binary_search(nodes.begin(), nodes.end(), node) && fits(request, free_[node]))
        return node;
    }
    return std::nullopt;
  }

  void put(TaskId id, NodeId node, const Resources& request) {
    const Task& task = cluster_.tasks[id];
    Assignment assignment{id, node, StoreId::none(), StoreId::none()};
    if (task.block.valid()) assignment.read_from = nearest_replica(cluster_, costs_, task.block, node).store;
    free_[node] = free_[node] - request;
    const Bill bill = task_bill(cluster_, costs_, task, assignment);
    plan_.account.cpu += bill.cpu;
    plan_.account.transfer += bill.transfer;
    plan_.account.shuffle += bill.shuffle;
    plan_.assignments.push_back(assignment);
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  IdVector<NodeId, Resources> free_;
  std::vector<Class> classes_;
  std::vector<Chain> chains_;
  std::vector<Offer> offers_;
  Plan plan_;
};

}  // namespace

Plan greedy(const PolicyInput& input) { return Greedy(input).run(); }

}  // namespace lips::paper

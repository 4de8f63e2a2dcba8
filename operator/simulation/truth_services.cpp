#include "simulation/truth_services.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "policies/allocated_share.h"

namespace lips::simulation {

TruthServices::TruthServices(World& world, ServiceScore score) : world_(world), score_(score) {
  const std::vector<Service>& services = world_.scenario.services;
  if (services.empty()) return;
  nodes_ = world_.scenario.at_start().nodes;
  pods_on_.resize(nodes_.size(), {});
  room_on_.resize(nodes_.size(), Resources{Cores(0), Mebibytes(0), 0});
  left_ = services.size();
  for (std::uint32_t i = 0; i < services.size(); ++i) {
    world_.queue.add(std::max(world_.now, services[i].from), {SimEvent::Kind::service, i, 0});
    world_.queue.add(std::max(world_.now, services[i].until), {SimEvent::Kind::service_end, i, 0});
  }
}

void TruthServices::handle(const SimEvent& event) {
  if (event.kind == SimEvent::Kind::service) {
    if (service(event.index).until <= service(event.index).from) return;
    waiting_[event.index] += service(event.index).pods;
    world_.more_wait = true;
    return;
  }
  --left_;
  waiting_.erase(event.index);
  for (const NodeId node : pods_on_.ids())
    if (const auto here = pods_on_[node].find(event.index); here != pods_on_[node].end())
      give_back(event.index, node, here->second);
}

void TruthServices::place() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    while (next->second > 0) {
      const NodeId node = best_for(service(next->first));
      if (!node.valid()) break;
      --next->second;
      take(next->first, node);
    }
    next = next->second == 0 ? waiting_.erase(next) : std::next(next);
  }
}

// The best score, then the least id.
NodeId TruthServices::best_for(const Service& service) const {
  NodeId best;
  double best_share = 0;
  for (const NodeId node : nodes_.ids()) {
    if (!world_.up[node.index()] || world_.cordoned[node.index()] || world_.loss_unreported(node)) continue;
    if (!fits(service.request, world_.free[node])) continue;
    if (!world_.scenario.cluster.eligible(service.constraint, node)) continue;
    const double share = allocated_share(nodes_[node].capacity, world_.free[node] - service.request);
    const double cost = score_ == ServiceScore::least_allocated ? share : -share;
    if (best.valid() && cost >= best_share) continue;
    best = node, best_share = cost;
  }
  return best;
}

void TruthServices::take(std::uint32_t index, NodeId node) {
  world_.free[node] -= service(index).request;
  ++pods_on_[node][index];
  world_.count_pod(node, 1);
  count(node);
}

void TruthServices::give_back(std::uint32_t index, NodeId node, std::uint32_t pods) {
  world_.free[node] += service(index).request * static_cast<std::int32_t>(pods);
  const auto here = pods_on_[node].find(index);
  if ((here->second -= pods) == 0) pods_on_[node].erase(here);
  world_.count_pod(node, -static_cast<int>(pods));
  count(node);
}

void TruthServices::lose(NodeId node) {
  if (pods_on_.empty()) return;
  const std::map<std::uint32_t, std::uint32_t> lost = pods_on_[node];
  for (const auto& [index, pods] : lost) {
    give_back(index, node, pods);
    waiting_[index] += pods;
    world_.more_wait = true;
  }
}

// Summed up anew, so that nothing is left of rounding when the last one goes.
void TruthServices::count(NodeId node) {
  room_on_[node] = Resources{Cores(0), Mebibytes(0), 0};
  for (const auto& [index, pods] : pods_on_[node])
    room_on_[node] += service(index).request * static_cast<std::int32_t>(pods);
  world_.update_heartbeat(node);
  world_.emit(NodeChanged{node, seen(node)});
}

Node TruthServices::seen(NodeId node) const {
  Node now = nodes_.empty() ? world_.scenario.cluster.nodes[node] : nodes_[node];
  if (!nodes_.empty()) now.others += room_on_[node];
  now.schedulable = world_.up[node.index()] && !world_.cordoned[node.index()];
  return now;
}

const std::map<std::uint32_t, std::uint32_t>& TruthServices::pods_on(NodeId node) const {
  static const std::map<std::uint32_t, std::uint32_t> none;
  return pods_on_.empty() ? none : pods_on_[node];
}

std::vector<PodsAlike> TruthServices::that_wait() const {
  std::vector<PodsAlike> groups;
  for (const auto& [index, count] : waiting_)
    groups.push_back({service(index).request, service(index).constraint, NodeId::none(), count});
  return groups;
}

void TruthServices::add_those_on(NodeId node, std::vector<PodsAlike>& pods) const {
  if (pods_on_.empty()) return;
  for (const auto& [index, count] : pods_on_[node])
    pods.push_back({service(index).request, service(index).constraint, NodeId::none(), count});
}

std::vector<ServicePods> TruthServices::seen_pods() const {
  const ClusterSnapshot& cluster = world_.scenario.cluster;
  struct Seen {
    std::map<std::string, std::uint32_t> on;  // by node
    std::uint32_t waiting = 0;
    TimePoint newest{};
  };
  std::map<std::tuple<std::string, Resources, ConstraintId>, Seen> alike;
  const auto seen_of = [&](std::uint32_t index) -> Seen& {
    const Service& one = service(index);
    Seen& seen = alike[{one.name, one.request, one.constraint}];
    seen.newest = std::max(seen.newest, one.from);
    return seen;
  };
  for (const auto& [index, count] : waiting_) seen_of(index).waiting += count;
  for (const NodeId node : pods_on_.ids())
    for (const auto& [index, count] : pods_on_[node]) seen_of(index).on[cluster.nodes[node].name] += count;
  std::vector<ServicePods> all;
  for (const auto& [key, seen] : alike) {
    const auto& [name, request, constraint] = key;
    ServicePods& pods = all.emplace_back();
    pods.workload = name, pods.request = request, pods.request.extended = {};
    for (const auto& [resource, amount] : request.extended)
      pods.extended.emplace_back(cluster.extended_names[resource], amount);
    if (constraint.valid()) pods.constraint = cluster.constraints[constraint];
    pods.newest = seen.newest, pods.waiting = seen.waiting;
    pods.on.assign(seen.on.begin(), seen.on.end());
  }
  return all;
}

}  // namespace lips::simulation

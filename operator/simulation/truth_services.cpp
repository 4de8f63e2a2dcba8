#include "simulation/truth_services.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "policies/allocated_share.h"

namespace lips::simulation {

TruthServices::TruthServices(World& world, ServiceScore score) : world_(world), score_(score) {
  const std::vector<Service>& services = world_.scenario.services;
  if (services.empty()) return;
  nodes_ = world_.scenario.at_start().nodes;
  on_node_.resize(nodes_.size(), Resources{Cores(0), Mebibytes(0), 0});
  left_ = services.size();
  for (std::uint32_t i = 0; i < services.size(); ++i) {
    world_.queue.add(std::max(world_.now, services[i].from), {SimEvent::Kind::service, i, 0});
    world_.queue.add(std::max(world_.now, services[i].until), {SimEvent::Kind::service_end, i, 0});
  }
}

void TruthServices::handle(const SimEvent& event) {
  if (event.kind == SimEvent::Kind::service) {
    const std::uint32_t count = world_.scenario.services[event.index].pods;
    for (std::uint32_t i = 0; i < count; ++i) pods_.push_back({event.index, NodeId::none()});
    waiting_ += count;
    world_.more_wait = true;
    return;
  }
  --left_;
  for (Pod& pod : pods_) {
    if (pod.service != event.index) continue;
    if (pod.node.valid())
      give_back(pod);
    else
      --waiting_;
  }
  std::erase_if(pods_, [&](const Pod& pod) { return pod.service == event.index; });
}

void TruthServices::place() {
  if (waiting_ == 0) return;
  std::set<std::uint32_t> nowhere;
  for (Pod& pod : pods_) {
    if (pod.node.valid() || nowhere.contains(pod.service)) continue;
    if (const NodeId node = best_for(service(pod)); node.valid())
      take(pod, node);
    else
      nowhere.insert(pod.service);
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

void TruthServices::take(Pod& pod, NodeId node) {
  const Resources& request = service(pod).request;
  pod.node = node;
  --waiting_;
  world_.free[node] -= request;
  world_.count_pod(node, 1);
  count(node);
}

void TruthServices::give_back(Pod& pod) {
  const NodeId node = std::exchange(pod.node, NodeId::none());
  const Resources& request = service(pod).request;
  world_.free[node] += request;
  world_.count_pod(node, -1);
  count(node);
}

void TruthServices::lose(NodeId node) {
  for (Pod& pod : pods_) {
    if (pod.node != node) continue;
    give_back(pod);
    ++waiting_;
    world_.more_wait = true;
  }
}

Node TruthServices::seen(NodeId node) const {
  Node now = nodes_.empty() ? world_.scenario.cluster.nodes[node] : nodes_[node];
  if (!nodes_.empty()) now.others += on_node_[node];
  now.schedulable = world_.up[node.index()] && !world_.cordoned[node.index()];
  return now;
}

// Summed up anew, so that nothing is left of rounding when the last one goes.
void TruthServices::count(NodeId node) {
  on_node_[node] = Resources{Cores(0), Mebibytes(0), 0};
  for (const Pod& pod : pods_)
    if (pod.node == node) on_node_[node] += service(pod).request;
  world_.update_heartbeat(node);
  world_.emit(NodeChanged{node, seen(node)});
}

std::vector<PodsAlike> TruthServices::that_wait() const {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const Pod& pod : pods_)
    if (!pod.node.valid()) ++counts[pod.service];
  std::vector<PodsAlike> groups;
  for (const auto& [index, count] : counts) {
    const Service& service = world_.scenario.services[index];
    groups.push_back({service.request, service.constraint, NodeId::none(), count});
  }
  return groups;
}

void TruthServices::add_those_on(NodeId node, std::vector<PodsAlike>& pods) const {
  for (const Pod& pod : pods_)
    if (pod.node == node) pods.push_back({service(pod).request, service(pod).constraint, NodeId::none(), 1});
}

std::vector<ServicePods> TruthServices::seen_pods() const {
  const ClusterSnapshot& cluster = world_.scenario.cluster;
  struct Seen {
    std::map<std::string, std::uint32_t> on;  // by node; "": it waits
    TimePoint newest{};
  };
  std::map<std::tuple<std::string, Resources, ConstraintId>, Seen> alike;
  for (const Pod& pod : pods_) {
    const Service& one = service(pod);
    Seen& seen = alike[{one.name, one.request, one.constraint}];
    ++seen.on[pod.node.valid() ? cluster.nodes[pod.node].name : ""];
    seen.newest = std::max(seen.newest, one.from);
  }
  std::vector<ServicePods> all;
  for (const auto& [key, seen] : alike) {
    const auto& [name, request, constraint] = key;
    ServicePods& pods = all.emplace_back(ServicePods{name, request, {}, {}, seen.newest, 0, {}});
    pods.request.extended = {};
    for (const auto& [resource, amount] : request.extended)
      pods.extended.emplace_back(cluster.extended_names[resource], amount);
    if (constraint.valid()) pods.constraint = cluster.constraints[constraint];
    for (const auto& [node, count] : seen.on) {
      if (node.empty())
        pods.waiting = count;
      else
        pods.on.emplace_back(node, count);
    }
  }
  return all;
}

}  // namespace lips::simulation

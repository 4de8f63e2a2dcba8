// The autoscaler of a virtual cluster: it sees pods that have found no node, as Karpenter does, and has the simulated
// autoscaler buy for them. It leaves its offers, pace and bill to that one.
#include <algorithm>

#include "model/node_labels.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char* component_label = "app.kubernetes.io/component";

// An order is a pod that the operator makes so that an autoscaler launches a node. No scheduler binds it.
bool is_order(const Json& pod) {
  return text_in(look_in(look_in(pod, "metadata"), "labels"), component_label) == "node-order";
}

bool has_found_no_node(const Json& pod) {
  if (!text_in(look_in(pod, "spec"), "nodeName").empty()) return false;
  const Json& conditions = look_in(look_in(pod, "status"), "conditions");
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& one) {
    return text_in(one, "type") == "PodScheduled" && text_in(one, "status") == "False" &&
           text_in(one, "reason") == "Unschedulable";
  });
}

// The first value of each label that the term asks for with In.
std::map<std::string, std::string> labels_in(const Json& term) {
  std::map<std::string, std::string> labels;
  for (const Json& rule : look_in(term, "matchExpressions"))
    if (text_in(rule, "operator") == "In") labels[text_in(rule, "key")] = rule["values"].at(0);
  return labels;
}

const Json& node_affinity(const Json& pod) {
  return look_in(look_in(look_in(pod, "spec"), "affinity"), "nodeAffinity");
}

}  // namespace

bool VirtualKubernetes::asks_for_node(const Json& pod) { return is_order(pod) || has_found_no_node(pod); }

OfferId VirtualKubernetes::offer_in(const std::string& zone, const std::string& capacity_type) const {
  for (std::uint32_t offer = 0; offer < scenario_.fleet.offers.size(); ++offer) {
    const Node& like = scenario_.cluster.nodes[scenario_.fleet.offers[offer].first];
    if (zone == scenario_.cluster.zones[like.zone].name && capacity_type == to_string(like.capacity_type))
      return OfferId(offer);
  }
  return OfferId::none();
}

// The simulated autoscaler knows tasks: any that waits and is as large stands for the order.
std::optional<NodeRequest> VirtualKubernetes::request_of(const Json& order, std::vector<TaskId>& waiting) const {
  const Json& terms =
      look_in(look_in(node_affinity(order), "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
  std::map<std::string, std::string> place;
  if (!terms.empty()) place = labels_in(terms.at(0));
  const Json requests = order.value(Json::json_pointer("/spec/containers/0/resources/requests"), Json());
  const auto alike = std::find_if(waiting.begin(), waiting.end(),
                                  [&](TaskId task) { return requests_[places_[task].job.index()] == requests; });
  if (alike == waiting.end()) return std::nullopt;
  const OfferId offer = offer_in(place[node_label::zone], place[node_label::capacity_type]);
  if (!offer.valid()) return std::nullopt;
  const TaskId task = *alike;
  waiting.erase(alike);
  return NodeRequest{task, offer};
}

// A preference counts as a condition as long as something can be launched by it. So does Karpenter count it, and there
// is an offer of each capacity type that a steered pod prefers.
std::optional<NodeRequest> VirtualKubernetes::request_of_waiting(const std::string& key, const Json& pod) const {
  const auto known = task_of_.find(key);
  if (known == task_of_.end() || pods_[known->second].name != key || !truth_.waits(known->second)) return std::nullopt;
  const Json& selector = look_in(look_in(pod, "spec"), "nodeSelector");
  const std::string zone = text_in(selector, node_label::zone);
  std::string capacity_type = text_in(selector, node_label::capacity_type);
  for (const Json& one : look_in(node_affinity(pod), "preferredDuringSchedulingIgnoredDuringExecution"))
    if (capacity_type.empty()) capacity_type = labels_in(look_in(one, "preference"))[node_label::capacity_type];
  return NodeRequest{known->second, zone.empty() ? OfferId::none() : offer_in(zone, capacity_type)};
}

void VirtualKubernetes::order_nodes() {
  ordering_ = false;
  if (scenario_.fleet.offers.empty()) return;
  advance();
  std::vector<TaskId> waiting;
  for (const auto& [key, task] : task_of_)
    if (!pods_[task].bound && pods_[task].name == key && truth_.waits(task)) waiting.push_back(task);
  std::vector<NodeRequest> requests;
  for (const auto& [key, stored] : server_.objects().all(pods_path)) {
    std::optional<NodeRequest> request;
    if (is_order(*stored.json))
      request = request_of(*stored.json, waiting);
    else if (has_found_no_node(*stored.json))
      request = request_of_waiting(key, *stored.json);
    if (request) requests.push_back(*request);
  }
  buy_for(requests);
  advance();
}

// The operator marks the tasks that it starts; of those that it watches nobody does.
void VirtualKubernetes::buy_for(const std::vector<NodeRequest>& requests) {
  truth_.request_nodes(requests, rules_.mode != PodMode::watch);
}

}  // namespace lips::virtual_cluster

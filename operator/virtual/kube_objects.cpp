#include "virtual/kube_objects.h"

#include <algorithm>

#include "kubernetes/api/quantity.h"

namespace lips::virtual_cluster {
namespace {

// A container that asks for none takes these for scores.
constexpr std::int64_t usual_cpu = 100, usual_memory = 200 * (1 << 20);

std::map<std::string, std::string> texts(const Json& object) {
  std::map<std::string, std::string> result;
  if (object.is_object())
    for (const auto& [key, value] : object.items())
      if (value.is_string()) result[key] = value.get<std::string>();
  return result;
}

bool holds(const Json& object, const char* field) {
  const Json& value = look_in(object, field);
  return value.is_boolean() && value.get<bool>();
}

std::int64_t whole(const Json& value, std::int64_t otherwise = 0) {
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

std::vector<KubeRequirement> read_requirements(const Json& list) {
  std::vector<KubeRequirement> result;
  for (const Json& one : list) {
    KubeRequirement& rule = result.emplace_back(KubeRequirement{text_in(one, "key"), text_in(one, "operator"), {}});
    for (const Json& value : look_in(one, "values"))
      if (value.is_string()) rule.values.push_back(value.get<std::string>());
  }
  return result;
}

KubeTerm read_term(const Json& term) {
  return {read_requirements(look_in(term, "matchExpressions")), read_requirements(look_in(term, "matchFields"))};
}

// Containers run together, init containers one after the other before them; one that restarts always goes on beside
// what follows.
void read_requests(const Json& spec, KubePod& pod) {
  KubeAmounts init, beside, init_counted, beside_counted;
  const auto of = [](const Json& container) {
    return read_amounts(look_in(look_in(container, "resources"), "requests"));
  };
  const auto counted = [](const Json& container, KubeAmounts asked) {
    const Json& requests = look_in(look_in(container, "resources"), "requests");
    if (!requests.is_object() || !requests.contains("cpu")) asked.cpu = usual_cpu;
    if (!requests.is_object() || !requests.contains("memory")) asked.memory = usual_memory;
    return asked;
  };
  for (const Json& container : look_in(spec, "initContainers")) {
    const KubeAmounts asked = of(container), score = counted(container, asked);
    KubeAmounts now = beside, now_counted = beside_counted;
    now.add(asked), now_counted.add(score);
    init.raise_to(now), init_counted.raise_to(now_counted);
    if (text_in(container, "restartPolicy") == "Always") beside = now, beside_counted = now_counted;
  }
  for (const Json& container : look_in(spec, "containers")) {
    const KubeAmounts asked = of(container);
    pod.requests.add(asked), pod.counted.add(counted(container, asked));
    for (const Json& port : look_in(container, "ports"))
      if (const std::int64_t number = whole(look_in(port, "hostPort")); number > 0)
        pod.ports.push_back(
            {number, text_in(port, "protocol").empty() ? "TCP" : text_in(port, "protocol"), text_in(port, "hostIP")});
  }
  pod.requests.add(beside), pod.counted.add(beside_counted);
  pod.requests.raise_to(init), pod.counted.raise_to(init_counted);
  const KubeAmounts overhead = read_amounts(look_in(spec, "overhead"));
  pod.requests.add(overhead), pod.counted.add(overhead);
}

void read_affinity(const Json& spec, KubePod& pod) {
  pod.selector = texts(look_in(spec, "nodeSelector"));
  const Json& affinity = look_in(look_in(spec, "affinity"), "nodeAffinity");
  if (const Json& required = look_in(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
      required.is_object()) {
    pod.required.emplace();
    for (const Json& term : look_in(required, "nodeSelectorTerms")) pod.required->push_back(read_term(term));
  }
  for (const Json& one : look_in(affinity, "preferredDuringSchedulingIgnoredDuringExecution"))
    pod.preferred.push_back({whole(look_in(one, "weight")), read_term(look_in(one, "preference"))});
}

// The parts of a pod's specification on which its nodes depend.
std::string kind_of(const Json& spec) {
  Json kind;
  for (const char* field : {"nodeSelector", "tolerations", "overhead"}) kind.push_back(look_in(spec, field));
  kind.push_back(look_in(look_in(spec, "affinity"), "nodeAffinity"));
  for (const char* containers : {"initContainers", "containers"}) {
    Json& list = kind.emplace_back(Json::array());
    for (const Json& container : look_in(spec, containers))
      list.push_back({look_in(look_in(container, "resources"), "requests"), look_in(container, "ports"),
                      look_in(container, "restartPolicy")});
  }
  return kind.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void KubeAmounts::add(const KubeAmounts& more, std::int64_t times) {
  cpu += more.cpu * times;
  memory += more.memory * times;
  for (const auto& [name, amount] : more.others) others[name] += amount * times;
}

void KubeAmounts::raise_to(const KubeAmounts& least) {
  cpu = std::max(cpu, least.cpu);
  memory = std::max(memory, least.memory);
  for (const auto& [name, amount] : least.others) others[name] = std::max(others[name], amount);
}

std::int64_t KubeAmounts::of(const std::string& resource) const {
  if (resource == "cpu") return cpu;
  if (resource == "memory") return memory;
  const auto found = others.find(resource);
  return found == others.end() ? 0 : found->second;
}

// No machine has more, and the sum of what a hundred pods ask for is a number still.
KubeAmounts read_amounts(const Json& list) {
  constexpr std::int64_t most = std::int64_t{1} << 56;
  KubeAmounts result;
  if (!list.is_object()) return result;
  for (const auto& [name, value] : list.items()) {
    const auto quantity = value.is_string()           ? kubernetes::parse_quantity(value.get<std::string>())
                          : value.is_number_integer() ? kubernetes::parse_quantity(value.dump())
                                                      : fail(ErrorCode::invalid_input, "no quantity");
    if (!quantity) continue;
    if (name == "cpu")
      result.cpu = std::min(quantity->milli(), most);
    else if (name == "memory")
      result.memory = std::min(quantity->units(), most);
    else
      result.others[name] = std::min(quantity->units(), most);
  }
  return result;
}

KubePod read_kube_pod(const Json& object) {
  KubePod pod;
  const Json &metadata = look_in(object, "metadata"), &spec = look_in(object, "spec"),
             &status = look_in(object, "status");
  pod.name = text_in(metadata, "name"), pod.name_space = text_in(metadata, "namespace");
  pod.key = pod.name_space.empty() ? pod.name : pod.name_space + '/' + pod.name;
  pod.uid = text_in(metadata, "uid");
  pod.node = text_in(spec, "nodeName"), pod.scheduler = text_in(spec, "schedulerName");
  pod.priority = whole(look_in(spec, "priority"));
  pod.gated = !look_in(spec, "schedulingGates").empty();
  pod.deleting = metadata.is_object() && metadata.contains("deletionTimestamp");
  const std::string phase = text_in(status, "phase");
  pod.ended = phase == "Succeeded" || phase == "Failed";
  read_requests(spec, pod);
  read_affinity(spec, pod);
  for (const Json& one : look_in(spec, "tolerations"))
    pod.tolerations.push_back(
        {text_in(one, "key"), text_in(one, "operator"), text_in(one, "value"), text_in(one, "effect")});
  for (const Json& condition : look_in(status, "conditions"))
    if (text_in(condition, "type") == "PodScheduled" && text_in(condition, "reason") == "Unschedulable")
      pod.said = text_in(condition, "message");
  pod.kind = kind_of(spec);
  return pod;
}

KubeNode read_kube_node(const Json& object) {
  const Json &metadata = look_in(object, "metadata"), &spec = look_in(object, "spec");
  KubeNode node{text_in(metadata, "name"),
                texts(look_in(metadata, "labels")),
                {},
                holds(spec, "unschedulable"),
                read_amounts(look_in(look_in(object, "status"), "allocatable"))};
  for (const Json& taint : look_in(spec, "taints"))
    node.taints.push_back({text_in(taint, "key"), text_in(taint, "value"), text_in(taint, "effect")});
  return node;
}

void KubeRoom::put(const KubePod& pod) {
  taken.add(pod.requests), counted.add(pod.counted), ++pods;
  ports.insert(ports.end(), pod.ports.begin(), pod.ports.end());
}

void KubeRoom::take_away(const KubePod& pod) {
  taken.add(pod.requests, -1), counted.add(pod.counted, -1), --pods;
  for (const KubePort& port : pod.ports)
    if (const auto found = std::find(ports.begin(), ports.end(), port); found != ports.end()) ports.erase(found);
}

}  // namespace lips::virtual_cluster

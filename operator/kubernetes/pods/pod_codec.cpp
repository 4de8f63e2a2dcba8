#include <simdjson.h>

#include <algorithm>
#include <map>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/json_fields.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/pod_demand.h"
#include "kubernetes/pods/spark_properties.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

constexpr std::string_view own_prefix = "lips.dev/";
constexpr std::string_view completion_index = "batch.kubernetes.io/job-completion-index";

// Calls visit() and records values of a wrong type or meaning in `problems`. Reads on with the next field, because a
// pod that takes room counts whatever its fields say. Text that is not JSON remains a failure.
template <class Visit>
void tolerating(std::string_view field, std::vector<std::string>& problems, Visit visit) {
  try {
    visit();
  } catch (const json::Rejected& rejected) {
    problems.push_back(rejected.what);
  } catch (const simdjson::simdjson_error& error) {
    using namespace simdjson;
    if (error.error() != INCORRECT_TYPE && error.error() != NUMBER_ERROR && error.error() != NUMBER_OUT_OF_RANGE) throw;
    problems.push_back(std::string(field) + ": " + error.what());
  }
}

// Calls visit(key, value) for every field of the object at `path` in the pod.
template <class Visit>
void each_tolerated(value json, const std::string& path, Pod& pod, Visit visit) {
  tolerating(path, pod.malformed, [&] {
    json::each_field(json, [&](std::string_view key, value content) {
      tolerating(path + '.' + std::string(key), pod.malformed, [&] { visit(key, content); });
    });
  });
}

template <class Visit>
void each_tolerated_item(value json, const std::string& path, Pod& pod, Visit visit) {
  tolerating(path, pod.malformed, [&] {
    json::each_item(json, [&](value item) { tolerating(path, pod.malformed, [&] { visit(item); }); });
  });
}

// Reads amounts resource by resource.
ResourceAmounts read_amounts(value json, const std::string& path, Pod& pod) {
  ResourceAmounts result;
  each_tolerated(json, path, pod, [&](std::string_view resource, value quantity) {
    result.emplace_back(resource, json::amount(resource, quantity, path));
  });
  json::sort_by_key(result);
  return result;
}

void read_port(value port, Pod& pod) {
  HostPort found{0, "TCP", {}};
  json::each_field(port, [&](std::string_view key, value content) {
    if (key == "hostPort") found.port = static_cast<std::int32_t>(std::int64_t(content.get_int64()));
    if (key == "protocol") found.protocol = json::text(content);
    if (key == "hostIP") found.address = json::text(content);
  });
  if (found.address == "0.0.0.0" || found.address == "::") found.address.clear();
  if (found.port != 0) pod.host_ports.push_back(std::move(found));
}

Container read_container(value json, Pod& pod, const std::string& path) {
  Container container;
  each_tolerated(json, path, pod, [&](std::string_view key, value content) {
    if (key == "name") {
      container.name = json::text(content);
    } else if (key == "resources") {
      each_tolerated(content, path + ".resources", pod, [&](std::string_view name, value amounts) {
        if (name == "requests") container.amounts.requests = read_amounts(amounts, path + ".resources.requests", pod);
      });
    } else if (key == "restartPolicy") {
      container.sidecar = json::text(content) == "Always";
    } else if (key == "ports") {
      each_tolerated_item(content, path + ".ports", pod, [&](value port) { read_port(port, pod); });
    }
  });
  return container;
}

void read_node_affinity(value json, Pod& pod) {
  std::string unknown;
  json::each_field(json, [&](std::string_view key, value required) {
    if (key == "preferredDuringSchedulingIgnoredDuringExecution")
      json::each_item(required, [&](value) { pod.prefers_nodes = true; });
    if (key != "requiredDuringSchedulingIgnoredDuringExecution" || required.is_null()) return;
    pod.required_affinity.emplace();
    json::each_field(required, [&](std::string_view name, value terms) {
      if (name != "nodeSelectorTerms") return;
      json::each_item(terms,
                      [&](value term) { pod.required_affinity->push_back(json::node_selector_term(term, unknown)); });
    });
  });
  if (!unknown.empty()) pod.not_understood.push_back("spec.affinity.nodeAffinity: operator " + unknown);
}

// An unknown operator matches everything: of the two possible errors, the one that keeps the promise of anti-affinity.
std::optional<std::vector<LabelRequirement>> read_label_selector(value json) {
  if (json.is_null()) return std::nullopt;
  std::vector<LabelRequirement> selector;
  std::string unknown;
  json::each_field(json, [&](std::string_view kind, value part) {
    if (kind == "matchExpressions")
      json::each_item(part, [&](value item) { selector.push_back(json::requirement(item, unknown)); });
    if (kind == "matchLabels")
      for (auto& [label, text] : json::text_map(part))
        selector.push_back({label, LabelRequirement::Operator::in, {text}});
  });
  if (!unknown.empty()) selector.clear();
  return selector;
}

AntiAffinityTerm read_anti_affinity_term(value json) {
  AntiAffinityTerm term;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "topologyKey") term.topology_key = json::text(content);
    if (key == "namespaces") term.namespaces = json::texts(content);
    if (key == "namespaceSelector") term.namespace_selector = read_label_selector(content);
    if (key == "labelSelector") term.selector = read_label_selector(content);
  });
  std::sort(term.namespaces.begin(), term.namespaces.end());
  return term;
}

void read_affinity(value json, Pod& pod) {
  each_tolerated(json, "spec.affinity", pod, [&](std::string_view key, value content) {
    if (key == "nodeAffinity") read_node_affinity(content, pod);
    if (key != "podAffinity" && key != "podAntiAffinity") return;
    json::each_field(content, [&, kind = std::string(key)](std::string_view name, value terms) {
      if (name != "requiredDuringSchedulingIgnoredDuringExecution") return;
      bool any = false;
      json::each_item(terms, [&](value term) {
        any = true;
        if (kind == "podAntiAffinity") pod.anti_affinity.push_back(read_anti_affinity_term(term));
      });
      if (any) pod.not_understood.push_back("spec.affinity." + kind + '.' + std::string(name));
    });
  });
}

void read_toleration(value json, Pod& pod) {
  Toleration toleration;
  std::string not_understood;
  json::each_field(json, [&](std::string_view key, value content) {
    const auto is = [&](std::string_view name) { return key == name && !content.is_null(); };
    if (is("key")) toleration.key = json::text(content);
    if (is("value")) toleration.value = json::text(content);
    if (is("effect")) toleration.effect = json::text(content);
    if (!is("operator")) return;
    const std::string_view name = json::text(content);
    toleration.exists = name == "Exists";
    if (!toleration.exists && name != "Equal" && !name.empty())
      not_understood = "spec.tolerations: operator " + std::string(name);
  });
  if (not_understood.empty())
    pod.tolerations.push_back(std::move(toleration));
  else
    pod.not_understood.push_back(std::move(not_understood));
}

// Disks that kube-scheduler gives to one pod of a node at a time (NoDiskConflict). As claims they are supported.
bool is_exclusive_disk(std::string_view kind) {
  return kind == "gcePersistentDisk" || kind == "awsElasticBlockStore" || kind == "iscsi" || kind == "rbd";
}

void read_volume(value json, Pod& pod) {
  std::string name, config_map;
  bool own_claim = false;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") name = json::text(content);
    if (is_exclusive_disk(key) && !content.is_null())
      pod.not_understood.push_back("spec.volumes." + std::string(key) + " (a PersistentVolumeClaim is)");
    if (key == "ephemeral") own_claim = !content.is_null();
    if (key == "configMap")
      json::each_field(content, [&](std::string_view field, value text) {
        if (field == "name") config_map = json::text(text);
      });
    if (key == "persistentVolumeClaim")
      json::each_field(content, [&](std::string_view field, value claim) {
        if (field == "claimName") pod.claims.emplace_back(json::text(claim));
      });
  });
  if (name == spark_properties_volume) pod.properties_from = std::move(config_map);
  if (own_claim) pod.claims.push_back('-' + name);  // appended to the name of the pod, which may come later
}

void read_spread(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "whenUnsatisfiable" && json::text(content) == "DoNotSchedule")
      pod.not_understood.emplace_back("spec.topologySpreadConstraints (DoNotSchedule)");
  });
}

void read_containers(value json, const std::string& path, Pod& pod, std::vector<Container>& containers) {
  each_tolerated_item(json, path, pod, [&](value item) { containers.push_back(read_container(item, pod, path)); });
}

void read_gate(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view field, value name) {
    if (field == "name") pod.gates.emplace_back(json::text(name));
  });
}

// The pod starts as its PodGroup says (scheduling.k8s.io).
void read_group(value json, const std::string& path, Pod& pod) {
  if (json.is_null()) return;
  each_tolerated(json, path, pod, [&](std::string_view key, value content) {
    if (key == "podGroupName") pod.group = json::text(content);
  });
  if (pod.group.empty()) pod.not_understood.push_back(path + " (without podGroupName)");
}

void read_spec_field(std::string_view key, value content, Pod& pod, Demand& demand) {
  const std::string path = "spec." + std::string(key);
  const auto each = [&](auto visit) { each_tolerated_item(content, path, pod, visit); };
  if (key == "nodeName")
    pod.node = json::text(content);
  else if (key == "schedulerName")
    pod.scheduler = json::text(content);
  else if (key == "priority" && !content.is_null())
    pod.priority = static_cast<std::int32_t>(std::int64_t(content.get_int64()));
  else if (key == "preemptionPolicy" && !content.is_null())
    pod.preempts = json::text(content) != "Never";
  else if (key == "priorityClassName" && !content.is_null())
    pod.priority_class = json::text(content);
  else if (key == "nodeSelector")
    pod.node_selector = json::text_map(content);
  else if (key == "affinity")
    read_affinity(content, pod);
  else if (key == "tolerations")
    each([&](value item) { read_toleration(item, pod); });
  else if (key == "volumes")
    each([&](value item) { read_volume(item, pod); });
  else if (key == "topologySpreadConstraints")
    each([&](value item) { read_spread(item, pod); });
  else if (key == "overhead")
    demand.overhead = read_amounts(content, path, pod);
  else if (key == "resourceClaims")
    each([&](value) { pod.not_understood.emplace_back(path); });
  else if (key == "schedulingGroup")
    read_group(content, path, pod);
  // A field of Kubernetes 1.35, where no PodGroup is an object.
  else if (key == "workloadRef" && !content.is_null())
    pod.not_understood.push_back(path + " (gang scheduling)");
  else if (key == "schedulingGates")
    each([&](value gate) { read_gate(gate, pod); });
  else if (key == "resources")
    each_tolerated(content, path, pod, [&](std::string_view field, value amounts) {
      if (field == "requests") demand.pod_level.requests = read_amounts(amounts, path + ".requests", pod);
    });
  else if (key == "containers")
    read_containers(content, path, pod, demand.containers);
  else if (key == "initContainers")
    read_containers(content, path, pod, demand.init_containers);
}

void read_owner(value json, Pod& pod) {
  Owner owner;
  bool controller = false;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "kind") owner.kind = json::text(content);
    if (key == "name") owner.name = json::text(content);
    if (key == "uid") owner.uid = json::text(content);
    if (key == "apiVersion") owner.api_version = json::text(content);
    if (key == "controller") controller = !content.is_null() && content.get_bool();
  });
  if (controller) pod.owner = std::move(owner);
}

// For pods of an Indexed Job. Means nothing on other pods.
void read_completion_index(std::string_view text, Pod& pod) {
  const Result<ResourceQuantity> index = parse_quantity(text);
  if (index && index->nanos == 0 && index->whole >= 0 && index->whole <= 1'000'000'000)
    pod.completion_index = static_cast<std::int32_t>(index->whole);
  else
    pod.malformed.push_back(std::string(completion_index) + ": found '" + std::string(text) +
                            "'; allowed: the number of a task");
}

void read_annotations(value json, const std::vector<std::string>& more, Pod& pod) {
  each_tolerated(json, "metadata.annotations", pod, [&](std::string_view key, value content) {
    if (key.starts_with(own_prefix) || key == annotation::do_not_disrupt ||
        std::find(more.begin(), more.end(), key) != more.end())
      pod.annotations.emplace_back(key, json::text(content));
    if (key == completion_index) read_completion_index(json::text(content), pod);
  });
  json::sort_by_key(pod.annotations);
}

void read_metadata(value json, const std::vector<std::string>& annotations, Pod& pod) {
  each_tolerated(json, "metadata", pod, [&](std::string_view key, value content) {
    if (json::names_object(key, content, pod.meta)) return;
    if (key == "generation" && !content.is_null())
      pod.generation = std::int64_t(content.get_int64());
    else if (key == "creationTimestamp")
      pod.created = json::time(content, "metadata.creationTimestamp");
    else if (key == "deletionTimestamp")
      pod.deleting = !content.is_null();
    else if (key == "labels")
      pod.labels = json::text_map(content);
    else if (key == "annotations")
      read_annotations(content, annotations, pod);
    else if (key == "ownerReferences")
      each_tolerated_item(content, "metadata.ownerReferences", pod, [&](value item) { read_owner(item, pod); });
  });
}

PodPhase phase_of(std::string_view name) {
  if (name == "Pending" || name.empty()) return PodPhase::pending;
  if (name == "Running") return PodPhase::running;
  if (name == "Succeeded") return PodPhase::succeeded;
  return name == "Failed" ? PodPhase::failed : PodPhase::unknown;
}

void read_condition(value json, Pod& pod, Demand& demand) {
  std::string type;
  Condition condition;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "type") type = json::text(content);
    if (key == "status") condition.status = json::condition_status(json::text(content));
    if (key == "reason") condition.reason = json::text(content);
    if (key == "message") condition.message = json::text(content);
    if (key == "lastTransitionTime") condition.since = json::time(content, "status.conditions.lastTransitionTime");
  });
  if (type == "Ready") pod.ready = condition.status == ConditionStatus::yes;
  if (type == "PodResizePending" && condition.status == ConditionStatus::yes)
    demand.resize_infeasible = condition.reason == "Infeasible";
  if (type == "PodScheduled") pod.scheduled = std::move(condition);
}

void read_end(value state, Pod& pod) {
  json::each_field(state, [&](std::string_view kind, value content) {
    if (kind != "terminated") return;
    json::each_field(content, [&](std::string_view name, value end) {
      if (name != "finishedAt" || end.is_null()) return;
      const TimePoint at = json::time(end, "status.containerStatuses.state.terminated.finishedAt");
      pod.finished = std::max(pod.finished.value_or(at), at);
    });
  });
}

// Reads what the node has granted so far: allocatedResources and resources.requests.
void read_given(std::string_view key, value content, const std::string& path, Pod& pod, Amounts& given) {
  if (key == "allocatedResources") given.allocated = read_amounts(content, path + ".allocatedResources", pod);
  if (key != "resources") return;
  each_tolerated(content, path + ".resources", pod, [&](std::string_view name, value amounts) {
    if (name == "requests") given.actual = read_amounts(amounts, path + ".resources.requests", pod);
  });
}

void read_container_status(value json, const std::string& path, Pod& pod, std::map<std::string, Amounts>& all) {
  std::string name;
  Amounts given;
  each_tolerated(json, path, pod, [&](std::string_view key, value content) {
    if (key == "name") name = json::text(content);
    if (key == "state") read_end(content, pod);
    read_given(key, content, path, pod, given);
  });
  all[name] = std::move(given);
}

void read_status_field(std::string_view key, value content, Pod& pod, Demand& demand) {
  const std::string path = "status." + std::string(key);
  const auto each = [&](auto visit) { each_tolerated_item(content, path, pod, visit); };
  if (key == "podIP") pod.address = json::text(content);
  if (key == "hostIP") pod.node_address = json::text(content);
  if (key == "phase") pod.phase = phase_of(json::text(content));
  if (key == "nominatedNodeName") pod.nominated = json::text(content);
  if (key == "startTime" && !content.is_null()) pod.started = json::time(content, path);
  if (key == "conditions") each([&](value item) { read_condition(item, pod, demand); });
  if (key == "containerStatuses") each([&](value item) { read_container_status(item, path, pod, demand.given); });
  if (key == "initContainerStatuses") {
    const std::optional<TimePoint> finished = pod.finished;
    each([&](value item) { read_container_status(item, path, pod, demand.given_to_init); });
    pod.finished = finished;  // the end of an init container is not that of the pod
  }
  if (key == "allocatedResources" || key == "resources") read_given(key, content, "status", pod, demand.pod_level);
}

}  // namespace

struct PodDecoder::Working {
  json::PaddedText<simdjson::ondemand::parser> text;
  std::vector<std::string> annotations;
};

PodDecoder::PodDecoder(std::vector<std::string> annotations) : working_(std::make_unique<Working>()) {
  working_->annotations = std::move(annotations);
}
PodDecoder::~PodDecoder() = default;

Result<Pod> PodDecoder::decode(std::string_view json) {
  Pod pod;
  const Result<void> done = json::decoding<simdjson::simdjson_error>("pod", pod.meta, [&] {
    auto document = working_->text.document(json, simdjson::SIMDJSON_PADDING);
    Demand demand;
    json::each_field(document, [&](std::string_view key, value content) {
      if (key == "metadata") read_metadata(content, working_->annotations, pod);
      if (key == "spec")
        each_tolerated(content, "spec", pod,
                       [&](std::string_view field, value part) { read_spec_field(field, part, pod, demand); });
      if (key == "status")
        each_tolerated(content, "status", pod,
                       [&](std::string_view field, value part) { read_status_field(field, part, pod, demand); });
    });
    pod.requests = total(demand);
  });
  if (!done) return tl::unexpected(done.error());
  if (!has_ended(pod.phase)) pod.finished.reset();
  if (!pod.node.empty()) pod.nominated.clear();
  for (std::string& claim : pod.claims)
    if (claim.starts_with('-')) pod.own_claims.push_back(claim.insert(0, pod.meta.name));
  return pod;
}

}  // namespace lips::kubernetes

#include <simdjson.h>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/json_fields.h"
#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

constexpr std::string_view own_prefix = "lips.dev/";
constexpr std::string_view completion_index = "batch.kubernetes.io/job-completion-index";

struct Container {
  ResourceAmounts requests;
  bool sidecar = false;  // an init container that keeps running
};

// What the pod's requests are made of.
struct Demand {
  std::vector<Container> containers, init_containers;
  ResourceAmounts overhead, pod_level;
};

void raise(ResourceAmounts& most, const ResourceAmounts& other) {
  for (const auto& [resource, amount] : other) {
    const std::int64_t missing = amount - amount_of(most, resource);
    if (missing > 0) add(most, {{resource, missing}});
  }
}

// k8s.io/component-helpers/resource PodRequests: init containers run one after another beside the sidecars started
// before them; all sidecars run beside the containers; what the pod as a whole asks for replaces the sum; overhead
// comes on top.
ResourceAmounts total(const Demand& demand) {
  ResourceAmounts sidecars, peak, sum;
  for (const Container& container : demand.init_containers) {
    ResourceAmounts now = container.requests;
    add(now, sidecars);
    if (container.sidecar) sidecars = now;
    raise(peak, now);
  }
  for (const Container& container : demand.containers) add(sum, container.requests);
  add(sum, sidecars);
  raise(sum, peak);
  for (const auto& [resource, amount] : demand.pod_level) add(sum, {{resource, amount - amount_of(sum, resource)}});
  add(sum, demand.overhead);
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  sum.shrink_to_fit();
  return sum;
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

Container read_container(value json, Pod& pod, std::string_view field) {
  Container container;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "resources") {
      json::each_field(content, [&](std::string_view name, value amounts) {
        if (name == "requests") container.requests = json::amounts(amounts, field);
      });
    } else if (key == "restartPolicy") {
      container.sidecar = json::text(content) == "Always";
    } else if (key == "ports") {
      json::each_item(content, [&](value port) { read_port(port, pod); });
    }
  });
  return container;
}

bool read_comparison(std::string_view name, SelectorOperator& compare) {
  using Named = std::pair<std::string_view, SelectorOperator>;
  static constexpr Named names[] = {
      {"In", SelectorOperator::in},         {"NotIn", SelectorOperator::not_in},
      {"Exists", SelectorOperator::exists}, {"DoesNotExist", SelectorOperator::does_not_exist},
      {"Gt", SelectorOperator::greater},    {"Lt", SelectorOperator::less}};
  for (const auto& [text, meaning] : names)
    if (text == name) return compare = meaning, true;
  return false;
}

void read_requirement(value json, std::vector<Requirement>& requirements, Pod& pod) {
  Requirement requirement;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "key") requirement.key = json::text(content);
    if (key == "values") requirement.values = json::texts(content);
    if (key == "operator") {
      const std::string_view name = json::text(content);
      if (!read_comparison(name, requirement.compare))
        pod.not_understood.push_back("spec.affinity.nodeAffinity: operator " + std::string(name));
    }
  });
  requirements.push_back(std::move(requirement));
}

void read_node_affinity(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value required) {
    if (key != "requiredDuringSchedulingIgnoredDuringExecution" || required.is_null()) return;
    pod.required_affinity.emplace();
    json::each_field(required, [&](std::string_view name, value terms) {
      if (name != "nodeSelectorTerms") return;
      json::each_item(terms, [&](value term) {
        NodeSelectorTerm& added = pod.required_affinity->emplace_back();
        json::each_field(term, [&](std::string_view kind, value list) {
          if (kind == "matchExpressions")
            json::each_item(list, [&](value r) { read_requirement(r, added.labels, pod); });
          if (kind == "matchFields") json::each_item(list, [&](value r) { read_requirement(r, added.fields, pod); });
        });
      });
    });
  });
}

void read_affinity(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "nodeAffinity") read_node_affinity(content, pod);
    if (key != "podAffinity" && key != "podAntiAffinity") return;
    json::each_field(content, [&, kind = std::string(key)](std::string_view name, value terms) {
      bool any = false;
      if (name == "requiredDuringSchedulingIgnoredDuringExecution") json::each_item(terms, [&](value) { any = true; });
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
    if (is("effect")) {
      const std::string_view effect = json::text(content);
      if (!effect.empty()) toleration.effect = json::taint_effect(effect, "spec.tolerations.effect");
    }
    if (!is("operator")) return;
    const std::string_view name = json::text(content);
    if (name == "Exists")
      toleration.compare = Toleration::Compare::exists;
    else if (name == "Gt")
      toleration.compare = Toleration::Compare::greater;
    else if (name == "Lt")
      toleration.compare = Toleration::Compare::less;
    else if (name != "Equal" && !name.empty())
      not_understood = "spec.tolerations: operator " + std::string(name);
  });
  if (not_understood.empty())
    pod.tolerations.push_back(std::move(toleration));
  else
    pod.not_understood.push_back(std::move(not_understood));
}

void read_volume(value json, Pod& pod) {
  std::string name;
  bool own_claim = false;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") name = json::text(content);
    if (key == "ephemeral") own_claim = !content.is_null();
    if (key == "persistentVolumeClaim")
      json::each_field(content, [&](std::string_view field, value claim) {
        if (field == "claimName") pod.claims.emplace_back(json::text(claim));
      });
  });
  if (own_claim) pod.claims.push_back('-' + name);  // behind the pod's name, which may come later
}

void read_spread(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "whenUnsatisfiable" && json::text(content) == "DoNotSchedule")
      pod.not_understood.emplace_back("spec.topologySpreadConstraints (DoNotSchedule)");
  });
}

void read_spec(value json, Pod& pod) {
  Demand demand;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "nodeName")
      pod.node = json::text(content);
    else if (key == "schedulerName")
      pod.scheduler = json::text(content);
    else if (key == "priority" && !content.is_null())
      pod.priority = static_cast<std::int32_t>(std::int64_t(content.get_int64()));
    else if (key == "nodeSelector")
      pod.node_selector = json::text_map(content);
    else if (key == "affinity")
      read_affinity(content, pod);
    else if (key == "tolerations")
      json::each_item(content, [&](value item) { read_toleration(item, pod); });
    else if (key == "volumes")
      json::each_item(content, [&](value item) { read_volume(item, pod); });
    else if (key == "topologySpreadConstraints")
      json::each_item(content, [&](value item) { read_spread(item, pod); });
    else if (key == "overhead")
      demand.overhead = json::amounts(content, "spec.overhead");
    else if (key == "resourceClaims")
      json::each_item(content, [&](value) { pod.not_understood.emplace_back("spec.resourceClaims"); });
    else if (key == "schedulingGates")
      json::each_item(content, [&](value gate) {
        json::each_field(gate, [&](std::string_view field, value name) {
          if (field == "name") pod.gates.emplace_back(json::text(name));
        });
      });
    else if (key == "resources")
      json::each_field(content, [&](std::string_view field, value amounts) {
        if (field == "requests") demand.pod_level = json::amounts(amounts, "spec.resources.requests");
      });
    else if (key == "containers")
      json::each_item(content, [&](value item) {
        demand.containers.push_back(read_container(item, pod, "spec.containers.resources.requests"));
      });
    else if (key == "initContainers")
      json::each_item(content, [&](value item) {
        demand.init_containers.push_back(read_container(item, pod, "spec.initContainers.resources.requests"));
      });
  });
  pod.requests = total(demand);
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

void read_annotations(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key.starts_with(own_prefix)) pod.annotations.emplace_back(key, json::text(content));
    if (key != completion_index) return;
    const ResourceQuantity index = json::accepted(parse_quantity(json::text(content)), completion_index);
    if (index.nanos != 0 || index.whole < 0 || index.whole > 1'000'000'000)
      throw json::Rejected{std::string(completion_index) + ": not the number of a task"};
    pod.completion_index = static_cast<std::int32_t>(index.whole);
  });
  json::sort_by_key(pod.annotations);
}

void read_metadata(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "namespace")
      pod.meta.name_space = json::text(content);
    else if (key == "name")
      pod.meta.name = json::text(content);
    else if (key == "uid")
      pod.meta.uid = json::text(content);
    else if (key == "resourceVersion")
      pod.meta.resource_version = json::text(content);
    else if (key == "creationTimestamp")
      pod.created = json::time(content, "metadata.creationTimestamp");
    else if (key == "deletionTimestamp")
      pod.deleting = !content.is_null();
    else if (key == "labels")
      pod.labels = json::text_map(content, own_prefix);
    else if (key == "annotations")
      read_annotations(content, pod);
    else if (key == "ownerReferences")
      json::each_item(content, [&](value item) { read_owner(item, pod); });
  });
}

PodPhase phase_of(std::string_view name) {
  if (name == "Pending" || name.empty()) return PodPhase::pending;
  if (name == "Running") return PodPhase::running;
  if (name == "Succeeded") return PodPhase::succeeded;
  return name == "Failed" ? PodPhase::failed : PodPhase::unknown;
}

void read_condition(value json, Pod& pod) {
  std::string type;
  Condition condition;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "type") type = json::text(content);
    if (key == "status") condition.status = json::condition_status(json::text(content));
    if (key == "reason") condition.reason = json::text(content);
    if (key == "message") condition.message = json::text(content);
  });
  if (type == "Ready") pod.ready = condition.status == ConditionStatus::yes;
  if (type == "PodScheduled") pod.scheduled = std::move(condition);
}

void read_container_status(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value state) {
    if (key != "state") return;
    json::each_field(state, [&](std::string_view kind, value content) {
      if (kind != "terminated") return;
      json::each_field(content, [&](std::string_view name, value end) {
        if (name != "finishedAt" || end.is_null()) return;
        const TimePoint at = json::time(end, "status.containerStatuses.state.terminated.finishedAt");
        pod.finished = std::max(pod.finished.value_or(at), at);
      });
    });
  });
}

void read_status(value json, Pod& pod) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "phase") pod.phase = phase_of(json::text(content));
    if (key == "startTime" && !content.is_null()) pod.started = json::time(content, "status.startTime");
    if (key == "conditions") json::each_item(content, [&](value item) { read_condition(item, pod); });
    if (key == "containerStatuses") json::each_item(content, [&](value item) { read_container_status(item, pod); });
  });
  if (pod.phase != PodPhase::succeeded && pod.phase != PodPhase::failed) pod.finished.reset();
}

}  // namespace

struct PodDecoder::Working {
  json::PaddedText<simdjson::ondemand::parser> text;
};

PodDecoder::PodDecoder() : working_(std::make_unique<Working>()) {}
PodDecoder::~PodDecoder() = default;

Result<Pod> PodDecoder::decode(std::string_view json) {
  Pod pod;
  const auto refuse = [&](std::string_view what) {
    const std::string name = pod.meta.name.empty() ? "without a name" : full_name(pod.meta);
    return fail(ErrorCode::invalid_input, "pod " + name + ": " + std::string(what));
  };
  try {
    auto document = working_->text.document(json, simdjson::SIMDJSON_PADDING);
    json::each_field(document, [&](std::string_view key, value content) {
      if (key == "metadata") read_metadata(content, pod);
      if (key == "spec") read_spec(content, pod);
      if (key == "status") read_status(content, pod);
    });
    for (std::string& claim : pod.claims)
      if (claim.starts_with('-')) claim.insert(0, pod.meta.name);
    if (pod.meta.name.empty()) return refuse("metadata.name: found nothing; allowed: a name");
    return pod;
  } catch (const simdjson::simdjson_error& error) {
    return refuse(error.what());
  } catch (const json::Rejected& rejected) {
    return refuse(rejected.what);
  }
}

}  // namespace lips::kubernetes

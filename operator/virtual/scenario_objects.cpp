#include "virtual/scenario_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kubernetes/data/block_ranges.h"
#include "kubernetes/data/resources.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/zone_gate.h"
#include "model/node_labels.h"
#include "virtual/job_back_off.h"

namespace lips::virtual_cluster {
namespace {

using simulation::Scenario;
namespace annotation = kubernetes::annotation;

// Names of objects: lower case letters, digits and dashes.
std::string object_name(std::string name) {
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    const bool allowed = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '.';
    if (!allowed) letter = '-';
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  while (!name.empty() && (name.front() == '-' || name.front() == '.')) name.erase(0, 1);
  return name.empty() ? "unnamed" : name;
}

std::string mebibytes_text(Mebibytes size) { return fmt::format("{}", std::llround(size.value() * (1 << 20))); }

Json amounts(const Resources& of, const IdVector<ResourceId, std::string>& names, bool pods) {
  Json result{{"cpu", fmt::format("{}m", std::llround(of.cpu.value() * 1000))}};
  if (of.memory.value() > 0) result["memory"] = mebibytes_text(of.memory);
  if (pods) result["pods"] = std::to_string(of.slots);
  for (const ResourceId id : names.ids())
    if (of.extended[id] > 0) result[names[id]] = std::to_string(std::llround(of.extended[id]));
  return result;
}

Json requirement(const LabelRequirement& rule) {
  using enum LabelRequirement::Operator;
  constexpr const char* names[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  Json result{{"key", rule.key}, {"operator", names[static_cast<int>(rule.op)]}};
  if (!rule.values.empty()) result["values"] = rule.values;
  return result;
}

Json requirements(const std::vector<LabelRequirement>& rules) {
  Json result = Json::array();
  for (const LabelRequirement& rule : rules) result.push_back(requirement(rule));
  return result;
}

void constrain(Json& spec, const PlacementConstraint& constraint) {
  Json terms = Json::array();
  for (const auto& term : constraint.any_of) {
    Json rules = requirements(term);
    for (const LabelRequirement& rule : constraint.required) rules.push_back(requirement(rule));
    terms.push_back({{"matchExpressions", std::move(rules)}});
  }
  if (terms.empty() && !constraint.required.empty())
    terms.push_back({{"matchExpressions", requirements(constraint.required)}});
  if (!terms.empty())
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
        std::move(terms);
  for (const Toleration& toleration : constraint.tolerations) {
    Json one{{"operator", toleration.exists ? "Exists" : "Equal"}};
    if (!toleration.key.empty()) one["key"] = toleration.key;
    if (!toleration.value.empty()) one["value"] = toleration.value;
    if (!toleration.effect.empty()) one["effect"] = toleration.effect;
    spec["tolerations"].push_back(std::move(one));
  }
}

void name_scheduler(Json& spec, PodMode mode) {
  spec["schedulerName"] = mode == PodMode::bind ? "lips" : "default-scheduler";
  if (mode == PodMode::steer) spec["schedulingGates"] = Json::array({{{"name", kubernetes::zone_gate}}});
}

std::string data_set_name(const Scenario& scenario, DataSetId id) {
  return object_name(scenario.cluster.data_sets[id].name);
}

}  // namespace

Result<void> can_be_objects(const Scenario& scenario, Planned planned) {
  const auto no = [](const std::string& why) { return fail(ErrorCode::invalid_input, "through Kubernetes: " + why); };
  for (const JobArrived& arrived : scenario.jobs) {
    const Job& job = arrived.job;
    if (job.output.valid()) return no(fmt::format("job {} writes a data set", job.name));
    if (job.inputs.size() > 1 && planned == Planned::by_operator)
      return no(fmt::format("job {} reads {} data sets; allowed: one", job.name, job.inputs.size()));
    for (const JobInput& input : job.inputs) {
      const DataSet& set = scenario.cluster.data_sets[input.data_set];
      if (set.code.n > 0) return no(fmt::format("data set {} is erasure coded", set.name));
      if (planned == Planned::by_nobody) continue;
      if (input.fraction != 1) return no(fmt::format("job {} reads a part of each block", job.name));
      if (job.map_tasks != set.blocks) return no(fmt::format("job {} has not one task for each block", job.name));
    }
  }
  return {};
}

std::string pool_name(const Scenario& scenario, PoolId pool) {
  return pool.valid() ? object_name(scenario.cluster.pools[pool].name) : "default";
}

std::string type_name(const Node& node) {
  const std::string type = node.instance_type.empty() ? "node" : object_name(node.instance_type);
  return node.speed == 1 ? type : fmt::format("{}.x{}", type, node.speed);
}

Json node_object(const ClusterSnapshot& cluster, NodeId id) {
  const Node& node = cluster.nodes[id];
  Json labels{{node_label::zone, cluster.zones[node.zone].name},
              {node_label::instance_type, type_name(node)},
              {node_label::capacity_type, to_string(node.capacity_type)},
              {"kubernetes.io/hostname", node.name},
              {"lips.dev/fleet", node.fleet == FleetKind::elastic ? "elastic" : "fixed"}};
  if (node.rack.valid()) labels["lips.dev/rack"] = object_name(cluster.racks[node.rack].name);
  Json spec = Json::object();
  if (node.profile.valid()) {
    for (const auto& [key, value] : cluster.profiles[node.profile].labels) labels[key] = value;
    for (const Taint& taint : cluster.profiles[node.profile].taints)
      spec["taints"].push_back({{"key", taint.key}, {"value", taint.value}, {"effect", taint.effect}});
  }
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", node.name},
            {"labels", std::move(labels)},
            {"annotations", {{"lips.dev/usd-per-hour", fmt::format("{:.9f}", node.price.value())}}}}},
          {"spec", std::move(spec)},
          {"status",
           {{"allocatable", amounts(node.capacity - node.others, cluster.extended_names, true)},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

Json pool_object(const Pool& pool) {
  const std::string name = object_name(pool.name);
  Json spec{{"weight", pool.weight}, {"namespaces", Json::array({name})}};
  if (pool.minimum.value() > 0) spec["minimum"] = pool.minimum.value();
  if (pool.maximum.value() > 0) spec["maximum"] = pool.maximum.value();
  if (pool.reclaims()) spec["reclaim"] = to_string(pool.reclaim);
  return {{"apiVersion", kubernetes::data_api_version},
          {"kind", "Pool"},
          {"metadata", {{"name", name}}},
          {"spec", std::move(spec)}};
}

Json store_object(const ClusterSnapshot& cluster, StoreId id) {
  const DataStore& store = cluster.stores[id];
  const std::string name = object_name(store.name);
  Json spec{{"serve", false}, {"endpoint", "http://" + name + ".stores:8080"}};
  if (store.capacity.value() > 0) spec["capacity"] = mebibytes_text(store.capacity);
  switch (store.kind) {
    case StoreKind::node_directory:
      spec["nodeDirectory"] = {{"node", cluster.nodes[store.node].name}, {"path", "/srv/data"}};
      break;
    case StoreKind::zonal_volume:
      spec["zone"] = cluster.zones[store.zone].name;
      spec["volume"] = {{"claimName", name}, {"mountPath", "/srv/data"}};
      break;
    default:
      spec["zone"] = cluster.zones[store.zone].name;
      spec["bucket"] = {{"name", name}, {"scope", store.kind == StoreKind::zonal_bucket ? "Zonal" : "Regional"}};
  }
  return {{"apiVersion", kubernetes::data_api_version},
          {"kind", "DataStore"},
          {"metadata", {{"name", name}}},
          {"spec", std::move(spec)}};
}

namespace {

std::int64_t bytes_of(Mebibytes size) { return std::llround(size.value() * (1 << 20)); }

// One file that is cut into blocks, where they are equal but for a smaller last one; else one for each block.
Json files_of(const Scenario& scenario, DataSetId id) {
  const DataSet& set = scenario.cluster.data_sets[id];
  const std::string path = std::string(data_name_space) + '/' + data_set_name(scenario, id);
  std::int64_t sum = 0;
  bool equal = true;
  Json parts = Json::array();
  const auto size_of = [&](std::uint32_t number) {
    return bytes_of(scenario.cluster.blocks[BlockId(set.first_block.index() + number)].size);
  };
  for (std::uint32_t number = 0; number < set.blocks; ++number) {
    const std::int64_t size = size_of(number);
    equal = equal && (size == size_of(0) || (number + 1 == set.blocks && size < size_of(0)));
    sum += size;
    parts.push_back({{"path", fmt::format("{}/part-{:05}", path, number)}, {"size", std::to_string(size)}});
  }
  if (!equal) return parts;
  return Json::array({{{"path", path}, {"size", std::to_string(sum)}}});
}

}  // namespace

Json data_set_object(const Scenario& scenario, DataSetId id) {
  const ClusterSnapshot& cluster = scenario.cluster;
  const DataSet& set = cluster.data_sets[id];
  std::map<std::string, kubernetes::BlockRanges> held;
  Mebibytes largest;
  for (std::uint32_t number = 0; number < set.blocks; ++number) {
    const Block& block = cluster.blocks[BlockId(set.first_block.index() + number)];
    largest = std::max(largest, block.size);
    for (const Replica& replica : block.replicas) held[object_name(cluster.stores[replica.store].name)].add(number);
  }
  Json stores = Json::array(), replicas = Json::array(), readers = Json::array();
  for (const auto& [store, blocks] : held) {
    stores.push_back({{"name", store}, {"blocks", blocks.text()}});
    replicas.push_back({{"store", store}, {"blocks", blocks.text()}});
  }
  for (const PoolId pool : cluster.pools.ids()) readers.push_back(pool_name(scenario, pool));
  return {{"apiVersion", kubernetes::data_api_version},
          {"kind", "DataSet"},
          {"metadata", {{"name", data_set_name(scenario, id)}, {"namespace", data_name_space}}},
          {"spec",
           {{"files", files_of(scenario, id)},
            {"blockSize", mebibytes_text(largest)},
            {"readers", std::move(readers)},
            {"stores", std::move(stores)}}},
          {"status", {{"blocks", set.blocks}, {"replicas", std::move(replicas)}}}};
}

Json store_key_object(const std::string& name_space, const std::string& name) {
  constexpr const char* key = "dmlydHVhbC1jbHVzdGVycy1rZWVwLW5vLXNlY3JldHM=";  // virtual-clusters-keep-no-secrets
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", name}, {"namespace", name_space}}},
          {"type", "Opaque"},
          {"data", {{"key", key}}}};
}

std::string job_name(const Scenario& scenario, JobStage stage) {
  const std::string name =
      fmt::format("{}-{}", object_name(scenario.jobs[stage.job.index()].job.name), stage.job.index());
  return stage.kind == TaskKind::map ? name : name + "-reduces";
}

namespace {

// The notes that all pods of a Job have.
Json notes_of(const Scenario& scenario, JobStage stage) {
  const Job& job = scenario.jobs[stage.job.index()].job;
  Json notes = Json::object();
  if (stage.kind == TaskKind::map && !job.inputs.empty())
    notes[annotation::data_set] =
        std::string(data_name_space) + '/' + data_set_name(scenario, job.inputs.front().data_set);
  if (job.reduce_tasks > 0) {
    notes[annotation::job] = job_name(scenario, {stage.job, TaskKind::map});
    notes[annotation::stage] = stage.kind == TaskKind::map ? "map" : "reduce";
    notes[annotation::shuffle] = fmt::format("{:.6f}Mi", job.shuffle.value());
  }
  return notes;
}

}  // namespace

Json job_object(const Scenario& scenario, JobStage stage, PodMode mode) {
  Json of_pods{{"restartPolicy", "Never"}};
  name_scheduler(of_pods, mode);
  const Json disruption{{"type", "DisruptionTarget"}, {"status", "True"}};
  const Json ignored{{"action", "Ignore"}, {"onPodConditions", Json::array({disruption})}};
  const Job& job = scenario.jobs[stage.job.index()].job;
  const std::uint32_t tasks = stage.kind == TaskKind::map ? job.map_tasks : job.reduce_tasks;
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", job_name(scenario, stage)}, {"namespace", pool_name(scenario, job.pool)}}},
          {"spec",
           {{"completions", tasks},
            {"parallelism", tasks},
            {"completionMode", "Indexed"},
            {"backoffLimit", JobBackOff::limit},
            {"podFailurePolicy", {{"rules", Json::array({ignored})}}},
            {"template", {{"metadata", {{"annotations", notes_of(scenario, stage)}}}, {"spec", std::move(of_pods)}}}}}};
}

TaskKind kind_of(const Scenario& scenario, TaskOfJob task) {
  return task.number < scenario.jobs[task.job.index()].job.map_tasks ? TaskKind::map : TaskKind::reduce;
}

namespace {

std::uint32_t index_of(const Scenario& scenario, TaskOfJob task) {
  const std::uint32_t maps = scenario.jobs[task.job.index()].job.map_tasks;
  return task.number < maps ? task.number : task.number - maps;
}

}  // namespace

std::string pod_name(const Scenario& scenario, TaskOfJob task, int attempt) {
  return fmt::format("{}-{}-{}", job_name(scenario, {task.job, kind_of(scenario, task)}), index_of(scenario, task),
                     attempt);
}

Json pod_requests(const Scenario& scenario, JobId job) {
  return amounts(scenario.jobs[job.index()].job.request, scenario.cluster.extended_names, false);
}

Json pod_object(const Scenario& scenario, TaskOfJob place, const std::string& job_uid, int attempt, PodMode mode) {
  const JobArrived& arrived = scenario.jobs[place.job.index()];
  const Job& job = arrived.job;
  const Task& task = arrived.tasks[place.number];
  const JobStage stage{place.job, kind_of(scenario, place)};
  const std::string owner_name = job_name(scenario, stage);
  Json annotations = notes_of(scenario, stage);
  annotations["batch.kubernetes.io/job-completion-index"] = std::to_string(index_of(scenario, place));
  annotations[annotation::cpu] = fmt::format("{:.6f}", task.cpu.value());
  Json spec{{"containers", Json::array({{{"name", "main"},
                                         {"image", "work"},
                                         {"resources", {{"requests", pod_requests(scenario, place.job)}}}}})}};
  name_scheduler(spec, mode);
  if (job.priority != 0) spec["priority"] = job.priority;
  if (!job.preempts) spec["preemptionPolicy"] = "Never";
  if (job.constraint.valid()) constrain(spec, scenario.cluster.constraints[job.constraint]);
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", pod_name(scenario, place, attempt)},
            {"namespace", pool_name(scenario, job.pool)},
            {"labels", {{"batch.kubernetes.io/job-name", owner_name}}},
            {"annotations", std::move(annotations)},
            {"ownerReferences", Json::array({{{"apiVersion", "batch/v1"},
                                              {"kind", "Job"},
                                              {"name", owner_name},
                                              {"uid", job_uid},
                                              {"controller", true}}})}}},
          {"spec", std::move(spec)},
          {"status", {{"phase", "Pending"}}}};
}

Json service_pod_object(const Scenario& scenario, std::uint32_t index, std::uint64_t number) {
  const simulation::Service& service = scenario.services[index];
  const std::string owner = object_name(service.name);
  Json spec{{"schedulerName", "default-scheduler"},
            {"containers",
             Json::array(
                 {{{"name", "main"},
                   {"image", "serve"},
                   {"resources", {{"requests", amounts(service.request, scenario.cluster.extended_names, false)}}}}})}};
  if (service.constraint.valid()) constrain(spec, scenario.cluster.constraints[service.constraint]);
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", fmt::format("{}-{}", owner, number)},
            {"namespace", "default"},
            {"ownerReferences", Json::array({{{"apiVersion", "apps/v1"},
                                              {"kind", "ReplicaSet"},
                                              {"name", owner},
                                              {"uid", fmt::format("service-{}", index)},
                                              {"controller", true}}})}}},
          {"spec", std::move(spec)},
          {"status", {{"phase", "Pending"}}}};
}

}  // namespace lips::virtual_cluster

// The objects of a cluster that is like a scenario: nodes, pools, stores, data sets, Jobs and their pods, as users and
// controllers write them. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/pod_mode.h"
#include "simulation/scenario.h"
#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// The error names the first thing in the scenario that objects cannot say. Where nobody plans, no object has to say
// what tasks read.
enum class Planned : std::uint8_t { by_operator, by_nobody };
Result<void> can_be_objects(const simulation::Scenario& scenario, Planned planned = Planned::by_operator);

inline constexpr const char* data_name_space = "data";

// Each pool is a namespace.
std::string pool_name(const simulation::Scenario& scenario, PoolId pool);

// Price sheets have one speed for each type: nodes of one type that differ in speed get types of their own.
std::string type_name(const Node& node);
Json node_object(const ClusterSnapshot& cluster, NodeId node);
Json pool_object(const Pool& pool);
Json store_object(const ClusterSnapshot& cluster, StoreId store);
// With the replicas that are there at the start.
Json data_set_object(const simulation::Scenario& scenario, DataSetId data_set);

// The Secret with the key from which passwords of served stores are made, which the first leader filled.
Json store_key_object(const std::string& name_space, const std::string& name);

// One stage of a job of the scenario; a job with reduces is two Jobs.
struct JobStage {
  JobId job;
  TaskKind kind = TaskKind::map;
};
std::string job_name(const simulation::Scenario& scenario, JobStage stage);
// The mode says whose its pods are: with bind they name LiPS, with steer they wait behind its gate, else they have the
// default scheduler.
Json job_object(const simulation::Scenario& scenario, JobStage stage, PodMode mode = PodMode::bind);
// A task of the scenario by its job and its number there: maps, then reduces.
struct TaskOfJob {
  JobId job;
  std::uint32_t number = 0;
};
TaskKind kind_of(const simulation::Scenario& scenario, TaskOfJob task);
// `attempt` counts from 0 the pods for that task. The namespace is that of its Job.
std::string pod_name(const simulation::Scenario& scenario, TaskOfJob task, int attempt);
// The requests of a pod of the job, as its container has them.
Json pod_requests(const simulation::Scenario& scenario, JobId job);
// A pod of the Job with that uid.
Json pod_object(const simulation::Scenario& scenario, TaskOfJob task, const std::string& job_uid, int attempt,
                PodMode mode = PodMode::bind);

// A pod of the service, without a node. `number`: of all pods of services so far.
Json service_pod_object(const simulation::Scenario& scenario, std::uint32_t service, std::uint64_t number);

}  // namespace lips::virtual_cluster

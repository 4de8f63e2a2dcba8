#include "virtual/virtual_kubernetes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "kubernetes/api/time_text.h"
#include "kubernetes/data/mover_options.h"
#include "kubernetes/data/resources.h"
#include "kubernetes/pods/pod_annotations.h"
#include "model/node_labels.h"
#include "virtual/disruption_budgets.h"
#include "virtual/json_patch.h"
#include "virtual/metadata_rules.h"
#include "virtual/pod_rules.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster {
namespace {

// A look at the simulated cluster even if it foresees nothing: it knows when a run is hopeless.
constexpr Duration look_every = std::chrono::minutes(10);

constexpr const char* served[] = {"/api/v1/namespaces",
                                  "/api/v1/nodes",
                                  "/api/v1/pods",
                                  "/api/v1/configmaps",
                                  "/api/v1/secrets",
                                  "/api/v1/persistentvolumeclaims",
                                  "/api/v1/persistentvolumes",
                                  "/api/v1/resourcequotas",
                                  budgets_path,
                                  "/apis/batch/v1/jobs",
                                  "/apis/batch/v1/cronjobs",
                                  "/apis/storage.k8s.io/v1/storageclasses",
                                  "/apis/storage.k8s.io/v1/csinodes",
                                  "/apis/storage.k8s.io/v1/csidrivers",
                                  "/apis/storage.k8s.io/v1/csistoragecapacities",
                                  "/apis/events.k8s.io/v1/events",
                                  "/apis/coordination.k8s.io/v1/leases"};

std::string text_of(const Json& object, const char* pointer) {
  const Json::json_pointer at(pointer);
  return object.contains(at) && object[at].is_string() ? object[at].get<std::string>() : "";
}

// The taints that the node lifecycle controller sets.
void add_taint(Json& node, const char* key, const char* effect) {
  node["spec"]["taints"].push_back({{"key", key}, {"effect", effect}});
}

// The kube-scheduler of tasks is that of services.
simulation::ServiceScore service_score(KubeScoring scoring) {
  return scoring == KubeScoring::most_allocated ? simulation::ServiceScore::most_allocated
                                                : simulation::ServiceScore::least_allocated;
}

std::string all_of(kubernetes::DataKind kind) { return kubernetes::all_resources_path(kind); }

}  // namespace

VirtualKubernetes::VirtualKubernetes(const simulation::Scenario& scenario, const Cadence& cadence,
                                     simulation::RunListener& listener, ClusterRules rules)
    : VirtualKubernetes(scenario, cadence, listener, rules, std::make_shared<VirtualLoop>(start_of(scenario))) {}

VirtualKubernetes::VirtualKubernetes(const simulation::Scenario& scenario, const Cadence& cadence,
                                     simulation::RunListener& listener, ClusterRules rules,
                                     std::shared_ptr<kubernetes::EventLoop> loop)
    : scenario_(scenario),
      rules_(rules),
      loop_(std::move(loop)),
      server_(*loop_, scenario.seed),
      truth_(scenario, cadence, listener, service_score(rules_.scheduler.scoring)),
      movers_(
          server_.objects(), truth_, scenario.cluster, [this] { advance(); }, wrong_),
      stages_(scenario.jobs.size()) {
  for (const char* collection : served) server_.serve(collection);
  for (const kubernetes::DataKind kind : kubernetes::data_kinds) server_.serve(all_of(kind));
  for (std::uint32_t job = 0; job < scenario.jobs.size(); ++job) {
    requests_.push_back(pod_requests(scenario, JobId(job)));
    first_task_.emplace_back(static_cast<std::uint32_t>(places_.size()));
    for (std::uint32_t number = 0; number < scenario.jobs[job].tasks.size(); ++number) {
      pods_.push_back({});
      places_.push_back({JobId(job), number});
    }
  }
  put_cluster();
  quotas_.emplace(server_.objects(), *loop_);
  scheduler_.emplace(server_, *loop_, scenario.seed, rules_.scheduler);
  server_.objects().listen(pods_path, [this](const ObjectChange& change) { follow_pods(change); });
  const auto to_movers = [this](const char* collection, void (Movers::*start)(const Json&)) {
    server_.objects().listen(collection, [this, start](const ObjectChange& change) {
      if (change.type == ChangeType::added)
        loop_->post([this, start, object = change.now.json] { (movers_.*start)(*object); });
    });
  };
  server_.objects().listen(events_path, [this](const ObjectChange& change) { expiry_.note(change, loop_->now()); });
  to_movers(jobs_path, &Movers::start_job);
  to_movers(pods_path, &Movers::start_pod);
  advance();
}

void VirtualKubernetes::put_cluster() {
  const ClusterSnapshot& cluster = scenario_.cluster;
  const auto put = [&](const std::string& collection, Json object) {
    const StoredObject* made = server_.objects().create(collection, std::move(object), loop_->now());
    LIPS_CHECK(made, "the names of a scenario differ");
    return text_of(*made->json, "/metadata/name");
  };
  std::set<std::string> name_spaces{"default", operator_name_space, data_name_space};
  for (const PoolId pool : cluster.pools.ids()) name_spaces.insert(pool_name(scenario_, pool));
  for (const std::string& name : name_spaces) {
    Json object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
    label_with_name(object["metadata"]);
    object["status"] = {{"phase", "Active"}};
    put("/api/v1/namespaces", std::move(object));
  }
  put("/api/v1/secrets", store_key_object(operator_name_space, kubernetes::mover_options({}).key_secret));
  for (const NodeId node : cluster.nodes.ids()) nodes_[cluster.nodes[node].name] = node;
  const ClusterSnapshot start = scenario_.at_start();  // places that an autoscaler may fill take no tasks yet
  for (const NodeId node : cluster.nodes.ids())
    if (start.nodes[node].schedulable) put(nodes_path, node_object(cluster, node));
  if (!scenario_.fleet.offers.empty()) buy_for({});
  for (const Pool& pool : cluster.pools) put(all_of(kubernetes::DataKind::pool), pool_object(pool));
  for (const StoreId store : cluster.stores.ids())
    movers_.names().stores[put(all_of(kubernetes::DataKind::data_store), store_object(cluster, store))] = store;
  for (const DataSetId set : cluster.data_sets.ids())
    movers_.names().data_sets[key_of(
        data_name_space, put(all_of(kubernetes::DataKind::data_set), data_set_object(scenario_, set)))] = set;
}

kubernetes::ClusterLink VirtualKubernetes::link(const Storm& storm) {
  return {loop_, [this, storm](kubernetes::ClientOptions options) {
            return std::make_unique<VirtualClient>(server_, *loop_, std::move(options), storm);
          }};
}

// ---- the kubelets ----

void VirtualKubernetes::follow_pods(const ObjectChange& change) {
  const Json& pod = *change.now.json;
  if (asks_for_node(pod) && !std::exchange(ordering_, true)) loop_->post([this] { order_nodes(); });
  const auto known = task_of_.find(key_of(pod));
  if (known == task_of_.end()) return;
  const TaskId task = known->second;
  if (change.type == ChangeType::deleted) {
    if (pods_[task].name == known->first && !pods_[task].bound && !truth_.has_ended(task)) {
      wrong_.push_back(known->first + " was deleted while it waited");
      pods_[task].name.clear();
      loop_->post([this, task] { replace_pod(task, false); });
    }
    task_of_.erase(known);
    return;
  }
  const bool current = pods_[task].name == key_of(pod);
  if (current && pods_[task].bound && !text_of(pod, "/metadata/deletionTimestamp").empty() &&
      !std::exchange(pods_[task].leaves, true))
    loop_->post([this, task] { take_back(task); });
  const std::string node = text_of(pod, "/spec/nodeName");
  if (!current || node.empty() || std::exchange(pods_[task].bound, true)) return;
  // After the server has answered: the kubelet learns of it by a watch of its own.
  loop_->post([this, task, node, read_from = text_of(pod, "/metadata/annotations/lips.dev~1read-from")] {
    start_pod(task, node, read_from);
  });
}

void VirtualKubernetes::start_pod(TaskId task, const std::string& node, const std::string& read_from) {
  advance();
  Assignment assignment;
  assignment.task = task;
  const auto place = nodes_.find(node);
  if (place == nodes_.end() || !pods_[task].bound) return;
  assignment.node = place->second;
  const auto store = movers_.names().stores.find(read_from);
  assignment.read_from = store != movers_.names().stores.end() ? store->second : nearest_source(task, place->second);
  if (truth_.has_ended(task)) return end_pod(task, true);  // its pod was restored
  if (truth_.runs(task)) return collect_pod(task);         // a container of before the restore still ends
  if (truth_.waits_for_maps(task)) wrong_.push_back(pods_[task].name + " began before its maps had ended");
  if (!truth_.waits(task)) return end_pod(task, false);
  if (!truth_.is_up(place->second)) return collect_pod(task);
  if (truth_.is_full(place->second, task)) {
    // The pod of a service took its room at the same time. No scheduler was asked, so this is no fault of the Job.
    if (!truth_.services_on(place->second).empty()) return collect_pod(task);
    wrong_.push_back("no room on " + node + " for " + pods_[task].name);
  }
  truth_.bind({assignment, read_from});
  advance();
}

// A task that nobody tells where to read takes the nearest replica, as clients of file systems do.
StoreId VirtualKubernetes::nearest_source(TaskId task, NodeId node) const {
  const TaskOfJob place = places_[task];
  const BlockId block = scenario_.jobs[place.job.index()].tasks[place.number].block;
  return block.valid() ? truth_.nearest_source(block, node) : StoreId::none();
}

// A running pod that was deleted or evicted gets the time that the simulated cluster gives it.
void VirtualKubernetes::take_back(TaskId task) {
  if (!pods_[task].bound) return;
  advance();
  if (pods_[task].bound) truth_.reclaim({task, PoolId::none(), Usd(0)});
  advance();
}

void VirtualKubernetes::end_pod(TaskId task, bool succeeded) {
  PodOfTask& record = pods_[task];
  const StoredObject* found = server_.objects().find(pods_path, record.name);
  if (found) {
    Json pod = *found->json;
    const std::string now = kubernetes::time_text(loop_->now());
    pod["status"]["phase"] = succeeded ? "Succeeded" : "Failed";
    pod["status"]["containerStatuses"] =
        Json::array({{{"name", "main"}, {"state", {{"terminated", {{"finishedAt", now}}}}}}});
    if (record.leaves && !succeeded) {
      mark_eviction(pod, loop_->now());
      pod["metadata"]["deletionTimestamp"] = now;
    }
    put_pod(record.name, std::move(pod));
    if (record.leaves) server_.objects().remove(pods_path, record.name);
  }
  const bool leaves = std::exchange(record.leaves, false);
  record.bound = false;
  record.name.clear();
  if (!succeeded) replace_pod(task, !leaves);
}

// Whoever takes a pod's room evicts it. Nothing is said of a pod that the restored store does not know as running.
void VirtualKubernetes::lose_pod(TaskId task) {
  if (!std::exchange(pods_[task].forgotten, false)) {
    pods_[task].leaves = true;
    return end_pod(task, false);
  }
  if (pods_[task].name.empty()) replace_pod(task, false);
}

// The garbage collector of pods does this with those whose node is gone.
void VirtualKubernetes::collect_pod(TaskId task) {
  pods_[task].leaves = true;
  end_pod(task, false);
}

// A node that takes no pods any more is cordoned; one that did not exist is new.
void VirtualKubernetes::put_node(NodeId id, bool schedulable) {
  Json node = node_object(scenario_.cluster, id);
  if (!schedulable) {
    node["spec"]["unschedulable"] = true;
    add_taint(node, "node.kubernetes.io/unschedulable", "NoSchedule");
  }
  const std::string name = scenario_.cluster.nodes[id].name;
  if (server_.objects().find(nodes_path, name))
    server_.objects().put(nodes_path, name, std::move(node));
  else if (schedulable)
    server_.objects().create(nodes_path, std::move(node), loop_->now());
}

// A machine that may come back with its data is a node that is not ready; one that is gone is none. Its pods are lost
// with it: nobody waits for the five minutes of the node lifecycle controller.
void VirtualKubernetes::lose_node(const NodeLost& lost) {
  const std::string& name = scenario_.cluster.nodes[lost.node].name;
  const bool comes_back = !lost.data_lost && scenario_.cluster.nodes[lost.node].fleet == FleetKind::fixed;
  if (comes_back) {
    Json node = node_object(scenario_.cluster, lost.node);
    node["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "Unknown"}}});
    for (const char* effect : {"NoSchedule", "NoExecute"}) add_taint(node, "node.kubernetes.io/unreachable", effect);
    server_.objects().put(nodes_path, name, std::move(node));
  } else {
    server_.objects().remove(nodes_path, name);
  }
  std::vector<TaskId> there;
  for (const auto& [key, task] : task_of_) {
    const StoredObject* pod = server_.objects().find(pods_path, key);
    if (pod && pods_[task].name == key && text_of(*pod->json, "/spec/nodeName") == name) there.push_back(task);
  }
  for (const TaskId task : there) collect_pod(task);
}

// ---- the simulated cluster ----

void VirtualKubernetes::advance() {
  if (over_ || std::exchange(advancing_, true)) return;
  const TimePoint inside(loop_->now() - scenario_day);
  for (;;) {
    const Result<std::vector<ClusterEvent>> events = truth_.wait(inside);
    if (!events) {
      over_ = true;
      break;
    }
    for (const ClusterEvent& event : *events) take(event);
    if (events->empty() && truth_.now() >= inside) break;
  }
  advancing_ = false;
  // A plan that starts nothing for so long will not start anything.
  if (truth_.next_change() == TimePoint::max() && inside - truth_.last_progress() > patience_) over_ = true;
  expect_next();
}

void VirtualKubernetes::expect_next() {
  if (next_) loop_->cancel(*next_);
  if (over_) return;
  const TimePoint look = loop_->now() + look_every, change = truth_.next_change();
  next_ = loop_->at(change == TimePoint::max() ? look : std::min(look, outside(change)), [this] { advance(); });
}

void VirtualKubernetes::take(const ClusterEvent& event) {
  if (const auto* arrived = std::get_if<JobArrived>(&event)) {
    const JobId job(jobs_arrived_++);
    if (!arrived->job.held) make_job(job);
  } else if (const auto* released = std::get_if<JobReleased>(&event)) {
    make_job(released->job);
  } else if (const auto* started = std::get_if<TaskStarted>(&event)) {
    const StoredObject* found = server_.objects().find(pods_path, pods_[started->task].name);
    if (!found) return;
    Json pod = *found->json;
    pod["status"]["phase"] = "Running";
    pod["status"]["startTime"] = kubernetes::time_text(loop_->now());
    put_pod(pods_[started->task].name, std::move(pod));
  } else if (const auto* finished = std::get_if<TaskFinished>(&event)) {
    end_pod(finished->task, true);
    succeed(finished->task);
  } else if (const auto* lost = std::get_if<TaskLost>(&event)) {
    lose_pod(lost->task);
  } else if (const auto* moved = std::get_if<MoveEnded>(&event)) {
    movers_.take(*moved);
  } else if (const auto* gone = std::get_if<NodeLost>(&event)) {
    lose_node(*gone);
  } else if (const auto* back = std::get_if<NodeBack>(&event)) {
    put_node(back->node, true);
  } else if (const auto* changed = std::get_if<NodeChanged>(&event)) {
    put_node(changed->node, changed->now.schedulable);
    services_.show(changed->node, truth_.services_on(changed->node), loop_->now());
  }
}

}  // namespace lips::virtual_cluster

// A whole Kubernetes cluster inside the program, in virtual time: an API server with the scenario's objects, the Job
// controller and the kubelets, over a simulated cluster that says how long tasks take. Things arrive as they do in a
// real cluster: in bursts, late, and each for itself.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/adapter/kubernetes_cluster.h"
#include "simulation/simulated_cluster.h"
#include "virtual/api_server.h"
#include "virtual/event_expiry.h"
#include "virtual/job_back_off.h"
#include "virtual/kube_scheduler.h"
#include "virtual/movers.h"
#include "virtual/quota_controller.h"
#include "virtual/scenario_objects.h"
#include "virtual/shown_services.h"
#include "virtual/virtual_client.h"
#include "virtual/virtual_loop.h"

namespace lips::virtual_cluster {

// The day on which a scenario begins; on real clusters the time 0 is no time.
inline constexpr TimePoint scenario_day{std::chrono::hours(24) * 20'454};  // 2026-01-01

inline TimePoint start_of(const simulation::Scenario& scenario) {
  return scenario.cluster.now + scenario_day.time_since_epoch();
}

// The pace of the Job controller, as of kube-controller-manager: pods in batches that double, a look a second after
// pods have changed, and a Job that has ended goes. JobBackOff says when there is a new pod for one that failed.
struct JobControllerRules {
  std::size_t first_batch = 1, largest_batch = 500;
  Duration between_batches{20'000};
  Duration after_changes{1'000'000};
  Duration keep_ended{60'000'000};
};

struct ClusterRules {
  // Whose the pods of jobs are: they name LiPS (bind), wait behind its gate for their own scheduler (steer), or have
  // nothing to do with it (watch). Then reduces are made when their maps have ended, as a workflow engine makes them.
  PodMode mode = PodMode::bind;
  JobControllerRules jobs;
  KubeSchedulerRules scheduler;
};

class VirtualKubernetes {
 public:
  // The scenario, which can_be_objects(), and the listener outlive it.
  VirtualKubernetes(const simulation::Scenario& scenario, const Cadence& cadence, simulation::RunListener& listener,
                    ClusterRules rules = {});
  // On a loop whose time is start_of() that scenario.
  VirtualKubernetes(const simulation::Scenario& scenario, const Cadence& cadence, simulation::RunListener& listener,
                    ClusterRules rules, std::shared_ptr<kubernetes::EventLoop> loop);
  VirtualKubernetes(const VirtualKubernetes&) = delete;
  VirtualKubernetes& operator=(const VirtualKubernetes&) = delete;

  // For an adapter, which must end before this does.
  kubernetes::ClusterLink link(const Storm& storm = {});
  ApiServer& server() { return server_; }
  kubernetes::EventLoop& loop() { return *loop_; }
  simulation::SimulatedCluster& truth() { return truth_; }
  // The run is over when nothing begins or ends for so long.
  void set_patience(Duration patience) {
    patience_ = patience;
    truth_.set_patience(patience);
  }
  // The server's store is of an earlier time again (ObjectStore::restore), and so are the connections to it. Then
  // kubelets and controllers make it fit what runs, as when they begin (restored_store.cpp).
  void restore(const ObjectStore::Backup& backup, std::uint64_t gap);
  // Things that must never happen, and did.
  const std::vector<std::string>& wrong() const { return wrong_; }
  // Nothing will happen any more.
  bool over() const { return over_; }
  // Has the simulated cluster catch up with the loop's time.
  void advance();

 private:
  struct PodOfTask {
    std::string name;  // namespace/name; empty: there is none now
    int attempts = 0;
    bool bound = false, leaves = false;
    bool forgotten = false;  // it runs, and the restored store does not say so
  };
  struct StageRecord {
    std::string key, uid;  // of its Job; empty: not made yet
    std::uint32_t left = 0;
    std::set<TaskId> missing;  // they have no pod
    std::size_t batch = 0;     // of pods that come next
    JobBackOff back_off;
    std::optional<std::pair<TimePoint, kubernetes::EventLoop::TimerId>> next_look;
    bool failed = false;
  };

  void put_cluster();
  void restore_job(JobStage of);
  void restore_pods(TaskId task);
  void restore_nodes(const ObjectStore::Objects& before);
  void follow_pods(const ObjectChange& change);
  void start_pod(TaskId task, const std::string& node, const std::string& read_from);
  StoreId nearest_source(TaskId task, NodeId node) const;
  void expect_next();
  void take(const ClusterEvent& event);
  void make_job(JobStage of);
  void make_job(JobId job);
  void make_reduces(JobId job);
  void look_at_job(JobStage of, TimePoint when);
  void make_pods(JobStage of);
  bool make_pod(TaskId task);
  void replace_pod(TaskId task, bool counts);
  void succeed(TaskId task);
  void take_back(TaskId task);
  void end_pod(TaskId task, bool succeeded);
  void collect_pod(TaskId task);
  void lose_pod(TaskId task);
  void put_node(NodeId node, bool schedulable);
  void lose_node(const NodeLost& lost);
  void put_pod(const std::string& key, Json pod) { server_.objects().put(pods_path, key, std::move(pod)); }
  void finish_job(JobStage of);
  void fail_job(JobStage of);
  void put_conditions(JobStage of, std::initializer_list<const char*> types, const char* reason);
  void remove_later(JobStage of);
  // node_purchases.cpp
  static bool asks_for_node(const Json& pod);
  void order_nodes();
  void buy_for(const std::vector<NodeRequest>& requests);
  OfferId offer_in(const std::string& zone, const std::string& capacity_type) const;
  std::optional<NodeRequest> request_of(const Json& order, std::vector<TaskId>& waiting) const;
  std::optional<NodeRequest> request_of_waiting(const std::string& key, const Json& pod) const;
  TimePoint outside(TimePoint inside) const { return inside + scenario_day.time_since_epoch(); }
  JobStage stage_of(TaskId task) const;
  StageRecord& record_of(JobStage of) { return stages_[of.job.index()][of.kind]; }
  std::vector<TaskId> tasks_of(JobStage of) const;

  static constexpr const char *pods_path = "/api/v1/pods", *nodes_path = "/api/v1/nodes",
                              *jobs_path = "/apis/batch/v1/jobs", *events_path = "/apis/events.k8s.io/v1/events";
  const simulation::Scenario& scenario_;
  const ClusterRules rules_;
  std::shared_ptr<kubernetes::EventLoop> loop_;
  ApiServer server_;
  simulation::SimulatedCluster truth_;
  IdVector<TaskId, PodOfTask> pods_;
  IdVector<TaskId, TaskOfJob> places_;
  std::vector<TaskId> first_task_;  // by job
  std::vector<Json> requests_;      // by job: of each of its pods
  std::uint32_t jobs_arrived_ = 0;
  std::map<std::string, TaskId> task_of_;  // by the pod's key
  std::map<std::string, NodeId> nodes_;
  std::vector<std::string> wrong_;
  Movers movers_;
  ShownServices services_{scenario_, server_.objects()};
  std::optional<KubeScheduler> scheduler_;
  EventExpiry expiry_{server_.objects(), events_path};
  std::optional<QuotaController> quotas_;
  std::vector<EnumArray<TaskKind, StageRecord>> stages_;  // by job
  std::optional<kubernetes::EventLoop::TimerId> next_;
  Duration patience_ = std::chrono::hours(1);
  bool advancing_ = false, over_ = false, ordering_ = false;
};

}  // namespace lips::virtual_cluster

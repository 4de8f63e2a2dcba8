// Implements the port ClusterClient on a Kubernetes cluster: turns watched objects into events of the model, and
// assignments into bindings. All that it does is a task of one event loop, which wait() runs. Decides nothing.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "config/operator_config.h"
#include "controller/adapter_observer.h"
#include "controller/cluster_client.h"
#include "controller/operator_state.h"
#include "kubernetes/adapter/announcements.h"
#include "kubernetes/adapter/application_sizes.h"
#include "kubernetes/adapter/application_traffic.h"
#include "kubernetes/adapter/data_divisions.h"
#include "kubernetes/adapter/data_link.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/fleet_link.h"
#include "kubernetes/adapter/inbox.h"
#include "kubernetes/adapter/informers.h"
#include "kubernetes/adapter/job_memories.h"
#include "kubernetes/adapter/kept_shares.h"
#include "kubernetes/adapter/known_jobs.h"
#include "kubernetes/adapter/model_feed.h"
#include "kubernetes/adapter/node_pools.h"
#include "kubernetes/adapter/optional_api.h"
#include "kubernetes/adapter/plan_words.h"
#include "kubernetes/adapter/pod_group_api.h"
#include "kubernetes/adapter/pod_lifecycle.h"
#include "kubernetes/adapter/pool_waits.h"
#include "kubernetes/adapter/readiness.h"
#include "kubernetes/adapter/reclaims.h"
#include "kubernetes/adapter/request_book.h"
#include "kubernetes/adapter/restore_guard.h"
#include "kubernetes/adapter/resync.h"
#include "kubernetes/adapter/state_teller.h"
#include "kubernetes/adapter/volume_binding.h"
#include "kubernetes/adapter/watch_book.h"
#include "kubernetes/adapter/watched_pods.h"
#include "kubernetes/adapter/workflow_apis.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/client_options.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/leadership.h"
#include "kubernetes/api/server_clock.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/node_annotations.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/pod_conditions.h"
#include "kubernetes/pods/volume_cache.h"
#include "policies/policy.h"

namespace lips::kubernetes {

struct ClusterSettings {
  std::string scheduler_name = "lips";
  PodMode mode = PodMode::watch;                                 // of pools that do not say
  std::function<bool(const std::string& pool)> left_alone = {};  // though its mode is steer; empty: none
  std::string instance;                                          // name of this replica, for events
  ModelSettings model;
  PoolOffers pool_offers = {};  // what NodePools offer, instead of what the model's settings say; empty: none are read
  OperatorConfig::Applications applications;
  std::function<bool(const std::string& address)> may_ask_driver = is_pod_address;
  int requests_in_flight = 32;
  double events_per_second = 5;
  Duration default_run_time{60'000'000};
  DataSettings data;
  std::function<Cadence()> cadence;              // of the policy: one that plans by heartbeats gets them
  std::function<Duration()> keep_budget = {};    // of the policy, for marks against eviction; empty: no limit
  std::function<bool()> leads;                   // called from any thread; empty: always
  std::function<std::uint64_t()> times_elected;  // Leadership::times_elected(); empty: derived from `leads`
  std::chrono::milliseconds bind_timeout = Binder::default_timeout;  // see wire_time
  std::function<bool()> stop;
  std::function<std::uint64_t()> prices_version;  // grows when they change; empty: never
  AwaitedNodes::Patience node_patience = {};      // for nodes that were ordered
  std::function<AnnouncedWork()> announced = {};  // by a file; empty: none
  KeptShares::Place shares;                       // where policies' memory of pools is kept
  ObjectMeta self;                                // the operator's own pod; where there is none, its namespace
  // Batch pods of other schedulers, for the journal: whether somebody has time for them, and who takes them. Empty:
  // nobody does.
  std::function<bool()> wants_watched = {};
  std::function<void(WatchedCluster)> watched = {};
  Duration watch_every{1'000'000};                              // at most so often
  std::function<LeaseView()> lease = {};                        // empty: there is none
  std::function<std::optional<SetBack>()> lease_set_back = {};  // Leadership::take_set_back()
  std::function<void(OperatorFacts&)> more_facts = {};          // adds those that only others know
  Duration patience{15'000'000};  // a trouble that lasts so long is named, and plans do without what they do not need
  Duration detect_every{30'000'000};  // custom resources that may be installed later
  Duration volume_wait{600'000'000};  // for the volumes of claims that are bound on first use, on a node
};

// A pod of ours and what the model makes of it.
struct KnownPod {
  std::string name;  // "namespace/name"
  TaskId task;       // none: it is held
  std::string held;  // why
};

// The way to a cluster: the loop on which its answers come, and clients whose answers come there.
struct ClusterLink {
  std::shared_ptr<EventLoop> loop;
  std::function<std::unique_ptr<ApiClient>(ClientOptions)> connect;
  // To whom a request's path names in full, without the credentials, which are for the API server alone; empty: nobody
  // else can be reached.
  std::function<std::unique_ptr<ApiClient>(ClientOptions)> connect_to_others = {};
};
// The link to a real API server.
ClusterLink link_to(Connection connection);

class KubernetesCluster : public ClusterClient {
 public:
  KubernetesCluster(ClusterLink link, ClusterSettings settings, AdapterObserver& telemetry, Log& log);
  KubernetesCluster(const Connection& connection, ClusterSettings settings, AdapterObserver& telemetry, Log& log);
  ~KubernetesCluster() override;

  // The traffic of applications, by "namespace/application"; on the thread that calls wait().
  const LearnedTraffic& learned_traffic() const { return traffic_->learned(); }

  // Starts the informers.
  void start();
  // Stops sending, and waits for answers to requests on the wire.
  void finish();
  // Something outside has changed, such as who leads; from any thread.
  void wake() {
    loop_->post([] {});
  }

  // Those that are tasks, and those that are held, by name; on the thread that calls wait().
  std::vector<KnownPod> pods() const;
  // Pods that others place, but for those of DaemonSets.
  std::vector<ServicePods> services() const { return pods_.services().now(); }

  // The one time of the adapter, which is compared with the server's timestamps: that of its loop.
  TimePoint now() const override;
  // Once wait() has ended because the server's clock is ahead of now(), or behind it: by how much. Everything is in the
  // cluster; so whoever made the adapter ends it, puts the loop's clock forward by that, and begins anew as after a
  // restart. Then no wait is longer or shorter by the difference.
  std::optional<Duration> behind_server() const { return behind_server_; }
  // While another replica leads, or before every kind has been listed, it only keeps its caches up to date.
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override;
  // Runs the filters again on the caches of now. Also refuses while it is unknown where the task can read its input.
  Result<PreparedBinding> prepare(const Assignment& assignment) override;
  void bind(const PreparedBinding& binding) override;
  void request_nodes(const std::optional<std::vector<NodeRequest>>& requests) override;
  void note_plan(const Plan& plan, const ClusterSnapshot& cluster) override;
  void start_move(MoveId id, const DataMove& move) override;
  void drop(const ReplicaDrop& drop) override;
  void reclaim(const Reclaim& reclaim) override;
  void remember(const Remembered& remembered) override;
  void remember_shares(const ShareMemory& shares) override;
  void remember_targets(const std::vector<TargetDebt>& debts) override;

 private:
  ModelSettings model_settings();
  void handle(Pod& pod);
  void handle(Node& node);
  void handle(BatchJob& job);
  void handle(CronJob& cron) { jobs_->update(std::move(cron)); }
  void handle(Workflow& workflow) { jobs_->update(std::move(workflow)); }
  void handle(CsiNode& node);
  template <class Storage>
    requires requires(VolumeCache& volumes, Storage& changed) { volumes.update(std::move(changed)); }
  void handle(Storage& changed) {
    volumes_.update(std::move(changed));
    dependencies_changed();
  }
  void handle(PodGroup& group);
  void handle(ResourceQuota& quota) { quotas_.update(std::move(quota)); }
  void handle(Namespace& changed);
  void settle_quotas();
  void handle(const Gone& gone);
  void handle(const Listed& listed);
  void handle(const WentBack& news);
  void handle(const NotListed& failed);
  void handle(const NotUnderstood& refused);
  void handle(const BindReport& report);

  void take_turn(Duration at_most, Duration handful = {});
  bool has_wrong_time();
  void look_at_machine_clock();
  bool review_set_back();
  bool review_silence();
  bool awaits_lists();
  bool in_charge(bool awaits);
  OperatorFacts facts() const;
  std::optional<Lack> unreachable() const;
  std::vector<Lack> awaited() const;
  std::vector<Lack> degraded() const;
  void tell_state();
  void tell_waits();
  void tell_data();
  AdapterStatus status() const;
  void run_periodic();
  void forget_what_is_gone();
  void dependencies_changed();
  void limit_volumes(const std::string& node, const ResourceAmounts& limits);
  void watch_others();
  bool may_act() const;
  std::uint64_t relist();
  void review_data_is_known();
  void detect_resources();
  void link_data();
  std::uint64_t prices_version() const { return settings_.prices_version ? settings_.prices_version() : 0; }
  std::map<std::string, std::string> places_of_leaving(const Plan& plan) const;
  Result<std::string> input_for(PodRecord& record, const Assignment& assignment);
  void send_ahead(PodRecord& record, const OfferEntry& offer);
  Result<void> ask_for_volumes(PodRecord& record, const std::string& node_name);
  Result<void> ask_filters(const PodRecord& record, const std::string& node_name);
  Duration until_next_duty(TimePoint until) const;

  const ClusterSettings settings_;
  AdapterObserver& telemetry_;
  Log& log_;
  const std::shared_ptr<EventLoop> loop_;
  RequestBook request_book_;
  ServerClock server_clock_;
  std::optional<Duration> behind_server_;
  Duration machine_behind_{};  // the server, as the state says it
  TimePoint machine_behind_since_{};
  WatchBook watch_book_;
  std::unique_ptr<RequestObserver> requests_;
  Inbox inbox_;

  VolumeCache volumes_;
  PodGroups groups_;
  Quotas quotas_;
  NodeCache nodes_;
  WrongNotes wrong_notes_;
  PodCache pods_;
  ModelFeed model_;
  Readiness readiness_;
  StateTeller state_;
  bool was_complete_ = false;  // all was known that plans need
  std::optional<TimePoint> incomplete_since_;
  PlanWords plan_words_;
  std::uint64_t news_ = 0;       // grows when a plan says something else of any task, or asks for other nodes
  bool asks_for_nodes_ = false;  // the last plan

  // Said by the loop, and asked on the thread of the connections before a write.
  std::atomic<bool> finishing_{false}, data_is_known_{false};
  Every duty_{Duration(200'000)};           // events, heartbeats of policies, retries
  Every counting_{Duration(1'000'000)};     // conditions, and the number of pending pods
  Every forgetting_{Duration(10'000'000)};  // objects that are gone
  Every telling_{Duration(1'000'000)};      // the status
  OptionalApi resources_;
  WorkflowApis workflow_apis_;

  // Last, and ended first by the destructor: their answers use the members above.
  std::unique_ptr<ApiClient> watch_client_, act_client_;
  std::unique_ptr<Binder> binder_;
  std::unique_ptr<EventRecorder> events_recorder_;
  std::unique_ptr<PodConditions> conditions_;
  PoolWaits pool_waits_;
  std::unique_ptr<JobMemories> memories_;
  std::unique_ptr<DataDivisions> divisions_;
  std::unique_ptr<KeptShares> shares_;
  std::unique_ptr<RestoreGuard> restore_guard_;
  std::unique_ptr<ApplicationSizes> sizes_;
  std::unique_ptr<ApplicationTraffic> traffic_;
  std::unique_ptr<VolumeBinding> volume_binding_;
  std::unique_ptr<KnownJobs> jobs_;
  std::unique_ptr<FleetLink> fleet_;
  std::unique_ptr<PodLifecycle> lifecycle_;
  std::unique_ptr<Reclaims> reclaims_;
  std::unique_ptr<Resync> resync_;
  std::unique_ptr<WatchedPods> watched_;  // none: nobody asks for them
  TimePoint next_watch_{};
  std::unique_ptr<DataLink> data_;  // none: the cluster has no custom resources of ours
  std::unique_ptr<Informers> informers_;
  std::unique_ptr<PodGroupApi> pod_group_api_;
};

}  // namespace lips::kubernetes

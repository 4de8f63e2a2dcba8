// The port ClusterClient on a Kubernetes cluster: what follows objects becomes events of the model, and assignments
// become bindings. One thread calls it; what other threads bring waits in the inbox. Decides nothing.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "controller/cluster_client.h"
#include "kubernetes/adapter/data_link.h"
#include "kubernetes/adapter/followers.h"
#include "kubernetes/adapter/inbox.h"
#include "kubernetes/adapter/job_memories.h"
#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/job_tables.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/data/task_input.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/node_book.h"
#include "kubernetes/pods/pod_book.h"
#include "kubernetes/pods/pod_conditions.h"
#include "kubernetes/pods/volumes.h"
#include "policies/policy.h"

namespace lips::kubernetes {

struct ClusterSettings {
  std::string scheduler_name = "lips";
  std::string instance;  // of this copy, for events
  ModelSettings model;
  int requests_in_flight = 32;
  double events_per_second = 5;
  Duration default_run_time{60'000'000};
  DataSettings data;
  std::function<Cadence()> cadence;  // of the policy: one that goes by heartbeats is given them
  std::function<bool()> leads;       // asked from any thread; empty: always
  std::chrono::milliseconds bind_timeout = Binder::default_timeout;  // see wire_time
  std::function<bool()> stop;
  std::function<std::uint64_t()> prices_version;  // grows when they change; empty: never
};

class KubernetesCluster : public ClusterClient {
 public:
  KubernetesCluster(const Connection& connection, ClusterSettings settings, AdapterObserver& telemetry, Log& log);
  ~KubernetesCluster() override;

  // Starts the informers.
  void start();
  // Stops sending, and waits for answers to requests on the wire.
  void finish();
  // Something outside has changed, such as who leads; from any thread.
  void wake() { inbox_.put(WakeUp{}); }

  TimePoint now() const override;
  // While another replica leads, or before every kind was listed, it only follows and waits.
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override;
  // False while it is unknown where the task's input can be read.
  bool may_bind(const Assignment& assignment) override;
  void bind(const Assignment& assignment) override;
  void start_move(MoveId id, const DataMove& move) override;
  void drop(const ReplicaDrop& drop) override;
  void remember(const Remembered& remembered) override;

 private:
  void take(Pod& pod);
  void take(Node& node) { nodes_.see(std::move(node)); }
  void take(BatchJob& job);
  void take(Claim& claim);
  void take(Volume& volume);
  void take(const Gone& gone);
  void take(const Listed& listed);
  void take(const NotUnderstood& refused);
  void take(const BindReport& report);
  void take(const WakeUp&) {}

  void take_pod_change(const PodBook::Seen& seen);
  void end_task(PodRecord& record, bool finished);
  void arrive(PodRecord& record);
  void retry_later(const PodRecord& record, Duration after);
  void retry_due();
  void send_binding(const PodRecord& record);
  bool in_charge();
  void settle();
  void list_everything();
  void say_jobs(const std::vector<PodRecord*>& pods);
  void say_nodes();
  void say_heartbeats();
  void keep_house();
  void forget_what_is_gone();
  void say_unknown_prices();
  KnownJob known_job(const std::string& key);
  std::string zone_of_node(const std::string& node) const;
  Result<std::string> pool_of(const PodRecord& pod) const;
  void keep_memory_of(const PodRecord& pod);
  void note_end_of_map(const PodRecord& pod);
  void move_memory(const std::string& uid);
  JobMemory memory_of(const std::string& key) const;
  Result<std::string> input_text(const PodRecord& record, const Assignment& assignment) const;
  Result<std::string> degraded_text(const PodRecord& record, const Assignment& assignment, InputRequest request) const;
  void wait_for_input(PodRecord& record, const std::string& why);
  void refuse_input(PodRecord& record, std::size_t size);
  bool is_read(const std::string& data_set, std::uint32_t block, const std::string& store) const;
  void look_for_resources();
  void link_data();
  void keep_copy(const Assignment& assignment);
  Duration until_next_duty(TimePoint until) const;

  const ClusterSettings settings_;
  AdapterObserver& telemetry_;
  Log& log_;
  std::unique_ptr<RequestObserver> requests_;
  Inbox inbox_;

  VolumeBook volumes_;
  NodeBook nodes_;
  PodBook pods_;
  JobPods job_pods_;
  std::map<std::string, BatchJob> jobs_;  // by uid
  ModelIndex index_;
  std::array<bool, followed_kinds> listed_kinds_{};

  std::atomic<bool> finishing_{false};
  std::size_t bindings_under_way_ = 0;
  bool listed_ = false;  // the model knows the ids of index_
  bool volumes_changed_ = false;
  bool must_list_ = true;
  bool led_ = false;
  TimePoint listed_at_{};
  std::uint64_t prices_version_ = 0;
  std::uint64_t tasks_over_ = 0;  // since the listing
  std::vector<ClusterEvent> events_;
  std::map<std::string, ObjectMeta> arrived_;  // by namespace/name: to be told to the model
  IdVector<TaskId, ObjectMeta> task_pods_;
  IdVector<JobId, std::string> job_keys_;
  std::multimap<TimePoint, ObjectMeta> retries_;
  TimePoint next_duty_{}, next_count_{}, next_beat_{}, next_look_{}, next_forgetting_{};
  std::set<std::string> unpriced_;  // nodes, as told to the telemetry
  enum class Resources : std::uint8_t { unknown, absent, present };
  std::atomic<Resources> resources_{Resources::unknown};

  // Last, and ended in the destructor before all else: their threads use what is above.
  std::unique_ptr<ApiClient> follow_client_, act_client_;
  std::unique_ptr<Binder> binder_;
  std::unique_ptr<EventRecorder> events_recorder_;
  std::unique_ptr<PodConditions> conditions_;
  std::unique_ptr<JobMemories> memories_;
  std::unique_ptr<DataLink> data_;  // none: the cluster has no custom resources of ours
  std::unique_ptr<Followers> followers_;
};

}  // namespace lips::kubernetes

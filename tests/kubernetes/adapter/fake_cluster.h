// A small cluster in virtual time: nodes and pods with lists, watches and bindings, and trouble on request. It checks
// on every binding what must never happen. On request it is behind a real socket too.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {

struct FakeNode {
  int cpu = 4;  // cores; memory is as many GiB
  int pods = 110;
  bool ready = true, cordoned = false;
  std::string zone = "zone-a";
  std::string taint = {};  // key
  std::string effect = "NoSchedule";
  std::string more = {};  // further labels: ",\"disk\":\"ssd\""
  std::string usd_per_hour = {};
};

struct FakeJob {
  int completions = 1;
  std::map<std::string, std::string> annotations;
  int version = 0;
  nlohmann::json more = nlohmann::json::object();  // merged into the object
};

struct FakePod {
  int cpu = 1;
  std::string owner = {};  // a name, of a Job unless owner_kind says otherwise
  int index = 0;           // of a pod with an owner; less: it has none
  std::string scheduler = "lips";
  std::string node = {};
  std::string phase = "Pending";
  std::map<std::string, std::string> annotations = {};
  std::string spec = {};    // further fields of the spec: "\"hostNetwork\":true,"
  std::string status = {};  // and of the status: ",\"nominatedNodeName\":\"a\""
  std::string uid = {};
  int version = 0;
  std::string reason = {}, message = {};  // of PodScheduled=False
  std::set<std::string> gates = {};
  std::map<std::string, std::string> selector = {};
  std::map<std::string, std::string> labels = {};
  std::string driver = {};  // the pod that owns it
  std::string owner_kind = "Job";
  std::string nominated = {};  // its node
};

class FakeCluster {
 public:
  explicit FakeCluster(std::uint64_t seed = 1) : random_(seed) {}

  void put_node(const std::string& name, const FakeNode& node);
  void remove_node(const std::string& name);
  void put_pod(const std::string& name, FakePod pod);
  // An object of lips.dev, or a NodePool of Karpenter, in full; without one the cluster does not know these kinds.
  void put_resource(const std::string& plural, const std::string& name, const std::string& json);
  // A claim, PodGroup, JobSet or Workflow of the namespace default, a volume, a storage class or a namespace, in full
  // but for its version. Without one the cluster does not know JobSets and Workflows.
  void put_storage(const std::string& plural, const std::string& name, nlohmann::json object);
  void remove_storage(const std::string& plural, const std::string& name);
  nlohmann::json storage(const std::string& plural, const std::string& name) const;
  void put_job(const std::string& name, int completions);
  // A new version, with this merged into it.
  void change_job(const std::string& name, const nlohmann::json& more);
  void remove_job(const std::string& name);
  // A new version of a pod that is there.
  void change_pod(const std::string& name, const std::function<void(FakePod&)>& change);
  void end_pod(const std::string& name, const std::string& phase = "Succeeded");
  void remove_pod(const std::string& name);

  // From now on so many of a thousand bindings fail: the server is busy, says of a pod that is there that it is not or
  // that it is being deleted, or does what it is asked but is not heard.
  void trouble(int per_mille);
  // The versions of scheduling.k8s.io that have PodGroups, beside v1 with PriorityClasses; at first v1alpha2.
  void serve_pod_groups(std::vector<std::string> versions);
  void put_config_map(const std::string& name, const std::map<std::string, std::string>& data);
  // From now on 403 for writes, and for reads of ConfigMaps, PodGroups and JobSets, whose path contains that.
  void forbid(const std::string& part);
  // From now on this code for lists whose path ends with that; "": none.
  void refuse_lists(const std::string& end_of_path, int code = 403);
  // The next binding is done, but its answer is lost and no watch tells of it; after it the server is busy for bindings
  // until serve_bindings().
  void lose_next_binding();
  // The first try to bind this pod gets no conclusive answer, done or not, and no watch that is under way tells
  // of it, nor of later changes of the pod, if it is done; to all others the server says that there is no such pod.
  enum class FirstTry : std::uint8_t { done, not_done };
  void deny_after_first_try(const std::string& pod, FirstTry first);
  void refuse_bindings();  // the server is busy for all
  void serve_bindings();
  void break_connections(bool all) { broken_ = all; }  // nothing is answered
  // Watches that are under way tell nothing more, though they stay open.
  void mute_watches();
  void cut_watches();
  // The store of an earlier time is restored: versions go on from that one, and every watch breaks.
  void go_back_to(int version);
  void annotate_config_map(const std::string& name, const std::string& key, const std::string& value) {
    const std::lock_guard lock(mutex_);
    annotations_of_config_maps_[name][key] = value;
  }
  void forget_versions();  // 410 for every watch that begins from what is known now

  FakePod pod(const std::string& name) const;
  FakeJob job(const std::string& name) const;
  std::map<std::string, FakePod> pods() const;
  std::map<std::string, std::string> config_map(const std::string& name) const;
  // Pods that were created by a request, as the server would show them.
  std::map<std::string, nlohmann::json> created_pods() const;
  void remove_created(const std::string& name);
  std::vector<std::string> wrong() const;  // what must not happen, and did
  std::size_t bindings() const;
  std::size_t bound_to(const std::string& node) const;

  // The way of an adapter to it in virtual time.
  ClusterLink link();
  EventLoop& loop() { return *loop_; }
  TimePoint now() const { return loop_->now(); }
  // Answers those requests that do not go to the API server.
  void answer_for_others(FakeApiServer::Answering answering) { others_ = std::move(answering); }
  // From the first call on it is behind a socket.
  Connection connection();
  std::vector<ReceivedRequest> requests() const;
  std::size_t requests_for(const std::string& end_of_path) const;

 private:
  template <class Work>
  decltype(auto) with_lock(Work work) const {
    const std::lock_guard lock(mutex_);
    return work();
  }
  Reply answer(const ReceivedRequest& request);
  Reply list(const std::string& kind);
  Reply answer_resources(const ReceivedRequest& request);
  Reply resources_of_group(const std::vector<std::string>& plurals) const;
  std::optional<Reply> answer_scheduling(const std::string& path) const;
  Reply watch(const std::string& kind, int from);
  Reply bind(const ReceivedRequest& request);
  Reply patch_status(const ReceivedRequest& request);
  Reply create_pod(const ReceivedRequest& request);
  Reply remove_now(const std::string& name);
  void mute_now();
  Reply annotate(const ReceivedRequest& request);
  Reply patch_storage(const ReceivedRequest& request);
  Reply steer(const ReceivedRequest& request);
  static std::string job_text(const std::string& name, const FakeJob& job);
  Reply config_maps(const ReceivedRequest& request);
  void tell(const std::string& kind, const std::string& type, const std::string& object);
  std::string pod_text(const std::string& name, const FakePod& pod) const;
  std::string node_text(const std::string& name, const FakeNode& node, int version) const;
  void check_room(const std::string& node);
  Reply spurious_refusal(int draw) const;
  Reply lost(const std::string& name, const FakePod& pod);

  struct Change {
    int version;
    std::string kind, line;
  };
  mutable std::mutex mutex_;  // a server behind a socket answers on several threads
  Random random_;
  int version_ = 100, oldest_ = 0, trouble_ = 0;
  std::map<std::string, std::pair<FakeNode, int>> nodes_;
  std::map<std::string, FakePod> pods_;
  std::map<std::string, nlohmann::json> created_pods_;
  std::map<std::string, FakeJob> jobs_;
  std::map<std::string, std::map<std::string, std::string>> resources_;   // by plural and name
  std::map<std::string, std::map<std::string, nlohmann::json>> storage_;  // by plural and name
  std::vector<std::string> pod_group_versions_{"v1alpha2"};
  std::string forbidden_;
  std::pair<std::string, int> unlisted_;
  std::map<std::string, std::map<std::string, std::string>> config_maps_;  // data
  std::map<std::string, std::map<std::string, std::string>> annotations_of_config_maps_;
  std::vector<Change> history_;
  std::vector<std::pair<std::string, std::shared_ptr<Feed>>> feeds_;
  std::vector<std::shared_ptr<Feed>> muted_;
  std::vector<std::string> wrong_;
  std::size_t bindings_ = 0;
  enum class Losing { no, next, busy } losing_ = Losing::no;
  struct {
    std::string pod;
    FirstTry first = FirstTry::done;
    int tries = 0;
  } denied_;
  int uids_ = 0;
  bool broken_ = false;
  std::vector<ReceivedRequest> requests_;
  const std::shared_ptr<virtual_cluster::VirtualLoop> loop_ =
      std::make_shared<virtual_cluster::VirtualLoop>(virtual_day);
  FakeApiServer::Answering others_;
  std::unique_ptr<FakeApiServer> server_;  // none: nobody has asked for a socket
};

}  // namespace lips::kubernetes

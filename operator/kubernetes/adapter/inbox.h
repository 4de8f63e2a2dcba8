// Messages from the informers and the answers to bindings, in the order of arrival, until the adapter's next turn.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/namespace.h"
#include "kubernetes/pods/pod_group.h"
#include "kubernetes/pods/quotas.h"
#include "kubernetes/pods/volumes.h"
#include "kubernetes/pods/workflow.h"

namespace lips::kubernetes {

enum class WatchedKind : std::uint8_t {
  nodes,
  pods,
  jobs,
  claims,
  volumes,
  storage_classes,
  csi_nodes,
  csi_drivers,
  storage_rooms,
  cron_jobs,
  pod_groups,  // from the first pod on that names one
  job_sets,    // these two where the API server has them
  argo_workflows,
  resource_quotas,  // where nodes are ordered, and from the first application on that announces pods
  namespaces        // from the first pod on whose anti-affinity selects them by their labels
};
// Nothing can be planned without them.
constexpr bool is_needed(WatchedKind kind) { return kind <= WatchedKind::pods; }
constexpr bool is_always_watched(WatchedKind kind) { return kind < WatchedKind::pod_groups; }
std::string_view resource_name(WatchedKind kind);  // plural
// Path of the group and version of a kind that is not always watched; that of PodGroups is found out (PodGroupApi).
std::string_view optional_api(WatchedKind kind);
// The consequence while they cannot be listed.
std::string_view without_list(WatchedKind kind);

struct Gone {
  WatchedKind kind = WatchedKind::pods;
  ObjectMeta meta;
};
struct Listed {  // all objects of that kind have been reported, by a list that began after that ListWatch::relist
  WatchedKind kind = WatchedKind::pods;
  std::uint64_t request = 0;
};
struct WentBack {  // the server's store is of an earlier time; all objects of that kind are listed anew
  WatchedKind kind = WatchedKind::pods;
};
struct NotUnderstood {
  WatchedKind kind = WatchedKind::pods;
  ObjectMeta meta;
  std::string why;
};
struct NotListed {  // not even once yet; it will be tried again
  WatchedKind kind = WatchedKind::pods;
  std::string why;
};
struct BindReport {
  ObjectMeta pod;
  std::string node;
  BindAnswer outcome;
  std::chrono::microseconds took{0};
  bool released = false;  // the request removed the pod's gate without giving a zone
};

using Message =
    std::variant<Pod, Node, BatchJob, CronJob, Claim, Volume, StorageClass, CsiNode, CsiDriver, StorageRoom, PodGroup,
                 Workflow, ResourceQuota, Namespace, Gone, Listed, WentBack, NotListed, NotUnderstood, BindReport>;

class Inbox {
 public:
  void put(Message message) { unread_.push_back(std::move(message)); }
  std::vector<Message> take() { return std::exchange(unread_, {}); }

 private:
  std::vector<Message> unread_;
};

}  // namespace lips::kubernetes

#include "virtual/api_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lips::virtual_cluster {
namespace {

const std::vector<ApiKind>& builtin_kinds() {
  static const std::vector<ApiKind> kinds{
      {.version = "v1",
       .plural = "pods",
       .name = "Pod",
       .generation = true,
       .status_part = true,
       .deletion_answers_object = true,
       .fields = {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
                  "status.phase", "status.podIP", "status.nominatedNodeName"}},
      {.version = "v1",
       .plural = "nodes",
       .name = "Node",
       .namespaced = false,
       .status_part = true,
       .keeps_new_status = true,
       .fields = {"spec.unschedulable"}},
      {.version = "v1", .plural = "namespaces", .name = "Namespace", .namespaced = false, .status_part = true},
      {.version = "v1", .plural = "configmaps", .name = "ConfigMap"},
      {.version = "v1", .plural = "secrets", .name = "Secret", .fields = {"type"}},
      {.version = "v1", .plural = "services", .name = "Service", .status_part = true, .deletion_answers_object = true},
      {.version = "v1", .plural = "serviceaccounts", .name = "ServiceAccount", .deletion_answers_object = true},
      {.version = "v1",
       .plural = "persistentvolumeclaims",
       .name = "PersistentVolumeClaim",
       .status_part = true,
       .deletion_answers_object = true},
      {.version = "v1",
       .plural = "persistentvolumes",
       .name = "PersistentVolume",
       .namespaced = false,
       .status_part = true,
       .deletion_answers_object = true},
      {.version = "v1",
       .plural = "resourcequotas",
       .name = "ResourceQuota",
       .status_part = true,
       .deletion_answers_object = true},
      {.version = "policy/v1",
       .plural = "poddisruptionbudgets",
       .name = "PodDisruptionBudget",
       .generation = true,
       .status_part = true,
       .update_needs_version = true},
      {.version = "batch/v1",
       .plural = "jobs",
       .name = "Job",
       .generation = true,
       .status_part = true,
       .orphans = true,
       .fields = {"status.successful"}},
      {.version = "batch/v1", .plural = "cronjobs", .name = "CronJob", .generation = true, .status_part = true},
      {.version = "coordination.k8s.io/v1",
       .plural = "leases",
       .name = "Lease",
       .update_needs_version = true,
       .update_creates = true},
      {.version = "events.k8s.io/v1",
       .plural = "events",
       .name = "Event",
       .update_creates = true,
       .fields = {"reason", "type", "regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid"}},
      {.version = "storage.k8s.io/v1",
       .plural = "storageclasses",
       .name = "StorageClass",
       .namespaced = false,
       .deletion_answers_object = true},
      {.version = "storage.k8s.io/v1",
       .plural = "csinodes",
       .name = "CSINode",
       .namespaced = false,
       .deletion_answers_object = true},
      {.version = "storage.k8s.io/v1",
       .plural = "csidrivers",
       .name = "CSIDriver",
       .namespaced = false,
       .deletion_answers_object = true},
      {.version = "storage.k8s.io/v1",
       .plural = "csistoragecapacities",
       .name = "CSIStorageCapacity",
       .deletion_answers_object = true},
  };
  return kinds;
}

struct CustomName {
  const char *plural, *name;
  bool namespaced;
};
constexpr std::array<CustomName, 8> custom_names{{{"datasets", "DataSet", true},
                                                  {"datastores", "DataStore", false},
                                                  {"datamoves", "DataMove", false},
                                                  {"pools", "Pool", false},
                                                  {"nodepools", "NodePool", false},
                                                  {"nodeclaims", "NodeClaim", false},
                                                  {"jobsets", "JobSet", true},
                                                  {"workflows", "Workflow", true}}};

}  // namespace

std::string ApiKind::in_words() const {
  const std::size_t slash = version.find('/');
  return slash == std::string::npos ? plural : plural + '.' + version.substr(0, slash);
}

ApiKind api_kind(const std::string& collection) {
  const std::size_t version = collection.find('/', 1) + 1, resource = collection.rfind('/');
  ApiKind kind;
  kind.version = collection.substr(version, resource - version);
  kind.plural = collection.substr(resource + 1);
  for (const ApiKind& builtin : builtin_kinds())
    if (builtin.version == kind.version && builtin.plural == kind.plural) return builtin;
  kind.custom = kind.generation = kind.status_part = kind.update_needs_version = true;
  const auto* known = std::find_if(custom_names.begin(), custom_names.end(),
                                   [&](const CustomName& each) { return each.plural == kind.plural; });
  if (known != custom_names.end()) {
    kind.name = known->name;
    kind.namespaced = known->namespaced;
  } else {
    kind.name = kind.plural.substr(0, kind.plural.size() - (kind.plural.ends_with('s') ? 1 : 0));
    if (!kind.name.empty()) kind.name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(kind.name[0])));
  }
  return kind;
}

}  // namespace lips::virtual_cluster

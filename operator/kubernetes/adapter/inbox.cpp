#include "kubernetes/adapter/inbox.h"

namespace lips::kubernetes {

std::string_view resource_name(WatchedKind kind) {
  switch (kind) {
    case WatchedKind::nodes:
      return "nodes";
    case WatchedKind::pods:
      return "pods";
    case WatchedKind::jobs:
      return "jobs";
    case WatchedKind::claims:
      return "persistentvolumeclaims";
    case WatchedKind::volumes:
      return "persistentvolumes";
    case WatchedKind::storage_classes:
      return "storageclasses";
    case WatchedKind::csi_nodes:
      return "csinodes";
    case WatchedKind::csi_drivers:
      return "csidrivers";
    case WatchedKind::storage_rooms:
      return "csistoragecapacities";
    case WatchedKind::cron_jobs:
      return "cronjobs";
    case WatchedKind::pod_groups:
      return "podgroups";
    case WatchedKind::job_sets:
      return "jobsets";
    case WatchedKind::argo_workflows:
      return "workflows";
    case WatchedKind::resource_quotas:
      return "resourcequotas";
    case WatchedKind::namespaces:
      return "namespaces";
  }
  return "";
}

std::string_view optional_api(WatchedKind kind) {
  if (kind == WatchedKind::resource_quotas || kind == WatchedKind::namespaces) return "/api/v1";
  return kind == WatchedKind::job_sets ? "/apis/jobset.x-k8s.io/v1alpha2" : "/apis/argoproj.io/v1alpha1";
}

std::string_view without_list(WatchedKind kind) {
  switch (kind) {
    case WatchedKind::nodes:
    case WatchedKind::pods:
      return "nothing is planned";
    case WatchedKind::jobs:
      return "pods of Jobs that read data wait, and no Job's size, start or deadline is known";
    case WatchedKind::claims:
    case WatchedKind::volumes:
    case WatchedKind::storage_classes:
      return "pods with claims wait";
    case WatchedKind::csi_nodes:
      return "nodes count as having room for any number of volumes";
    case WatchedKind::csi_drivers:
    case WatchedKind::storage_rooms:
      return "storage counts as having room for any claim";
    case WatchedKind::cron_jobs:
      return "their next runs are not expected";
    case WatchedKind::pod_groups:
      return "pods that name one wait";
    case WatchedKind::job_sets:
    case WatchedKind::argo_workflows:
      return "their later steps are not expected";
    case WatchedKind::resource_quotas:
      return "nodes are ordered and room is kept beyond the quotas of namespaces";
    case WatchedKind::namespaces:
      return "a namespaceSelector of anti-affinity counts for every namespace whose labels are not known";
  }
  return "";
}

}  // namespace lips::kubernetes

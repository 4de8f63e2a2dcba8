#include "virtual/printed_kinds.h"

#include <algorithm>

namespace lips::virtual_cluster {

namespace {

const std::vector<PrintedKind>& printed_kinds() {
  static const std::vector<PrintedKind> kinds{
      {.collection = "/api/v1/namespaces", .short_name = "ns", .columns = {{"Status", "/status/phase"}}},
      {.collection = "/api/v1/nodes",
       .short_name = "no",
       .columns = {{"Ready", "condition Ready"},
                   {"Cordoned", "/spec/unschedulable"},
                   {"Zone", "/metadata/labels/topology.kubernetes.io~1zone"},
                   {"Type", "/metadata/labels/node.kubernetes.io~1instance-type"},
                   {"USD/h", "/metadata/annotations/lips.dev~1usd-per-hour"},
                   {"CPU", "/status/allocatable/cpu", true}}},
      {.collection = "/api/v1/pods",
       .short_name = "po",
       .columns = {{"Status", "/status/phase"},
                   {"Node", "/spec/nodeName"},
                   {"Reads from", "/metadata/annotations/lips.dev~1read-from", true},
                   {"Scheduled", "condition PodScheduled", true}}},
      {
          .collection = "/api/v1/configmaps",
          .short_name = "cm",
      },
      {.collection = "/apis/batch/v1/jobs",
       .short_name = "",
       .columns = {{"Pods", "/spec/completions"}, {"Complete", "condition Complete"}}},
      {
          .collection = "/apis/batch/v1/cronjobs",
          .short_name = "cj",
      },
      {.collection = "/apis/events.k8s.io/v1/events",
       .short_name = "ev",
       .columns = {{"Type", "/type"}, {"Reason", "/reason"}, {"Object", "/regarding/name"}, {"Message", "/note"}}},
      {.collection = "/apis/coordination.k8s.io/v1/leases",
       .short_name = "",
       .columns = {{"Holder", "/spec/holderIdentity"}}},
      {.collection = "/apis/lips.dev/v1alpha1/pools",
       .short_name = "lpool",
       .of_lips = true,
       .columns = {{"Weight", "/spec/weight"},
                   {"Share", "/status/share"},
                   {"Entitled", "/status/entitlement"},
                   {"Running", "/status/running"},
                   {"Pending", "/status/pending"},
                   {"USD/h", "/status/usdPerHour"},
                   {"Ready", "condition Ready"}}},
      {.collection = "/apis/lips.dev/v1alpha1/datastores",
       .short_name = "dstore",
       .of_lips = true,
       .columns = {{"Zone", "/spec/zone"},
                   {"Node", "/spec/nodeDirectory/node"},
                   {"Used", "/status/used"},
                   {"Capacity", "/spec/capacity"},
                   {"Ready", "condition Ready"}}},
      {.collection = "/apis/lips.dev/v1alpha1/datasets",
       .short_name = "dset",
       .of_lips = true,
       .columns = {{"Blocks", "/status/blocks"},
                   {"Size", "/status/sizeText"},
                   {"Zones", "/status/zones"},
                   {"Ready", "condition Ready"}}},
      {.collection = "/apis/lips.dev/v1alpha1/datamoves",
       .short_name = "dmove",
       .of_lips = true,
       .columns = {{"Phase", "/status/phase"},
                   {"Data Set", "/spec/dataSet/name"},
                   {"Blocks", "/status/blocks"},
                   {"From", "/spec/from"},
                   {"To", "/spec/to"},
                   {"Size", "/status/sizeText"},
                   {"USD", "/status/usd"}}}};
  return kinds;
}

}  // namespace

const PrintedKind* printed_kind(std::string_view collection) {
  const std::vector<PrintedKind>& kinds = printed_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.collection == collection; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace lips::virtual_cluster

// Why the pods of a class find no node, in kube-scheduler's words. Nodes that no pod can tell apart by labels, taints
// and state are examined once. Decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_classes.h"

namespace lips::kubernetes {

struct Diagnosis {
  bool nowhere = false;  // no node would take it even if none of our pods ran there
  std::string sentence;
};

// The cluster's nodes at one moment, as diagnoses need them.
class NodesForDiagnosis {
 public:
  // Distinguishes nodes by the labels that `classes` refer to.
  NodesForDiagnosis(const NodeCache& nodes, const PodClasses& classes);
  NodesForDiagnosis(const NodesForDiagnosis&) = delete;
  NodesForDiagnosis& operator=(const NodesForDiagnosis&) = delete;

  // "0/12 nodes are available: 8 Insufficient memory, 4 node(s) were unschedulable. What helps: ..." Pods of other
  // schedulers take room, and ours too with `with_ours`. Adds the number of examined nodes to `nodes_examined`.
  Diagnosis diagnose(const PodNeeds& needs, bool with_ours, std::size_t& nodes_examined) const;

 private:
  struct Alike {
    Node example;
    std::vector<std::size_t> rows;  // of left_
  };
  // A request for one resource; column -1: no node has it.
  struct ResourceRequest {
    std::ptrdiff_t column = -1;
    std::int64_t amount = 0;
    std::string name;
  };
  // For one class: each filter with the profiles that it accepts, where it says that of all at once.
  using Sieve = std::vector<std::pair<const Filter*, std::optional<ProfileSet>>>;
  Sieve sieve_for(const PodNeeds& needs) const;
  const Filter* rejecting(const Sieve& sieve, const PodNeeds& needs, ProfileId id, std::string& why) const;
  std::vector<ResourceRequest> requests_of(const PodNeeds& needs) const;
  void add_row(const NodeRecord& record);

  std::size_t count_ = 0;
  IdVector<ProfileId, Alike> alike_;  // by its profile and state; two states of one profile have an id each
  IdVector<ProfileId, NodeProfile> profiles_;
  std::optional<EligibleProfiles> eligible_;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::int64_t> left_[2];  // [with ours][row x columns]
};

// For one class alone.
Diagnosis diagnose(const PodNeeds& needs, const NodeCache& nodes, bool with_ours);

}  // namespace lips::kubernetes

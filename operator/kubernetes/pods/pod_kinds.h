// Pods that ask for the same are of one kind: what filters say of a pod is asked once a kind. Knows no ids of the
// model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {

using KindId = Id<struct PodKindTag>;

class PodKinds {
 public:
  // None: it asks for more kinds of extended resources than the model counts.
  std::optional<KindId> intern(const PodNeeds& needs);
  const PodNeeds& operator[](KindId kind) const { return *kinds_[kind]; }
  std::size_t size() const { return kinds_.size(); }

  // All labels of nodes that some kind asks about, and all extended resources that some kind requests. They only grow,
  // until unused kinds are forgotten.
  const std::set<std::string>& label_keys() const { return label_keys_; }
  const std::vector<std::string>& extended() const { return extended_; }

 private:
  bool note_extended(const ResourceAmounts& requests);
  void note_labels(const PlacementConstraint& constraint);

  std::map<PodNeeds, KindId> known_;
  IdVector<KindId, const PodNeeds*> kinds_;
  std::set<std::string> label_keys_;
  std::vector<std::string> extended_;
};

}  // namespace lips::kubernetes

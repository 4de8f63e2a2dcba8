// Pods that ask for the same are of one kind: what filters say of a pod is asked once a kind. Knows no ids of the
// model.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {

using KindId = Id<struct PodKindTag>;

class PodKinds {
 public:
  KindId intern(const PodNeeds& needs);
  const PodNeeds& operator[](KindId kind) const { return *kinds_[kind]; }
  std::size_t size() const { return kinds_.size(); }

  // All labels of nodes that some kind asks about, and all extended resources that some kind requests. They only grow,
  // until unused kinds are forgotten.
  const std::set<std::string>& label_keys() const { return label_keys_; }
  const ResourceNames& extended() const { return extended_; }
  // Grows with both.
  std::uint64_t version() const { return version_; }
  // Empty, of a later version.
  PodKinds successor() const;

 private:
  void note_labels(const PlacementConstraint& constraint);

  std::map<PodNeeds, KindId> known_;
  IdVector<KindId, const PodNeeds*> kinds_;
  std::set<std::string> label_keys_;
  std::uint64_t version_ = 0;
  ResourceNames extended_;
};

}  // namespace lips::kubernetes

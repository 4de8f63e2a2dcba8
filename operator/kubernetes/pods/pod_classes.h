// Scheduling equivalence classes of pods: pods with equal needs are of one class, and filters run once for each class.
// Knows no ids of the model.
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

using PodClassId = Id<struct PodClassTag>;

class PodClasses {
 public:
  PodClassId intern(const PodNeeds& needs);
  const PodNeeds& operator[](PodClassId pod_class) const { return *classes_[pod_class]; }
  std::size_t size() const { return classes_.size(); }

  // All node labels that some class refers to, and all extended resources that some class requests. They only grow
  // until unused classes are forgotten.
  const std::set<std::string>& label_keys() const { return label_keys_; }
  const ResourceNames& extended() const { return extended_; }
  // Grows with both.
  std::uint64_t version() const { return version_; }
  // An empty one of a later version.
  PodClasses successor() const;

 private:
  void note_labels(const PlacementConstraint& constraint);

  std::map<PodNeeds, PodClassId> known_;
  IdVector<PodClassId, const PodNeeds*> classes_;
  std::set<std::string> label_keys_;
  std::uint64_t version_ = 0;
  ResourceNames extended_;
};

}  // namespace lips::kubernetes

// The classes that may take a commodity's tasks. Plans ask again and again, and few constraints are different.
#pragma once

#include <map>

#include "policies/lips/market/workload.h"

namespace lips {

class EligibleClasses {
 public:
  EligibleClasses(const ClusterSnapshot& cluster, const NodeClasses& classes) : cluster_(cluster), classes_(classes) {}

  bool contain(ClassId c, const Commodity& commodity) {
    IdVector<ClassId, bool>& known = known_[commodity.constraint];
    if (known.empty())
      for (const NodeClass& group : classes_.classes)
        known.push_back(cluster_.eligible(commodity.constraint, group.like));
    return known[c] && fits(commodity.request, classes_.classes[c].shape);
  }

 private:
  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  std::map<ConstraintId, IdVector<ClassId, bool>> known_;  // as asked for
};

}  // namespace lips

// Which marks against eviction end, because their pool owes too much for held room (unpaid_room.h).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// Pools that have owed more for held room than their budget, until they owe half of it. Their tasks get no marks.
class OwingPools {
 public:
  void look(const ClusterSnapshot& cluster, Duration budget);
  bool contains(const std::string& pool) const { return names_.contains(pool); }
  bool empty() const { return names_.empty(); }

 private:
  std::set<std::string> names_;
};

// The marked tasks of these pools that lose their marks: on nodes with more empty room than the marked tasks there
// request. The others keep no more than they use, so their pool's debt does not grow by them.
std::vector<TaskId> marks_to_end(const ClusterSnapshot& cluster, const OwingPools& owing);

}  // namespace lips

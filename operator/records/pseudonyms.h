// Other names for the jobs, pools, data sets, nodes, stores, racks and services of a journal, so that it can be given
// away. They have the order of the true ones, because plans break ties by it. Knows no file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/enum_array.h"
#include "model/plan.h"
#include "records/epoch_record.h"

namespace lips {

class Pseudonyms {
 public:
  // First all records are seen, then replaced: the numbers follow the order of all names.
  void see(const EpochRecord& record);
  // All names that were seen, and labels and selectors whose value is the name of a node. Types, zones and other labels
  // stay. The digest stays too: it is that of another plan now.
  void replace(EpochRecord& record);
  // A plan names pools.
  void replace(PlanAccount& account);

 private:
  enum class Kind : std::uint8_t { job, pool, data_set, node, store, rack, service };
  void see(Kind kind, const std::string& name) {
    if (!name.empty()) names_[kind].try_emplace(name);
  }
  void replace(Kind kind, std::string& name);
  void replace_value(std::string& value);
  void replace(PlacementConstraint& constraint);
  void number();

  EnumArray<Kind, std::map<std::string, std::string>> names_;
  bool numbered_ = false;
};

}  // namespace lips

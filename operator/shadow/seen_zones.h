// The zones of a cluster that is listed anew for each look, under ids that stay, and what a byte between them cost
// last.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/costs.h"
#include "model/snapshot.h"

namespace lips {

class SeenZones {
 public:
  void look(const ClusterSnapshot& cluster, const CostModel& costs);
  // The stable id of a zone of the last look.
  ZoneId stable(ZoneId zone) const { return zone.valid() ? stable_[zone] : zone; }
  const CostModel& costs() const { return costs_; }

 private:
  std::unordered_map<std::string, ZoneId> ids_;  // by name
  IdVector<ZoneId, ZoneId> stable_;
  std::vector<std::vector<UsdPerMebibyte>> prices_;
  CostModel costs_;
};

}  // namespace lips

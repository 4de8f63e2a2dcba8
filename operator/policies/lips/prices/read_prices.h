// Prices of reading a MiB from the cheapest of several zones, for a plan's many groups of tasks with few sets of zones.
#pragma once

#include <unordered_map>

#include "model/costs.h"
#include "policies/lips/market/by_zone.h"

namespace lips {

class ReadPrices {
 public:
  ReadPrices(const CostModel& costs, std::size_t zones) : costs_(costs), zones_(zones) {}

  const CostModel& costs() const { return costs_; }
  // USD by the zone that reads.
  const ByZone& from(ZoneSet holders) {
    if (!last_ || last_zones_ != holders) {
      const auto [known, added] = rows_.try_emplace(holders.bits(), zones_);
      if (added)
        for (const ZoneId zone : known->second.ids()) known->second[zone] = costs_.transfer(holders, zone).value();
      last_ = &known->second;
      last_zones_ = holders;
    }
    return *last_;
  }

 private:
  const CostModel& costs_;
  std::size_t zones_;
  std::unordered_map<std::uint64_t, ByZone> rows_;
  const ByZone* last_ = nullptr;
  ZoneSet last_zones_;
};

}  // namespace lips

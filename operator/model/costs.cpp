#include "model/costs.h"

namespace lips {

Bill& Bill::operator+=(const Bill& other) {
  cpu += other.cpu;
  transfer += other.transfer;
  shuffle += other.shuffle;
  moves += other.moves;
  storage += other.storage;
  return *this;
}

UsdPerMebibyte CostModel::transfer(ZoneSet from, ZoneId to) const {
  if (from.empty() || from.contains(to) || transfer_.empty()) return UsdPerMebibyte(0);
  UsdPerMebibyte least(1e300);
  for (std::uint32_t zone = 0; zone < transfer_.size(); ++zone)
    if (from.contains(ZoneId(zone))) least = std::min(least, transfer_[zone][to.index()]);
  return least;
}

CostModel uniform_costs(std::size_t zones, UsdPerMebibyte across_zones) {
  std::vector<std::vector<UsdPerMebibyte>> transfer(zones, std::vector<UsdPerMebibyte>(zones, across_zones));
  for (std::size_t zone = 0; zone < zones; ++zone) transfer[zone][zone] = UsdPerMebibyte(0);
  return CostModel(std::move(transfer));
}

}  // namespace lips

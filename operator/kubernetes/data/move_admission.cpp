#include "kubernetes/data/move_admission.h"

#include <fmt/format.h>

namespace lips::kubernetes {

void MoveAdmission::count(const MoveClaim& claim, bool copying) {
  by_data_set_[claim.data_set].emplace_back(claim.name, claim.blocks);
  if (!copying || claim.to.empty()) return;
  ++copying_;
  ++by_zones_[{claim.from_zone, claim.to_zone}];
  const auto room = room_.find(claim.to);
  if (room != room_.end()) room->second -= claim.bytes;
}

std::string MoveAdmission::admit(const MoveClaim& claim) {
  for (const auto& [name, blocks] : by_data_set_[claim.data_set])
    if (!blocks.intersection(claim.blocks).empty())
      return "waiting for DataMove " + name + ", which moves the same blocks";
  // The words are written to the object, so they change only with the reason.
  if (!claim.to.empty()) {
    const auto room = room_.find(claim.to);
    if (room != room_.end() && room->second < claim.bytes)
      return fmt::format("waiting for room: DataStore {} has less than the {} bytes needed", claim.to, claim.bytes);
    if (copying_ >= limits_.at_once) return fmt::format("waiting for its turn: {} moves are copying", limits_.at_once);
    const int same_zones = by_zones_[{claim.from_zone, claim.to_zone}];
    if (same_zones >= limits_.per_zone_pair)
      return fmt::format("waiting for its turn: {} moves are copying from {} to {}", limits_.per_zone_pair,
                         claim.from_zone, claim.to_zone);
  }
  count(claim, true);
  return {};
}

}  // namespace lips::kubernetes

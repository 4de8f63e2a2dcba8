#include "kubernetes/data/move_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace lips::kubernetes {
namespace {

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace

std::int64_t room_for(const StoreUse& use, const std::string& name_space) {
  std::int64_t own = use.copies, others = 0;
  for (const auto& [owner, bytes] : use.originals) {
    std::int64_t& part = owner == name_space ? own : others;
    part = sum_of(part, bytes);
  }
  const std::int64_t used = sum_of(own, std::min(others, use.capacity / 2));
  return use.capacity - std::min(used, use.capacity);
}

void MoveAdmission::count(const MoveClaim& claim, bool copying) {
  by_data_set_[claim.data_set].emplace_back(claim.name, claim.blocks);
  if (!copying || claim.to.empty()) return;
  ++copying_;
  ++by_zones_[{claim.from_zone, claim.to_zone}];
  const auto use = uses_.find(claim.to);
  if (use != uses_.end()) use->second.copies = sum_of(use->second.copies, claim.bytes);
}

std::string MoveAdmission::admit(const MoveClaim& claim) {
  for (const auto& [name, blocks] : by_data_set_[claim.data_set])
    if (!blocks.intersection(claim.blocks).empty())
      return "waiting for DataMove " + name + ", which moves the same blocks";
  // The words are written to the object, so they change only with the reason.
  if (!claim.to.empty()) {
    const auto use = uses_.find(claim.to);
    const std::string owner = claim.data_set.substr(0, claim.data_set.find('/'));
    if (use != uses_.end() && room_for(use->second, owner) < claim.bytes)
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

#include "simulation/autoscaler.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lips::simulation {

namespace {

void sort_decreasing(std::vector<PodsAlike>& pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const PodsAlike& a, const PodsAlike& b) {
    return std::tuple(-a.request.cpu.value(), -a.request.memory.value(), a.constraint, a.like) <
           std::tuple(-b.request.cpu.value(), -b.request.memory.value(), b.constraint, b.like);
  });
}

}  // namespace

// A node to launch, while it is filled: what it holds, and the offers that hold all of that.
struct Packing::Claim {
  Resources used{Cores(0), Mebibytes(0), 0};
  std::uint64_t pods = 0;
  std::vector<std::uint32_t> offers;
};

bool Packing::may_take(const PodsAlike& group, NodeId node) const {
  if (group.like.valid()) {
    const Node &wanted = cluster_.nodes[group.like], &found = cluster_.nodes[node];
    if (found.zone != wanted.zone || found.capacity_type != wanted.capacity_type) return false;
  }
  return cluster_.eligible(group.constraint, node);
}

// Returns how many of the group are left.
std::uint64_t Packing::place(const PodsAlike& group, std::vector<NodeRoom>& rooms, std::vector<NodeId>* taken) const {
  std::uint64_t left = group.count;
  for (NodeRoom& room : rooms) {
    if (left == 0) break;
    if (!fits(group.request, room.free) || !may_take(group, room.node)) continue;
    const std::uint64_t count = std::min(left, static_cast<std::uint64_t>(fit_count(group.request, room.free)));
    room.free -= group.request * static_cast<std::int32_t>(count);
    left -= count;
    if (taken != nullptr) taken->push_back(room.node);
  }
  return left;
}

void Packing::claim(const PodsAlike& group, std::uint64_t count, const std::vector<OfferRoom>& offers,
                    std::vector<Claim>& claims) const {
  const auto room_of = [&](const Claim& claim, std::uint32_t offer) {
    return static_cast<std::uint64_t>(
        fit_count(group.request, cluster_.nodes[offers[offer].like].capacity - claim.used));
  };
  const auto fill = [&](Claim& claim) {
    std::uint64_t most = 0;
    for (const std::uint32_t offer : claim.offers)
      if (may_take(group, offers[offer].like)) most = std::max(most, room_of(claim, offer));
    const std::uint64_t taken = std::min(count, most);
    if (taken == 0) return false;
    std::erase_if(claim.offers, [&](std::uint32_t offer) {
      return room_of(claim, offer) < taken || !may_take(group, offers[offer].like);
    });
    claim.used += group.request * static_cast<std::int32_t>(taken);
    claim.pods += taken;
    count -= taken;
    return true;
  };
  std::stable_sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.pods < b.pods; });
  for (Claim& claim : claims)
    if (count > 0) fill(claim);
  std::uint64_t most = 0;
  for (const OfferRoom& offer : offers) most += offer.left;
  while (count > 0 && claims.size() < most) {
    Claim fresh;
    for (std::uint32_t offer = 0; offer < offers.size(); ++offer)
      if (offers[offer].left > 0) fresh.offers.push_back(offer);
    if (!fill(fresh)) return;  // no type can hold one
    claims.push_back(std::move(fresh));
  }
}

Purchase Packing::buy(std::vector<PodsAlike> pods, std::vector<NodeRoom> rooms, std::vector<OfferRoom> offers,
                      LaunchLimits limits) const {
  Purchase purchase;
  sort_decreasing(pods);
  std::vector<Claim> claims;
  for (const PodsAlike& group : pods)
    if (const std::uint64_t left = place(group, rooms, &purchase.nominated); left > 0)
      claim(group, left, offers, claims);
  for (const Claim& claim : claims) {
    const std::uint32_t* best = nullptr;
    const auto node = [&](std::uint32_t offer) -> const Node& { return cluster_.nodes[offers[offer].like]; };
    const auto allowed = [&](std::uint32_t offer) {
      const LimitId within = offers[offer].within;
      return offers[offer].left > 0 && (!within.valid() || limits[within].most(node(offer).capacity) > 0);
    };
    for (const std::uint32_t& offer : claim.offers)
      if (allowed(offer) && (best == nullptr || node(offer).price < node(*best).price)) best = &offer;
    if (best == nullptr) continue;
    --offers[*best].left;
    if (offers[*best].within.valid()) limits[offers[*best].within].take(node(*best).capacity, 1);
    purchase.launches.push_back(*best);
  }
  return purchase;
}

bool Packing::fit(std::vector<PodsAlike> pods, std::vector<NodeRoom> rooms) const {
  sort_decreasing(pods);
  return std::all_of(pods.begin(), pods.end(),
                     [&](const PodsAlike& group) { return place(group, rooms, nullptr) == 0; });
}

}  // namespace lips::simulation

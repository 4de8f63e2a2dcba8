#include "policies/lips/gangs/gang_choice.h"

#include <algorithm>
#include <utility>

#include "policies/lips/gangs/gang_zones.h"

namespace lips {

namespace {

// Times what nodes seem to cost, where there is other room: run times are guesses, and room may become free meanwhile.
constexpr double margin = 2;

}  // namespace

GangChoice::GangChoice(const GangMarket& market)
    : cluster_(market.cluster),
      costs_(market.costs),
      room_(market.room),
      orders_(market.orders),
      price_(market.price),
      running_(market.running),
      buys_(market.buys) {}

// Those that are here do not wait for others that no zone will ever hold beside them.
Start GangChoice::choose(Gang& gang, const Patience& patience) {
  Start choice = in_one_zone(gang, patience);
  const bool to_come = std::any_of(gang.parts.begin(), gang.parts.end(), [](const auto& part) { return part.to_come; });
  if (to_come && choice.some_zone_holds_all) return choice;
  if (to_come) {
    if (std::optional<Start> several = all_in_several_zones(gang, patience)) return *std::move(several);
    leave_out_to_come(gang);
    choice = in_one_zone(gang, patience);
  }
  if (choice.beside_driver) return choice;
  Start apart;
  apart.spots = in_several_zones(gang);
  apart.usd = price_.of(gang, apart);
  const bool all = count_tasks(apart.spots) == gang.tasks();
  if (all ? apart.usd < choice.usd : !choice.some_zone_holds_all && !room_.are_large_enough(gang)) return apart;
  return choice;
}

// Where no zone but several hold also those that will come. None starts before there is room for all.
std::optional<Start> GangChoice::all_in_several_zones(const Gang& gang, const Patience& patience) {
  if (buys_ || !room_.are_large_enough(gang)) return std::nullopt;
  Start choice;
  choice.spots = in_several_zones(gang);
  if (count_tasks(choice.spots) == gang.tasks()) return choice;
  choice.wait = patience.seconds;
  if (choice.wait <= 0) choice.spots.clear();
  return choice;
}

// But for one worker beside a driver that has not started.
void GangChoice::leave_out_to_come(Gang& gang) const {
  const bool lone = only_driver_waits(cluster_, gang);
  for (GangPart& part : gang.parts)
    if (part.to_come && !part.leads) part.tasks = lone ? 1 : 0;
  std::erase_if(gang.parts, [](const GangPart& part) { return part.tasks == 0; });
}

Start GangChoice::in_one_zone(const Gang& gang, const Patience& patience) {
  if (Start home = beside_driver(gang); home.beside_driver) return home;
  Start best, ordered;
  bool now = false, holds_all = false;
  const std::optional<Gang> plain = gang.has_stakes() ? std::optional(gang.without_stakes()) : std::nullopt;
  for (const ZoneId zone : cluster_.zones.ids()) {
    Start choice;
    choice.zone = zone;
    const auto consider = [&](Start& cheapest) {
      choice.usd = price_.of(gang, choice);
      if (choice.usd < cheapest.usd) cheapest = choice;
    };
    if (std::optional<std::vector<Spot>> spots = room_.all_now(gang, zone)) {
      choice.spots = *std::move(spots);
      now = true;
      consider(best);
      continue;
    }
    holds_all = holds_all || room_.is_large_enough(gang, zone);
    std::optional<GangRoom::Later> later = patience.seconds > 0 ? room_.all_later(gang, zone) : std::nullopt;
    if (later && later->seconds <= patience.seconds) {
      choice.wait = std::max(1e-6, later->seconds);
      choice.spots = std::move(later->spots);
      consider(best);
    }
    if (!buys_) continue;
    choice.wait = 0;
    const auto consider_order = [&](const Gang& as) {
      choice.spots = room_.now(as, zone);
      choice.order = orders_.order(as, zone, choice.spots);
      holds_all = holds_all || choice.order;
      if (patience.orders && choice.order) consider(ordered);
    };
    consider_order(gang);
    if (plain) consider_order(*plain);  // safer nodes can be dearer than what is lost
  }
  // Room that is there may be paid for already, or stay for others: nodes in its stead must pay for themselves.
  if (now && ordered.order) ordered.usd = price_.beside_cpu(gang, ordered) + margin * price_.of_nodes(gang, ordered);
  if (ordered.usd < (now ? price_.beside_cpu(gang, best) : best.usd)) best = std::move(ordered);
  best.some_zone_holds_all = now || holds_all || !best.spots.empty();
  return best;
}

// They are one job: cheaper CPU elsewhere is no reason to leave the zone of the driver, where room was kept for them.
// Cheaper reads elsewhere are a reason, and so are peers of theirs that run there.
Start GangChoice::beside_driver(const Gang& gang) {
  Start choice;
  const auto peers = running_.find(gang.whole);
  if (peers == running_.end() || !peers->second.driver.valid() || gang.exchange.value() <= 0) return choice;
  const ZoneId home = peers->second.driver;
  const auto reads = [&](ZoneId zone) {
    double usd = 0;
    for (const GangPart& part : gang.parts) usd += part.tasks * part.read_usd[zone];
    return usd;
  };
  for (const ZoneId zone : cluster_.zones.ids())
    if (zone != home && (gang.running[zone] > 0 || reads(zone) < reads(home) - 1e-12)) return choice;
  std::optional<std::vector<Spot>> now = room_.all_now(gang, home);
  if (!now) return choice;
  choice.zone = home;
  choice.spots = *std::move(now);
  choice.usd = price_.of(gang, choice);
  choice.beside_driver = choice.some_zone_holds_all = true;
  return choice;
}

// Places as many tasks as find room now.
std::vector<Spot> GangChoice::in_several_zones(const Gang& gang) {
  ZoneRooms rooms;
  for (const ZoneId zone : cluster_.zones.ids()) rooms.push_back(room_.prices_of_room(gang, zone, gang.tasks()));
  const IdVector<ZoneId, std::uint32_t> tasks = cheapest_zones(gang, rooms, costs_);
  Gang left = gang;
  std::vector<Spot> spots;
  for (const ZoneId zone : tasks.ids())
    for (const Spot& spot : room_.take(left, zone, tasks[zone])) {
      left.parts[spot.part].tasks -= spot.tasks;
      spots.push_back(spot);
    }
  room_.give_back(gang, spots);
  return spots;
}

bool driver_waits(const ClusterSnapshot& cluster, const Gang& gang) {
  return gang.running_tasks == 0 && std::ranges::any_of(gang.parts, [&](const GangPart& part) {
           return !part.to_come && cluster.jobs[part.job].coordinates;
         });
}

bool only_driver_waits(const ClusterSnapshot& cluster, const Gang& gang) {
  return driver_waits(cluster, gang) && std::ranges::all_of(gang.parts, [&](const GangPart& part) {
           return part.to_come || cluster.jobs[part.job].coordinates;
         });
}

}  // namespace lips

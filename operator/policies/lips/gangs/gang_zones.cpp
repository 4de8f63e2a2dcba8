#include "policies/lips/gangs/gang_zones.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lips {

namespace {

constexpr double most_steps = 2e7;  // of the exact way; beyond it the largest zones are filled first

UsdPerMebibyte mean_price(const CostModel& costs, std::size_t zones) {
  UsdPerMebibyte sum;
  for (std::uint32_t from = 0; from < zones; ++from)
    for (std::uint32_t to = 0; to < zones; ++to)
      if (from != to) sum += costs.transfer(ZoneId(from), ZoneId(to));
  const double pairs = static_cast<double>(zones) * (static_cast<double>(zones) - 1);
  return pairs > 0 ? sum / pairs : UsdPerMebibyte(0);
}

// The mean task of the gang.
struct MeanTask {
  explicit MeanTask(const Gang& gang) : read(gang.running.size(), 0.0) {
    const double tasks = std::max(1u, gang.tasks());
    work = gang.work() / tasks;
    weight = gang.weight() / tasks;
    for (const GangPart& part : gang.parts)
      for (const ZoneId zone : read.ids()) read[zone] += part.read_usd[zone] * part.tasks / tasks;
  }
  double work = 0, weight = 0;
  IdVector<ZoneId, double> read;  // USD
};

IdVector<ZoneId, std::uint32_t> largest_first(const ZoneRooms& rooms, std::uint32_t tasks) {
  std::vector<ZoneId> order;
  for (const ZoneId zone : rooms.ids()) order.push_back(zone);
  std::stable_sort(order.begin(), order.end(), [&](ZoneId a, ZoneId b) { return rooms[a].size() > rooms[b].size(); });
  IdVector<ZoneId, std::uint32_t> result(rooms.size(), 0);
  for (const ZoneId zone : order) {
    result[zone] = std::min(tasks, static_cast<std::uint32_t>(rooms[zone].size()));
    tasks -= result[zone];
  }
  return result;
}

}  // namespace

// The cost is a sum over zones: of an exchange at one price, all of it less what stays in each zone. So one table by
// the number of tasks in the zones so far has the least cost.
IdVector<ZoneId, std::uint32_t> cheapest_zones(const Gang& gang, const ZoneRooms& rooms, const CostModel& costs) {
  std::size_t room = 0;
  for (const std::vector<double>& prices : rooms) room += prices.size();
  const auto tasks = static_cast<std::uint32_t>(std::min<std::size_t>(gang.tasks(), room));
  if (static_cast<double>(rooms.size()) * tasks * tasks > most_steps) return largest_first(rooms, tasks);
  const MeanTask mean(gang);
  const double exchange = (gang.exchange * mean_price(costs, rooms.size())).value();
  double all = mean.weight * tasks;
  for (const double weight : gang.running) all += weight;
  const auto stays = [&](ZoneId zone, double count) {
    const double share = (gang.running[zone] + count * mean.weight) / std::max(1e-9, all);
    return exchange * share * share;
  };
  std::vector<double> least(tasks + 1, std::numeric_limits<double>::infinity()), next;
  least[0] = 0;
  IdVector<ZoneId, std::vector<std::uint32_t>> here(rooms.size());
  for (const ZoneId zone : rooms.ids()) {
    next.assign(tasks + 1, std::numeric_limits<double>::infinity());
    here[zone].assign(tasks + 1, 0);
    double cpu = 0;
    const auto most = static_cast<std::uint32_t>(rooms[zone].size());
    for (std::uint32_t count = 0; count <= std::min(most, tasks); ++count) {
      if (count > 0) cpu += mean.work * rooms[zone][count - 1];
      const double usd = cpu + count * mean.read[zone] - stays(zone, count);
      for (std::uint32_t before = 0; before + count <= tasks; ++before)
        if (least[before] + usd < next[before + count]) {
          next[before + count] = least[before] + usd;
          here[zone][before + count] = count;
        }
    }
    least.swap(next);
  }
  IdVector<ZoneId, std::uint32_t> result(rooms.size(), 0);
  for (std::uint32_t zone = static_cast<std::uint32_t>(rooms.size()), left = tasks; zone-- > 0;
       left -= result[ZoneId(zone)])
    result[ZoneId(zone)] = here[ZoneId(zone)][left];
  return result;
}

}  // namespace lips

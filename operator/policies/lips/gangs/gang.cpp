#include "policies/lips/gangs/gang.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/lips/prices/interruptions.h"

namespace lips {

std::uint32_t Gang::tasks() const {
  std::uint32_t sum = 0;
  for (const GangPart& part : parts) sum += part.tasks;
  return sum;
}

std::uint32_t Gang::here() const {
  std::uint32_t sum = 0;
  for (const GangPart& part : parts) sum += part.to_come ? 0 : part.tasks;
  return sum;
}

double Gang::weight() const {
  double sum = 0;
  for (const GangPart& part : parts) sum += part.weight * part.tasks;
  return sum;
}

double Gang::work() const {
  double sum = 0;
  for (const GangPart& part : parts) sum += part.work * part.tasks;
  return sum;
}

// Those on which more hangs come first, before the room that is safe for them is taken.
void Gang::set_stakes(const ClusterSnapshot& cluster) {
  const double all = work();
  for (GangPart& part : parts) {
    const Job& job = cluster.jobs[part.job];
    const bool starts_others = job.coordinates && !part.to_come;
    part.stake = starts_others || job.whole.gang > 0 ? std::max(1.0, all / part.work) : 1;
  }
  std::stable_partition(parts.begin(), parts.end(), [](const GangPart& part) { return part.stake > 1; });
}

Gang Gang::without_stakes() const {
  Gang gang = *this;
  for (GangPart& part : gang.parts) part.stake = 1;
  return gang;
}

double price_of_interruptions(const NodeClasses& classes, const NodeClass& on, const GangPart& part) {
  return price_of_interruptions(classes, on, part.work / cores_of(part.request), part.stake);
}

std::uint32_t count_here(const Gang& gang, std::span<const Spot> spots) {
  std::uint32_t sum = 0;
  for (const Spot& spot : spots) sum += gang.parts[spot.part].to_come ? 0 : spot.tasks;
  return sum;
}

std::uint32_t count_tasks(std::span<const Spot> spots) {
  std::uint32_t sum = 0;
  for (const Spot& spot : spots) sum += spot.tasks;
  return sum;
}

GangRoom::GangRoom(const ClusterSnapshot& cluster, const NodeClasses& classes, IdVector<NodeId, Resources>& free)
    : cluster_(cluster), classes_(classes), free_(free), nodes_(cluster.zones.size()) {
  empty_.reserve(cluster.nodes.size());
  for (const Node& node : cluster.nodes) empty_.push_back(node.capacity - node.others);
  for (const NodeId node : cluster.nodes.ids())
    if (const ClassId c = classes.class_of[node]; c.valid()) {
      ByPrice& nodes = nodes_[cluster.nodes[node].zone];
      (classes.classes[c].interruptions > 0 ? nodes.interrupted : nodes.safe).push_back(node);
    }
  for (ByPrice& both : nodes_)
    for (std::vector<NodeId>* nodes : {&both.safe, &both.interrupted})
      std::stable_sort(nodes->begin(), nodes->end(), [&](NodeId a, NodeId b) {
        return classes.classes[classes.class_of[a]].price < classes.classes[classes.class_of[b]].price;
      });
  ends_ = task_ends<ZoneId>(cluster, cluster.zones.size(), [&](NodeId node) {
    return classes.class_of[node].valid() ? cluster.nodes[node].zone : ZoneId::none();
  });
}

template <class Visit>
void GangRoom::cheapest_first(ZoneId zone, const GangPart* part, const Visit& visit) const {
  const auto& [safe, interrupted] = nodes_[zone];
  const auto price = [&](NodeId node) {
    const NodeClass& on = classes_.classes[classes_.class_of[node]];
    return on.price.value() + (part ? price_of_interruptions(classes_, on, *part) : 0);
  };
  auto a = safe.begin(), b = interrupted.begin();
  while (a != safe.end() || b != interrupted.end()) {
    const bool first = b == interrupted.end() || (a != safe.end() && price(*a) <= price(*b));
    if (!visit(first ? *a++ : *b++)) return;
  }
}

bool GangRoom::may_run(const GangPart& part, NodeId node) const {
  return cluster_.eligible(cluster_.jobs[part.job].constraint, node);
}

std::vector<Spot> GangRoom::take(const Gang& gang, ZoneId zone, std::uint32_t most) {
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < gang.parts.size() && most > 0; ++i) {
    const GangPart& part = gang.parts[i];
    std::uint32_t left = std::min(part.tasks, most);
    cheapest_first(zone, &part, [&](NodeId node) {
      if (left == 0) return false;
      const auto room = std::min<std::int64_t>(left, fit_count(part.request, free_[node]));
      if (room <= 0 || !may_run(part, node)) return true;
      const auto tasks = static_cast<std::uint32_t>(room);
      free_[node] -= part.request * static_cast<std::int32_t>(tasks);
      spots.push_back({i, tasks, node});
      left -= tasks, most -= tasks;
      return true;
    });
  }
  return spots;
}

void GangRoom::take(const Gang& gang, std::span<const Spot> spots) {
  for (const Spot& spot : spots)
    free_[spot.node] -= gang.parts[spot.part].request * static_cast<std::int32_t>(spot.tasks);
}

void GangRoom::give_back(const Gang& gang, std::span<const Spot> spots) {
  for (const Spot& spot : spots)
    free_[spot.node] += gang.parts[spot.part].request * static_cast<std::int32_t>(spot.tasks);
}

std::vector<Spot> GangRoom::now(const Gang& gang, ZoneId zone) {
  std::vector<Spot> spots = take(gang, zone, gang.tasks());
  give_back(gang, spots);
  return spots;
}

std::optional<std::vector<Spot>> GangRoom::all_now(const Gang& gang, ZoneId zone) {
  std::vector<Spot> spots = now(gang, zone);
  if (count_tasks(spots) < gang.tasks()) return std::nullopt;
  return spots;
}

std::optional<std::vector<Spot>> GangRoom::all_after(const Gang& gang, ZoneId zone, std::size_t ended) {
  const std::vector<TaskEnd>& ends = ends_[zone];
  for (std::size_t i = 0; i < ended; ++i) free_[ends[i].node] += *ends[i].request;
  std::optional<std::vector<Spot>> spots = all_now(gang, zone);
  for (std::size_t i = 0; i < ended; ++i) free_[ends[i].node] -= *ends[i].request;
  return spots;
}

std::optional<GangRoom::Later> GangRoom::all_later(const Gang& gang, ZoneId zone) {
  const std::vector<TaskEnd>& ends = ends_[zone];
  std::optional<std::vector<Spot>> found = all_after(gang, zone, ends.size());
  if (!found) return std::nullopt;
  std::size_t too_few = 0, enough = ends.size();
  while (too_few < enough) {
    const std::size_t middle = (too_few + enough) / 2;
    if (std::optional<std::vector<Spot>> spots = all_after(gang, zone, middle)) {
      enough = middle;
      found = std::move(spots);
    } else {
      too_few = middle + 1;
    }
  }
  return Later{enough == 0 ? 0 : ends[enough - 1].at, *std::move(found)};
}

bool GangRoom::is_large_enough(const Gang& gang, ZoneId zone) {
  std::swap(free_, empty_);
  const bool holds = all_now(gang, zone).has_value();
  std::swap(free_, empty_);
  return holds;
}

bool GangRoom::are_large_enough(const Gang& gang) {
  std::size_t room = 0;
  std::swap(free_, empty_);
  for (const ZoneId zone : nodes_.ids()) room += prices_of_room(gang, zone, gang.tasks()).size();
  std::swap(free_, empty_);
  return room >= gang.tasks();
}

std::vector<double> GangRoom::prices_of_room(const Gang& gang, ZoneId zone, std::uint32_t most) const {
  std::vector<double> prices;
  cheapest_first(zone, nullptr, [&](NodeId node) {
    if (prices.size() >= most) return false;
    std::int64_t room = most;
    for (const GangPart& part : gang.parts)
      room = may_run(part, node) ? std::min(room, fit_count(part.request, free_[node])) : 0;
    const auto left = static_cast<std::int64_t>(most) - static_cast<std::int64_t>(prices.size());
    if (room > 0)
      prices.insert(prices.end(), static_cast<std::size_t>(std::min(room, left)),
                    classes_.classes[classes_.class_of[node]].price.value());
    return true;
  });
  return prices;
}

}  // namespace lips

#include "policies/lips/program/class_merging.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace lips {

namespace {

constexpr double narrowest = 0.02, widest = 0.5;  // by which merged numbers may differ

// Numbers in one bucket differ by less than the width.
int bucket(double number, double width) {
  if (!(number > 0)) return std::numeric_limits<int>::min();
  return static_cast<int>(std::floor(std::log(number) / std::log1p(width)));
}

double waits(const NodeClass& group) {
  double seconds = 0;
  for (const RoomWait& wait : group.room_waits) seconds += wait.seconds;
  return seconds;
}

std::array<int, 7> buckets(const NodeClass& group, double width) {
  const double cores = group.shape.cpu.value();
  return {bucket(group.price.value(), width),
          bucket(group.speed, width),
          bucket(group.shape.memory.value() / cores, width),
          bucket(group.shape.slots / cores, width),
          bucket(group.interruptions, width),
          bucket(group.paid, width),
          bucket(waits(group), width)};
}

}  // namespace

ClassMerging::ClassMerging(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload,
                           std::size_t most)
    : cluster_(cluster), classes_(classes), workload_(workload), merged_(classes) {
  find_signatures();
  double width = narrowest;
  for (merge(width); merged_.classes.size() > most && width < widest; merge(width)) width *= 2;
}

void ClassMerging::find_signatures() {
  std::set<Kind> kinds;
  for (const Commodity& commodity : workload_.commodities)
    if (!commodity.any_class) kinds.emplace(commodity.constraint, commodity.request);
  std::map<std::vector<bool>, std::size_t> known;
  for (const ClassId c : classes_.classes.ids()) {
    std::vector<bool> takes;
    for (const auto& [constraint, request] : kinds) takes.push_back(classes_.takes(c, constraint, request));
    signature_.push_back(known.try_emplace(std::move(takes), known.size()).first->second);
  }
}

void ClassMerging::merge(double width) {
  using Key = std::tuple<ZoneId, bool, bool, double, std::size_t, std::array<int, 7>>;
  std::map<Key, ClassId> by_key;
  merged_.classes = {}, merged_.steps = {}, owners_ = {}, of_ = {};
  for (const ClassId c : classes_.classes.ids()) {
    const NodeClass& group = classes_.classes[c];
    const Key key{group.zone, group.whole, group.offer.valid(), group.to_pay, signature_[c], buckets(group, width)};
    const auto [found, added] = by_key.try_emplace(key);
    if (added) {
      found->second = merged_.classes.push_back(group);
      merged_.steps.push_back({});
      owners_.push_back({});
    } else {
      merged_.classes[found->second].cores += group.cores;
    }
    of_.push_back(found->second);
    for (CapacityStep step : classes_.steps[c]) {
      step.waiting_price += surcharge(c);
      step.memory *= speedup(c);
      step.slots *= speedup(c);
      merged_.steps[found->second].push_back(step);
      owners_[found->second].push_back(c);
    }
  }
}

// By the mix and by commodities that any class may take.
CapacityStep ClassMerging::used(ClassId merged, const Mix& mix, double open_work) const {
  const NodeClass& group = merged_.classes[merged];
  CapacityStep used;
  used.work = open_work;
  for (const auto& [kind, parts] : mix)
    for (const Part& part : parts) {
      const Commodity& commodity = workload_.commodities[part.commodity];
      const double time = part.work * occupancy(cluster_, commodity, group),
                   seconds = time / (cores_of(commodity.request) * group.speed);
      used.work += time;
      used.memory += commodity.request.memory.value() * seconds;
      used.slots += commodity.request.slots * seconds;
    }
  return used;
}

// The shares of the true classes in what is used.
std::vector<std::pair<ClassId, double>> ClassMerging::shares(ClassId merged, CapacityStep used) const {
  const std::vector<CapacityStep>& steps = merged_.steps[merged];
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].work > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return steps[a].waiting_price < steps[b].waiting_price; });
  std::map<ClassId, double> opened;
  double all = 0;
  for (const std::size_t i : order) {
    const CapacityStep& step = steps[i];
    const double most =
        std::max({used.work / step.work, ratio(used.memory, step.memory), ratio(used.slots, step.slots)});
    const double part = std::clamp(most, 0.0, 1.0);
    used.work -= part * step.work;
    used.memory -= part * step.memory;
    used.slots -= part * step.slots;
    if (part > 0) opened[owners_[merged][i]] += part * step.work;
    all += part * step.work;
  }
  std::vector<std::pair<ClassId, double>> shares;
  for (const auto& [c, work] : opened) shares.emplace_back(c, work / all);
  return shares;
}

Amounts ClassMerging::deal(const Amounts& merged) const {
  Amounts fine = merged;
  fine.in_class.assign(workload_.commodities.size(), {});
  fine.open_work.assign(classes_.classes.size(), 0.0);
  IdVector<ClassId, Mix> mixes(merged_.classes.size());
  for (const CommodityId id : workload_.commodities.ids())
    for (const auto& [c, work] : merged.in_class[id])
      mixes[c][{workload_.commodities[id].constraint, workload_.commodities[id].request}].push_back({id, work});
  for (const ClassId group : mixes.ids()) {
    const double open_work = merged.open_work[group];
    if (mixes[group].empty() && open_work <= 0) continue;
    const auto parts = shares(group, used(group, mixes[group], open_work));
    if (parts.empty()) continue;
    for (const auto& [c, share] : parts) fine.open_work[c] += share * open_work;
    for (const auto& [kind, mix] : mixes[group]) {
      double all = 0;
      for (const Part& part : mix) all += part.work;
      auto to = parts.begin();
      double room = to->second * all;
      for (const Part& part : mix)
        for (double left = part.work; left > 0;) {
          const bool last = to + 1 == parts.end();
          const double given = last ? left : std::min(left, room);
          if (given > 0) fine.in_class[part.commodity].emplace_back(to->first, given);
          left -= given, room -= given;
          if (!last && room <= 0) room = (++to)->second * all;
        }
    }
  }
  return fine;
}

}  // namespace lips

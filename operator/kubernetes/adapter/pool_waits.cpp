#include "kubernetes/adapter/pool_waits.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

// Many pods have the same namespace and wish.
class PoolNames {
 public:
  explicit PoolNames(const PoolWaits::PoolOf& pool_of) : pool_of_(pool_of) {}
  const std::string& of(const PodRecord& pod) {
    const auto [place, fresh] = names_.try_emplace({pod.meta.name_space, pod.work.pool});
    if (fresh) place->second = pool_of_(pod);
    return place->second;
  }

 private:
  const PoolWaits::PoolOf& pool_of_;
  std::map<std::pair<std::string_view, std::string_view>, std::string> names_;
};

}  // namespace

void PoolWaits::tell(PodCache& pods, const PodConditions& conditions, const UntakenPods& untaken, const PoolOf& pool_of,
                     AdapterObserver& observer, TimePoint now) {
  if (!look_.due(now)) return;
  PoolNames pool_names(pool_of);
  std::map<std::string, Duration> waits;
  for (const auto& [pool, wait] : waits_) waits[pool] = Duration(0);
  std::map<std::pair<std::string, std::string>, std::uint64_t> held;
  for (const auto& [key, count] : held_) held[key] = 0;
  for (const auto& [name, pod] : pods.unplaced().held())
    ++held[{pool_names.of(*pod), std::string(to_string(pod->unschedulable_reason))}];
  for (const auto& [name, pod] : pods.steered())
    if (untaken.is_late(*pod)) ++held[{pool_names.of(*pod), "NotTaken"}];
  for (const auto& [peers, ages] : pods.unplaced().by_age()) {
    if (conditions.fits_nowhere(peers.pod_class)) continue;
    const auto& [since, name] = *ages.begin();
    Duration& longest = waits[pool_names.of(*pods.unplaced().all().at(name))];
    longest = std::max(longest, now - since);
  }
  for (const auto& [pool, wait] : waits) observer.on_pool_wait(pool, wait);
  for (const auto& [key, count] : held) observer.on_pool_held(key.first, key.second, count);
  std::erase_if(waits, [](const auto& entry) { return entry.second == Duration(0); });
  std::erase_if(held, [](const auto& entry) { return entry.second == 0; });
  waits_ = std::move(waits);
  held_ = std::move(held);
}

}  // namespace lips::kubernetes

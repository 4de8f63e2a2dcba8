#include "kubernetes/data/data_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace lips::kubernetes {
namespace {

using NamedSize = std::pair<const std::string, DataSetSize>;

std::string name_space_in(const std::string& name) { return name.substr(0, name.find('/')); }

}  // namespace

DataSetSize size_in_limits(const DataSetResource& set, const DataLayout& layout) {
  const std::int64_t blocks = layout.count();
  DataSetSize size{blocks, layout.listed_files(), layout.size, blocks, set.meta.created};
  for (const HeldBlocks& held : set.status.replicas) size.places += held.blocks.count();
  for (const PlacedBlocks& placed : set.spec.stores)  // what the status does not name yet
    if (!find_held(set, placed.store)) size.places += placed.blocks ? std::int64_t{placed.blocks->count()} : blocks;
  return size;
}

void DataLimits::put(const std::string& name, const DataSetSize& size) {
  const auto [place, added] = sizes_.try_emplace(name, size);
  if (!added && place->second == size) return;
  place->second = size;
  changed_ = true;
}

void DataLimits::forget(const std::string& name) {
  changed_ |= sizes_.erase(name) > 0;
  beyond_.erase(name);
}

std::map<std::string, DataLimits::Limit> DataLimits::beyond_limits() const {
  std::map<std::string, Limit> beyond;
  std::map<std::string, std::vector<const NamedSize*>> by_name_space;
  for (const NamedSize& set : sizes_) by_name_space[name_space_in(set.first)].push_back(&set);
  std::vector<std::pair<std::int64_t, const NamedSize*>> within;  // with what its namespace has up to it
  for (auto& [name_space, sets] : by_name_space) {
    std::stable_sort(sets.begin(), sets.end(),
                     [](const auto* a, const auto* b) { return a->second.created < b->second.created; });
    TenantRules left = rules_;
    if (left.bytes == 0) left.bytes = std::numeric_limits<std::int64_t>::max();
    std::erase_if(sets, [&](const NamedSize* set) {
      const DataSetSize& size = set->second;
      const bool fits = size.blocks <= left.blocks && size.files <= left.files && size.bytes <= left.bytes;
      if (fits) left.blocks -= size.blocks, left.files -= size.files, left.bytes -= size.bytes;
      if (!fits) beyond[set->first] = Limit::of_namespace;
      return !fits;
    });
    std::stable_sort(sets.begin(), sets.end(),
                     [](const auto* a, const auto* b) { return a->second.places < b->second.places; });
    std::int64_t sum = 0;
    for (const NamedSize* set : sets) within.emplace_back(sum += set->second.places, set);
  }
  std::stable_sort(within.begin(), within.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second->second.created, a.second->first) <
           std::tie(b.first, b.second->second.created, b.second->first);
  });
  std::int64_t left = rules_.places;
  for (const auto& [sum, set] : within) {
    if (set->second.places <= left)
      left -= set->second.places;
    else
      beyond[set->first] = Limit::of_all;
  }
  return beyond;
}

std::vector<std::string> DataLimits::review() {
  std::vector<std::string> news;
  if (!std::exchange(changed_, false)) return news;
  std::map<std::string, Limit> now = beyond_limits();
  const auto differs = [](const auto& entry, const auto& others) {
    const auto other = others.find(entry.first);
    return other == others.end() || other->second != entry.second;
  };
  for (const auto& entry : now)
    if (differs(entry, beyond_)) news.push_back(entry.first);
  for (const auto& entry : beyond_)
    if (!now.contains(entry.first)) news.push_back(entry.first);
  beyond_ = std::move(now);
  return news;
}

std::string DataLimits::why_beyond(const std::string& name) const {
  const auto limit = beyond_.find(name);
  if (limit == beyond_.end()) return "";
  if (limit->second == Limit::of_all)
    return fmt::format(
        "all data sets together would have more than {} blocks and replicas, and namespace {} has more of them than "
        "others; allowed: data.blocksAndReplicas in the operator's configuration",
        rules_.places, name_space_in(name));
  return fmt::format("the data sets of namespace {} would have more than {} blocks{} {} files{}; allowed: the limits "
                     "under data in the operator's configuration",
                     name_space_in(name), rules_.blocks, rules_.bytes > 0 ? "," : " or", rules_.files,
                     rules_.bytes > 0 ? fmt::format(" or {} bytes", rules_.bytes) : "");
}

}  // namespace lips::kubernetes

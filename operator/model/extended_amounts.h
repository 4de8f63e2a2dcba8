// Amounts of resources other than CPU and memory (GPUs, local storage), under as many names as a cluster has. Most
// nodes and tasks have none and pay nothing for it.
#pragma once

#include <compare>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace lips {

using ResourceId = Id<struct ResourceTag>;  // in ClusterSnapshot::extended_names

class ExtendedAmounts {
 public:
  using Entry = std::pair<ResourceId, double>;

  ExtendedAmounts() = default;
  ExtendedAmounts(std::initializer_list<Entry> entries) {
    for (const auto& [resource, amount] : entries) set(resource, amount);
  }

  // 0 for a resource that is not listed.
  double operator[](ResourceId resource) const;
  void set(ResourceId resource, double amount);
  void add(const ExtendedAmounts& more, double times) {
    if (!more.entries_.empty()) add_listed(more, times);
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  // Sorted by id and without zeros: equal amounts are equal values.
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  friend bool operator==(const ExtendedAmounts&, const ExtendedAmounts&) = default;
  friend auto operator<=>(const ExtendedAmounts&, const ExtendedAmounts&) = default;

 private:
  void add_listed(const ExtendedAmounts& more, double times);

  std::vector<Entry> entries_;
};

// Says whether every positive amount of the request is there, give or take `slack`.
inline bool covers(const ExtendedAmounts& free, const ExtendedAmounts& request, double slack) {
  for (const auto& [resource, amount] : request)
    if (amount > 0 && amount > free[resource] + slack) return false;
  return true;
}

}  // namespace lips

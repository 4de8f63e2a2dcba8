#include "model/extended_amounts.h"

#include <algorithm>

namespace lips {
namespace {

constexpr auto before = [](const ExtendedAmounts::Entry& entry, ResourceId resource) { return entry.first < resource; };

}  // namespace

double ExtendedAmounts::operator[](ResourceId resource) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), resource, before);
  return place == entries_.end() || place->first != resource ? 0 : place->second;
}

void ExtendedAmounts::set(ResourceId resource, double amount) {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), resource, before);
  const bool listed = place != entries_.end() && place->first == resource;
  if (amount == 0) {
    if (listed) entries_.erase(place);
  } else if (listed) {
    place->second = amount;
  } else {
    entries_.insert(place, {resource, amount});
  }
}

void ExtendedAmounts::add_listed(const ExtendedAmounts& more, double times) {
  if (&more == this) return add_listed(ExtendedAmounts(more), times);
  for (const auto& [resource, amount] : more.entries_) set(resource, (*this)[resource] + amount * times);
}

}  // namespace lips

#include "model/resource_bounds.h"

#include <algorithm>

namespace lips {

namespace {

// The bindings name every field, so a new field of Resources does not compile here until it is added.
template <class Choose>
Resources of_both(const Resources& a, const Resources& b, Choose choose) {
  const auto& [cpu_a, memory_a, slots_a, extended_a] = a;
  const auto& [cpu_b, memory_b, slots_b, extended_b] = b;
  Resources result{choose(cpu_a, cpu_b), choose(memory_a, memory_b), choose(slots_a, slots_b), {}};
  for (const auto& [resource, amount] : extended_a) result.extended.set(resource, choose(amount, extended_b[resource]));
  for (const auto& [resource, amount] : extended_b) result.extended.set(resource, choose(extended_a[resource], amount));
  return result;
}

}  // namespace

Resources least_of_each(const Resources& a, const Resources& b) {
  return of_both(a, b, [](auto x, auto y) { return std::min(x, y); });
}

Resources most_of_each(const Resources& a, const Resources& b) {
  return of_both(a, b, [](auto x, auto y) { return std::max(x, y); });
}

}  // namespace lips

#include "model/nodes.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

constexpr double slack = 1e-7;

}  // namespace

bool fits(const Resources& request, const Resources& free) {
  return request.cpu.value() <= free.cpu.value() + slack && request.memory.value() <= free.memory.value() + slack &&
         request.slots <= free.slots && covers(free.extended, request.extended, slack);
}

std::int64_t fit_count(const Resources& request, const Resources& free) {
  double count = request.slots > 0 ? static_cast<double>(free.slots) / request.slots : 1e9;
  if (request.cpu.value() > 0) count = std::min(count, (free.cpu.value() + slack) / request.cpu.value());
  if (request.memory.value() > 0) count = std::min(count, (free.memory.value() + slack) / request.memory.value());
  for (const auto& [resource, amount] : request.extended)
    if (amount > 0) count = std::min(count, (free.extended[resource] + slack) / amount);
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(count)));
}

UsdPerCpuSecond full_packing_price(UsdPerHour price, Cores cpu, double speed) {
  return UsdPerCpuSecond(price.value() / 3600.0 / (cpu.value() * speed));
}

}  // namespace lips

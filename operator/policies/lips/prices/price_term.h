// One reason why a CPU-second of work costs more in one class of nodes than in another.
#pragma once

#include <cstdint>
#include <string_view>

#include "policies/lips/market/workload.h"

namespace lips {

enum class PriceKind : std::uint8_t {
  dollars,     // on the bill
  preference,  // on no bill: steers the plan
  wait         // a wait, at the price of waiting
};

// Tasks that are alike, as a term sees them before they are a commodity.
struct TaskShape {
  const Resources& request;  // of each
  double seconds = 0;        // of each, at speed 1
  double tasks = 0;
  double urgency = 1;  // of their jobs
};

// A term that no class charges a task for is left out of the task's price, so that the task may still take any class.
struct PriceTerm {
  std::string_view name;  // as the account and `lips why` say it
  PriceKind kind;
  bool (*charges)(const NodeClasses& classes, const TaskShape& tasks);  // some class does
  // USD per CPU-second of work on nodes of the class, as light as the commodity takes them; finite, and the sum of all
  // with the class's price is at least 0.
  double (*usd)(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity);
};

}  // namespace lips

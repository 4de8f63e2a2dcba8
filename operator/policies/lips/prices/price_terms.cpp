#include "policies/lips/prices/price_terms.h"

#include <array>

#include "policies/lips/prices/devices.h"
#include "policies/lips/prices/interruptions.h"
#include "policies/lips/prices/length_price.h"
#include "policies/lips/prices/urgency.h"
#include "policies/lips/prices/whole_room.h"

namespace lips {

namespace {

constexpr std::array table{
    interruptions_term, rest_of_node_term, devices_term, room_wait_term, urgency_term,
};

}  // namespace

std::span<const PriceTerm> price_terms() { return table; }

std::uint32_t charged_terms(const NodeClasses& classes, const TaskShape& tasks) {
  std::uint32_t charged = 0;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].charges(classes, tasks)) charged |= 1U << i;
  return charged;
}

double class_charges(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity) {
  double usd = 0;
  for (std::uint32_t left = commodity.charged, i = 0; left != 0; left >>= 1, ++i)
    if ((left & 1) != 0) usd += table[i].usd(classes, group, commodity);
  return usd;
}

}  // namespace lips

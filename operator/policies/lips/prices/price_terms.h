// The price of a commodity's work in a class: one table of terms, and sums over it. Nothing else adds up a price.
//
// A new reason is a file with a PriceTerm and a line in the table of price_terms.cpp (docs/recipes/price-term.md).
#pragma once

#include <cstdint>
#include <span>

#include "policies/lips/prices/price_term.h"

namespace lips {

// Terms by class, in a fixed order: bit i of Commodity::charged stands for the i-th.
std::span<const PriceTerm> price_terms();

// The terms that some class charges such tasks for.
std::uint32_t charged_terms(const NodeClasses& classes, const TaskShape& tasks);

// All prices are in USD per CPU-second of work.

// The charges of the class beside the use of its nodes, its data and its time slots.
double class_charges(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity);

// With the nodes and the data, without waiting.
inline double price_in(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity) {
  return group.price.value() + commodity.non_cpu_cost[group.zone] + class_charges(classes, group, commodity);
}

// visit(name, kind, USD per CPU-second) for each part of price_in() that is not 0.
template <class Visit>
void each_price(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity, const Visit& visit) {
  const auto part = [&](std::string_view name, PriceKind kind, double usd) {
    if (usd != 0) visit(name, kind, usd);
  };
  part("cpu", PriceKind::dollars, group.price.value());
  part("data", PriceKind::dollars, commodity.non_cpu_cost[group.zone] - commodity.virtual_cost[group.zone]);
  part("preference", PriceKind::preference, commodity.virtual_cost[group.zone]);
  const std::span<const PriceTerm> terms = price_terms();
  for (std::size_t i = 0; i < terms.size(); ++i)
    if ((commodity.charged >> i & 1) != 0) part(terms[i].name, terms[i].kind, terms[i].usd(classes, group, commodity));
}

}  // namespace lips

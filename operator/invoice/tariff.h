// What a cloud charges beside nodes, transfer (model/costs.h) and storage (a store's own price), and what a commitment
// covers already.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/data.h"

namespace lips {

struct RequestPrice {
  Usd read, write;  // of one request
};

// Instance-hours of on-demand nodes that are paid for whether they run or not (reserved instances).
struct Reserved {
  std::string instance_type;
  ZoneId zone;  // none: any
  double count = 0;
};

// Dollars an hour that are paid whether anything runs or not, and pay on-demand nodes at a discount (savings plan).
struct SavingsPlan {
  UsdPerHour committed;
  double discount = 0;  // of the on-demand price
  // Of the on-demand price, an hour.
  UsdPerHour covers() const { return committed / (1 - discount); }
};

struct Tariff {
  std::array<RequestPrice, store_kinds> requests{};  // by StoreKind
  std::vector<Reserved> reserved;
  SavingsPlan savings_plan;
  Duration least_life = std::chrono::seconds(60);  // of a node, on the bill
};

}  // namespace lips

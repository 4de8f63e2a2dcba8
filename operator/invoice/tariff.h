// Prices of requests, and commitments that cover nodes. Nodes and stores carry their own prices; model/costs.h has
// those of transfer.
#pragma once

#include <string>
#include <vector>

#include "base/enum_array.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/data.h"

namespace lips {

struct RequestPrice {
  Usd read, write;  // per request
};

// Reserved instances: hours of on-demand nodes that are paid for whether the nodes run or not.
struct Reserved {
  std::string instance_type;
  ZoneId zone;  // none: any
  double count = 0;
};

// A savings plan: dollars an hour that are paid whether anything runs or not, and that buy on-demand nodes at a
// discount.
struct SavingsPlan {
  UsdPerHour committed;
  double discount = 0;  // of the on-demand price
  // On-demand dollars an hour that the plan pays for.
  UsdPerHour covers() const { return committed / (1 - discount); }
  friend bool operator==(const SavingsPlan&, const SavingsPlan&) = default;
};

struct Tariff {
  EnumArray<StoreKind, RequestPrice> requests;
  std::vector<Reserved> reserved;
  SavingsPlan savings_plan;
  Duration least_life = std::chrono::seconds(60);  // shortest billable life of a node
  bool has_commitments() const { return !reserved.empty() || savings_plan.committed.value() > 0; }
};

}  // namespace lips

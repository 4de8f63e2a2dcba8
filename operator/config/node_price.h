// Price and speed of a node, from a price sheet, and how old the prices are that are in use. Values.
#pragma once

#include <string>

#include "base/units.h"

namespace lips {

struct NodePrice {
  UsdPerHour price;
  double speed = 1;        // CPU-seconds of work per core and second
  bool known = true;       // false: the configured default for its cores
  std::string as_of = {};  // date of the row of a sheet, YYYY-MM-DD; empty: nobody says
  bool fed = false;        // the row is one of the page that prices.metrics names: as old as its last answer
};

// The ages of the prices of nodes that are there or may be launched.
struct PricesInUse {
  std::string oldest;               // date, of those that are not fed; empty: none has one
  std::string instance_type, zone;  // that price's
  bool fed = false;                 // some are
  void note(const NodePrice& price, const std::string& type, const std::string& in_zone) {
    fed |= price.fed;
    if (price.fed || price.as_of.empty() || (!oldest.empty() && oldest <= price.as_of)) return;
    oldest = price.as_of, instance_type = type, zone = in_zone;
  }
  friend bool operator==(const PricesInUse&, const PricesInUse&) = default;
};

}  // namespace lips

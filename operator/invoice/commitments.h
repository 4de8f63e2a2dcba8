// Commitments as a configuration says them, with zones by name: spend that is paid whether anything runs or not.
#pragma once

#include <string>
#include <vector>

#include "invoice/tariff.h"

namespace lips {

struct Commitments {
  struct Nodes {                      // Reserved
    std::string instance_type, zone;  // no zone: any
    double count = 1;
    friend bool operator==(const Nodes&, const Nodes&) = default;
  };
  std::vector<Nodes> reserved;
  SavingsPlan savings_plan{UsdPerHour(0), 0.28};
  friend bool operator==(const Commitments&, const Commitments&) = default;
};

}  // namespace lips

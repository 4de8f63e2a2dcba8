// Assigns groups of supply to a few zones of convex, piecewise linear cost: the zone form (docs/solver.md). Exact, with
// duals and a lower bound from them. Knows no meaning of groups and zones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lips::solver {

inline constexpr std::size_t most_transportation_zones = 30;

struct ZoneStep {
  double capacity;
  double unit_price;
};

// minimise sum_gz unit_cost x_gz + sum_z price of sum_g x_gz by its steps + sum_g unserved_price o_g
// subject to sum_z x_gz + o_g = supply_g; a zone takes at most the sum of its steps. At most
// `most_transportation_zones`.
struct ZoneTransportation {
  std::vector<double> supply;                // one a group, >= 0
  std::vector<double> unserved_price;        // one a group; infinity: all of it must be placed
  std::vector<std::vector<ZoneStep>> steps;  // one list a zone, in any order; the cheapest are used first
  std::vector<double> unit_cost;             // [group * zones + zone]; infinity: the group may not go there
};

struct ZoneTransportationSolution {
  bool feasible = false;           // false only where an infinite price meets too little capacity
  std::vector<double> amount;      // [group * zones + zone]
  std::vector<double> unserved;    // one a group
  std::vector<double> zone_load;   // one a zone
  std::vector<double> zone_dual;   // price of one more unit of a zone's capacity at its margin
  std::vector<double> group_dual;  // cost of one more unit of a group's supply
  double objective = 0;
  double lower_bound = 0;  // from the duals, by weak duality, in the given numbers; equals the objective up to rounding
};

// Successive shortest paths on the graph of zones: a step takes groups x zones operations, not groups x steps. Ties go
// to the lower id.
ZoneTransportationSolution solve_zone_transportation(const ZoneTransportation& problem);

}  // namespace lips::solver

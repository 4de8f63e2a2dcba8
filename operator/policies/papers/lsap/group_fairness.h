// Fairness between groups as a cost: Guo, Fox and Zhou (MapReduce 2012), formulas (4) to (6), (9) to (11). Knows no
// task, slot or distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/settings.h"

namespace lips::lsap {

struct GroupUse {
  double weight = 1;          // of any scale; normalised to a sum of 1 (all 0: equal)
  std::uint64_t running = 0;  // rt
  std::uint64_t waiting = 0;  // ut
};

struct GroupCost {
  double chosen = 0;            // GFC: of the tasks that fill the group's share
  double rest = 0;              // (1 - w) beta: of its others
  std::uint64_t to_occupy = 0;  // sto: how many are chosen
};

// w of each group.
std::vector<double> normalised_weights(std::span<const GroupUse> groups);

// s / w is 0 where nothing runs, and where w is 0, because then none is chosen. beta 0: the least that makes every task
// beyond a share dearer than any within one, 100 / (least w (1 - greatest w)).
std::vector<GroupCost> group_costs(std::span<const GroupUse> groups, std::uint64_t slots, double beta,
                                   ShareRounding rounding);

// (11): the mean over groups of |s - w| / w. Groups of weight 0 are left out.
double fairness_distance(std::span<const GroupUse> groups);

}  // namespace lips::lsap

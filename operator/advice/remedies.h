// Single changes after which a waiting task starts at once. Each was tried: the policy was asked with it. Knows no
// words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "advice/change.h"
#include "advice/place.h"

namespace lips::advice {

enum class RemedyKind : std::uint8_t {
  another_zone,          // its constraint allows one more zone
  fewer_selectors,       // its constraint lacks one requirement
  that_node,             // its constraint names the node
  more_nodes,            // like an existing or offered one
  higher_priority,       // than that of every other waiting task
  higher_waiting_price,  // the least that suffices, within a hundredth
  higher_maximum,        // of its pool
};
std::string_view to_string(RemedyKind kind);

// Says whether the owner of the pod can do it; else it is for the administrator of the cluster.
constexpr bool is_for_owner(RemedyKind kind) {
  return kind == RemedyKind::another_zone || kind == RemedyKind::fewer_selectors || kind == RemedyKind::that_node ||
         kind == RemedyKind::higher_priority;
}

struct Remedy {
  RemedyKind kind = RemedyKind::more_nodes;
  Change change;
  std::string detail;       // the zone, the requirement's label, the node or the node that new ones resemble
  double amount = 0;        // of nodes, the priority, the price of waiting, the maximum's cores (0: none)
  Place place;              // where it starts; ids are those after the change
  std::string node;         // its name
  Usd dollars;              // for the task: its bill, or what new nodes cost meanwhile if that is more
  std::int64_t others = 0;  // how many more other tasks start at once; negative: fewer
};

// Cheapest first. `before` is the outcome without a change.
Result<std::vector<Remedy>> remedies_for(const Question& question, const Outcome& before, TaskId task);

}  // namespace lips::advice

// The rest of a node that a long task keeps.
//
// An elastic node is billed whole until its last task ends. A task of d seconds on a node that is paid for p < d in any
// case pays by use for its own share of d - p. The rest of the node is billed all the same, and where nobody else uses
// it, the task is the reason. In use is a part u of the node: the commodity's own tasks; or as much as all elastic
// nodes are in use now; or an eighth of what the pending tasks request that take at least as long. Tasks that come are
// expected to use half of the rest. So (1 + u) / 2 of the node work and (1 - u) / 2 do not, and a CPU-second of work
// costs (1 - p / d) (1 - u) / (1 + u) of one more.
#pragma once

#include "policies/lips/prices/price_term.h"

namespace lips {

// Sets what the classes say of it: `paid`, `in_use`, `pending`, `rest_from`.
void find_rest(const ClusterSnapshot& cluster, NodeClasses& classes);

// Says whether some class charges so many tasks, of so many seconds at speed 1, for a rest.
bool keep_rest(const NodeClasses& classes, const Resources& request, double seconds, double tasks);

// USD per CPU-second of work.
double price_of_rest(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity);

inline constexpr PriceTerm rest_of_node_term{"rest-of-node", PriceKind::dollars,
                                             [](const NodeClasses& classes, const TaskShape& tasks) {
                                               return keep_rest(classes, tasks.request, tasks.seconds, tasks.tasks);
                                             },
                                             price_of_rest};

}  // namespace lips

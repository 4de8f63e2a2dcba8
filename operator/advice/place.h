// A task on a node: where it would read, and its bill there. Decides nothing.
#pragma once

#include <optional>
#include <vector>

#include "advice/question.h"
#include "model/costs.h"

namespace lips::advice {

struct Place {
  NodeId node;
  StoreId read_from;  // none: it reads no block, or decodes it
  Locality locality = Locality::none;
  Bill bill;  // of the task there, by use
};

Place place_of(const Question& question, const Assignment& assignment);
// As a plan would assign it there: it reads the nearest replica, or decodes its lost block.
Place place_on(const Question& question, TaskId task, NodeId node);

// Says whether the node would take the task if nothing of ours ran there.
bool takes(const ClusterSnapshot& cluster, TaskId task, NodeId node);
// The cheapest of these nodes; none where there are none.
std::optional<Place> cheapest_of(const Question& question, TaskId task, const std::vector<NodeId>& nodes);

}  // namespace lips::advice

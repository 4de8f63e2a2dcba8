// Which remote reads leave an extra copy, and which of these are dropped again; the last replica never is.
#pragma once

#include <optional>

#include "policies/lips/demand/shared_data.h"
#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

// Says whether a copy in the reader's zone is worth its move.
class CopiesToKeep {
 public:
  // By the invoice a copy costs a move, and saves the transfer to a second reader, who is pending or has been there
  // before. By use every transfer that costs something leaves a copy. Counts the readers when it is first asked.
  CopiesToKeep(const PolicyInput& input, Billing billing, Usd move_cost);
  bool operator()(BlockId block, ZoneId from, ZoneId reader) const;

 private:
  bool is_read_again(BlockId block) const;

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const Billing billing_;
  const Usd move_cost_;
  mutable std::optional<PendingReads> pending_;
};

// Looks through the extra copies only when the last look is `review_every` ago; says so in plan.copies_reviewed.
void drop_idle_copies(const ClusterSnapshot& cluster, Duration idle, Plan& plan);

}  // namespace lips

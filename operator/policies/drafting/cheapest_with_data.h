// The node where CPU and data together cost a task least.
#pragma once

#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/draft.h"

namespace lips {

class CheapestWithData {
 public:
  CheapestWithData(const Draft& draft, JobId job, std::uint32_t group);
  // None when nothing fits; least id among equals.
  NodeId node(CheapestNodes& nodes, FreeCapacity::Kind kind) const;

 private:
  const ClusterSnapshot& cluster_;
  CpuSeconds work_;
  IdVector<ZoneId, Usd> data_;  // of what each task brings into the zone
};

}  // namespace lips

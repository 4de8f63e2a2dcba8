// The facts that packing asks about a portion again and again, close together: a million tasks have hundreds of
// thousands of portions, and their jobs and commodities lie all over memory.
#pragma once

#include <cstdint>
#include <set>

#include "policies/lips/market/workload.h"

namespace lips {

struct Demand {
  double work = 0;                     // CPU-seconds of one task
  double mebibytes = 0;                // that it reads
  double urgency = 0;                  // the least first, among equal priorities
  const Resources* request = nullptr;  // of each task
  CommodityId commodity;
  PoolId pool;
  std::int32_t priority = 0;
  std::uint32_t lane = 0;  // the same for equal pools and requests; the least are 0, 1, ...
  bool any_class = false;

  bool before(const Demand& other) const {
    return priority != other.priority ? priority > other.priority : urgency <= other.urgency;
  }
};

class Demands {
 public:
  // `first`: portions that go before all others; empty: none do.
  Demands(const ClusterSnapshot& cluster, const Workload& workload, const IdVector<PortionId, bool>& first = {});
  Demands(const Demands&) = delete;
  Demands& operator=(const Demands&) = delete;

  const Demand& operator[](PortionId portion) const { return of_[portion]; }
  std::size_t lanes() const { return lanes_; }
  // No task asks for less of anything that counts (fit_count).
  const Resources& least() const { return least_; }

 private:
  std::set<Resources> requests_;  // equal ones are one object
  std::size_t lanes_ = 0;
  IdVector<PortionId, Demand> of_;
  Resources least_;
};

}  // namespace lips

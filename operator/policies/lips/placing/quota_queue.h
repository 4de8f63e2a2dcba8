// Quotas of a zone or a class in their order, as packing uses them up. Those of one pool and one request are a lane:
// where the pool has no room for such a task, the lane is passed over at once, however long it is.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "policies/lips/placing/demands.h"
#include "policies/lips/placing/rounding.h"

namespace lips {

class QuotaQueue {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  QuotaQueue() = default;
  QuotaQueue(std::vector<Quota> quotas, const Demands& demands);

  bool empty() const { return heads_.empty(); }
  Quota& operator[](std::uint32_t i) { return quotas_[i]; }
  // The quotas that have tasks left, in their order.
  std::vector<Quota> left() &&;

  // A walk through the quotas that have tasks left, in their order.
  void restart();
  // The walk's next quota; none: its end.
  std::uint32_t next();
  // The walk goes on with the quota after the next one.
  void skip();
  // The walk goes on without the next one's lane.
  void skip_lane();

  // Tasks of the quota were taken. Ends the walk.
  void settle(std::uint32_t i);

 private:
  std::uint32_t after(std::uint32_t i) const;

  std::vector<Quota> quotas_;
  std::vector<std::uint32_t> in_lane_;  // the next quota of the same lane; none: the last
  std::vector<std::uint32_t> heads_;    // of lanes that have tasks left, in order
  std::size_t unseen_ = 0;              // lane whose head the walk has not come to
  std::vector<std::uint32_t> open_;     // a heap of quotas, one for each lane that the walk has come to
};

}  // namespace lips

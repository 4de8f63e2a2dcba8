// Says whether LiPS still steers pods of other schedulers: not while its plans fail their checks, and not in a pool
// that has overspent its budget of the day. Such pods are then left to their own schedulers. Decides by what it was
// told alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/pool_use.h"
#include "model/targets.h"

namespace lips {

class SteeringGuard {
 public:
  // After each plan: whether it passed its checks, and how far targets are held.
  void planned(TimePoint now, bool passed, const std::vector<TargetReport>& reports);
  // False: pools are steered whatever happens (fallBack).
  void set_falls_back(bool falls_back) { falls_back_ = falls_back; }
  // Nothing: the pool's pods are steered. As of the last plan.
  std::optional<LeftAloneBecause> why_not(const std::string& pool) const;

 private:
  std::optional<TimePoint> refused_since_, refused_last_;
  bool plans_refused_ = false, falls_back_ = true;
  std::map<std::string, std::string> overspent_;  // why, by pool; "": all together
};

}  // namespace lips

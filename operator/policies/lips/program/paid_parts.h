// The room of elastic nodes that is paid for in any case, as classes of its own. A job of another urgency than usual
// takes the dollars of a class lighter or heavier by a factor, and those of a class with such room are not all alike.
#pragma once

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"

namespace lips {

class PaidParts {
 public:
  // Parts the classes that such jobs may take.
  PaidParts(const NodeClasses& classes, const Workload& workload);
  bool none() const { return parted_.classes.empty(); }
  bool is_parted(ClassId c) const { return !none() && is_parted_[c]; }
  // Those that it was given, without the paid room of those that are parted; then the paid parts.
  const NodeClasses& classes() const { return parted_; }
  // Adds up the amounts in both parts of a class.
  Amounts add_up(const Amounts& parted) const;

 private:
  void part(ClassId c);

  NodeClasses parted_;
  IdVector<ClassId, bool> is_parted_;
  IdVector<ClassId, ClassId> of_;  // the class that was given
};

}  // namespace lips

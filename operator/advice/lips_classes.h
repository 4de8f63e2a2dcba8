// The classes of nodes and the price of waiting as the policy lips forms them for a question. Decides nothing.
#pragma once

#include "advice/question.h"
#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/supply/classes.h"

namespace lips::advice {

struct LipsClasses {
  NodeClasses classes;
  JobWeights weights;
  UsdPerCpuSecond wait;  // what an hour's wait of a CPU-second weighs in a plan, in the mean
  UsdPerCpuSecond wait_of(JobId job) const { return wait * weights.in_price.of(job); }  // of one of its
};

LipsClasses lips_classes(const Question& question);

}  // namespace lips::advice

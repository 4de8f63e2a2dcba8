// The classes of nodes and the price of waiting as the policy lips has them in a plan for a question. Decides nothing.
#pragma once

#include "advice/question.h"
#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/market/node_classes.h"

namespace lips::advice {

struct LipsClasses {
  NodeClasses classes;
  JobWeights weights;
  UsdPerCpuSecond wait;      // of an hour's wait of a CPU-second in a plan, in the mean
  bool small_first = false;  // small jobs are placed before all others of their priority
  UsdPerCpuSecond wait_of(JobId job) const { return wait * weights.in_price.of(job); }  // of one of the job's
};

LipsClasses lips_classes(const Question& question);

}  // namespace lips::advice

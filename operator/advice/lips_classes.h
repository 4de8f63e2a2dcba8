// The classes of nodes as the policy lips forms them for a question, for its prices and its order. Decides nothing.
#pragma once

#include "advice/question.h"
#include "policies/lips/classes.h"

namespace lips::advice {

NodeClasses lips_classes(const Question& question);
// What an hour's wait of a CPU-second weighs in a plan, in the mean.
UsdPerCpuSecond price_of_waiting(const Question& question, const NodeClasses& classes);
UsdPerCpuSecond price_of_waiting(const Question& question, const NodeClasses& classes, JobId job);  // of one of its

}  // namespace lips::advice

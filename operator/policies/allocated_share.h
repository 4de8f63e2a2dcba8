// The share of a node that is allocated, as kube-scheduler's score NodeResourcesFit sees it. Knows no node and no plan.
#pragma once

#include "model/nodes.h"

namespace lips {

// The mean of CPU and memory, as far as the node has them.
inline double allocated_share(const Resources& capacity, const Resources& left) {
  double sum = 0;
  int parts = 0;
  if (capacity.cpu.value() > 0) sum += 1 - left.cpu / capacity.cpu, ++parts;
  if (capacity.memory.value() > 0) sum += 1 - left.memory / capacity.memory, ++parts;
  return parts > 0 ? sum / parts : 0;
}

}  // namespace lips

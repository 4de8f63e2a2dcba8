// Room on a node that a plan keeps for tasks of a job: to come, or waiting for the rest of their room.
#pragma once

#include <cstdint>

#include "model/held_room.h"
#include "model/nodes.h"

namespace lips {

struct KeptSpot {
  JobId job;
  HeldFor reason = HeldFor::workers_to_come;
  Resources request;  // of one task
  std::uint32_t tasks = 0;
  NodeId node;
  OfferId asks;  // of which a node is asked for, so that this one stays; none: it stays anyway
};

}  // namespace lips

// Where the data of pending tasks lie.
#pragma once

#include "model/snapshot.h"

namespace lips {

// The group's own zones: those of its replicas, or the zone with most of the map output. Empty: anywhere.
ZoneSet own_zones(const Job& job, const TaskGroup& group);

}  // namespace lips

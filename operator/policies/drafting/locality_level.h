// Hadoop's three levels of locality. Where nodes have no racks a zone counts as one.
#pragma once

#include "model/nodes.h"
#include "model/work.h"

namespace lips {

enum class Level : std::uint8_t { node, rack, none };

inline Level level_of(Locality locality, const Node& node) {
  if (locality == Locality::node) return Level::node;
  if (locality == Locality::rack || (locality == Locality::zone && !node.rack.valid())) return Level::rack;
  return Level::none;
}

// Hadoop's delay scheduling: the locality level open to a job that has refused slots for this long since its last
// launch at that level.
inline Level allowed_level(Level last, Duration waited, Duration node_delay, Duration rack_delay) {
  switch (last) {
    case Level::node:
      return waited >= node_delay + rack_delay ? Level::none : waited >= node_delay ? Level::rack : Level::node;
    case Level::rack:
      return waited >= rack_delay ? Level::none : Level::rack;
    case Level::none:
      break;
  }
  return Level::none;
}

}  // namespace lips

// Bandwidth between the places where data and tasks are. 0 means: not limited.
#pragma once

#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/work.h"

namespace lips {

struct Network {
  MebibytesPerSecond local_read;     // a task reads the store of its own node
  MebibytesPerSecond node_link;      // a node's interface, each direction
  MebibytesPerSecond rack_link;      // a rack's uplink, each direction
  MebibytesPerSecond zone_link;      // between two zones, each direction
  MebibytesPerSecond zone_stream;    // one transfer inside a zone
  MebibytesPerSecond remote_stream;  // one transfer across zones
  static constexpr auto fields =
      field_names("localRead", "nodeLink", "rackLink", "zoneLink", "zoneStream", "remoteStream");

  // The rate of one reader at a level of locality when nobody else uses the links.
  MebibytesPerSecond stream(Locality level) const;
};

}  // namespace lips

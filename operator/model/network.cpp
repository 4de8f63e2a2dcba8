#include "model/network.h"

#include <initializer_list>

namespace lips {

namespace {

MebibytesPerSecond least(std::initializer_list<MebibytesPerSecond> limits) {
  MebibytesPerSecond result;
  for (MebibytesPerSecond limit : limits)
    if (limit.value() > 0 && (result.value() == 0 || limit < result)) result = limit;
  return result;
}

}  // namespace

MebibytesPerSecond Network::stream(Locality level) const {
  switch (level) {
    case Locality::node:
      return local_read;
    case Locality::rack:
      return least({zone_stream, node_link});
    case Locality::zone:
      return least({zone_stream, node_link, rack_link});
    case Locality::remote:
      return least({remote_stream, node_link, rack_link, zone_link});
    case Locality::none:
      break;
  }
  return MebibytesPerSecond(0);
}

}  // namespace lips

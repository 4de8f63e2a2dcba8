// What the model of `lips` counts. Each kind of index has a type of its own, as the rows and columns of a program have.
#pragma once

#include "base/ids.h"

namespace lips {

using ClassId = Id<struct ClassTag>;  // of nodes that the model cannot tell apart
using PortionId = Id<struct PortionTag>;
using CommodityId = Id<struct CommodityTag>;
using SharedObjectId = Id<struct SharedObjectTag>;

}  // namespace lips

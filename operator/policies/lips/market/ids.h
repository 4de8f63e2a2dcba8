// Indices of the model of `lips`. Each kind has a type of its own, like the rows and columns of a program.
#pragma once

#include "base/ids.h"

namespace lips {

using ClassId = Id<struct ClassTag>;  // of nodes that the model cannot tell apart
using PortionId = Id<struct PortionTag>;
using CommodityId = Id<struct CommodityTag>;
using SharedObjectId = Id<struct SharedObjectTag>;

}  // namespace lips

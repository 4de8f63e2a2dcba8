// The bounds of two amounts of resources, resource by resource.
#pragma once

#include "model/nodes.h"

namespace lips {

Resources least_of_each(const Resources& a, const Resources& b);
Resources most_of_each(const Resources& a, const Resources& b);

}  // namespace lips

// Reads ConfigMaps.
#pragma once

#include <string>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// The texts of the ConfigMap's data, by key; none if `object` is not one.
TextMap config_map_texts(const std::string& object);

}  // namespace lips::kubernetes

// ConfigMaps: requests for one, and its texts.
#pragma once

#include <string>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

ApiRequest config_map_read(const std::string& name_space, const std::string& name);
// Creates it, or merges the texts into it. May be sent again.
ApiRequest config_map_write(const std::string& name_space, const std::string& name, Verb verb, const TextMap& texts);

// The texts of the ConfigMap's data, by key; none if `object` is not one.
TextMap config_map_texts(const std::string& object);

}  // namespace lips::kubernetes

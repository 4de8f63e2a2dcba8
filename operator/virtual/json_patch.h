// Patches as kube-apiserver applies them: JSON merge patch (RFC 7396), and strategic merge patch for the lists that
// merge by a key. Pure.
#pragma once

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

void merge_patch(Json& object, const Json& patch);

// Lists of schedulingGates, containers, tolerations' owners and conditions merge by their keys; {"$patch": "delete"}
// removes an element. Every other list is replaced.
void strategic_merge_patch(Json& object, const Json& patch);

}  // namespace lips::virtual_cluster

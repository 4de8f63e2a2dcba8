// Patches as kube-apiserver applies them: JSON merge patch (RFC 7396), and strategic merge patch for the lists that
// merge by a key. JSON patches (RFC 6902) are those of the JSON library. Pure.
#pragma once

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

inline constexpr const char* json_patch_type = "application/json-patch+json";

void merge_patch(Json& object, const Json& patch);

// Lists of schedulingGates, containers, owners and conditions merge by their keys; {"$patch": "delete"} removes an
// element, and "replace" a whole map. Finalizers are a set, from which "$deleteFromPrimitiveList/finalizers" takes.
// Every other list is replaced.
void strategic_merge_patch(Json& object, const Json& patch);

}  // namespace lips::virtual_cluster

// A PodGroup (scheduling.k8s.io): pods of which so many start together or none does. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct PodGroup {
  ObjectMeta meta;
  std::optional<std::int32_t> gang;         // the least number that starts together; none: each pod starts for itself
  std::vector<std::string> not_understood;  // fields that say where its pods may run, and that nobody honours here
  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

// Reads what the versions v1alpha2, v1alpha3 and v1beta1 have in common. Refuses a scheduling policy that it does not
// know.
using PodGroupDecoder = ObjectDecoder<PodGroup>;

}  // namespace lips::kubernetes

// The name of the one item of a Secret for a pod of the mover.
#pragma once

namespace lips::kubernetes {

inline constexpr const char* pod_secret_item = "word";

}  // namespace lips::kubernetes

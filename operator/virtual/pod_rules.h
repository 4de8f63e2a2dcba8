// The registry of pods of kube-apiserver: what it fills in, checks and adds when a pod is made, assigned, evicted or
// deleted. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// A pod begins as Pending, and says so if it is gated.
void begin_pod(Json& pod);
// Why it cannot be assigned; empty: it can.
std::string hindrance(const Json& pod);
void assign_pod(Json& pod, const Json& binding, TimePoint now);
void mark_eviction(Json& pod, TimePoint now);
// Seconds until a pod that is deleted now is removed. None are given to one without a node, and to one that has ended.
std::int64_t grace_of(const Json& pod, std::optional<std::int64_t> wanted);

}  // namespace lips::virtual_cluster

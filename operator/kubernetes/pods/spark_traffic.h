// The answer of a Spark driver's REST API about the bytes that its executors have read and exchanged so far. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kubernetes/pods/learned_traffic.h"

namespace lips::kubernetes {

// The answer to .../allexecutors: of all executors of the run, also of those that are gone. What they exchange is what
// they read of each other or, while they have not read it all, what they wrote. The error quotes nothing of the answer,
// because anybody's pod may have written it.
Result<Traffic> read_spark_traffic(std::string_view answer);

// Where a driver at that address of the pods' network answers for this run.
std::string spark_traffic_url(const std::string& address, std::int32_t port, const std::string& run);

}  // namespace lips::kubernetes

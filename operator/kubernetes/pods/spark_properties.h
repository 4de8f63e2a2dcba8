// The executors by the properties of a Spark application: how many it starts with, and what each requests.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct SparkExecutors {
  std::optional<std::int32_t> count;  // none: dynamic allocation without a least or initial number
  ResourceAmounts each;
  friend bool operator==(const SparkExecutors&, const SparkExecutors&) = default;
};

// The file spark.properties, as spark-submit writes it for the driver. What makes no sense counts as not said, as the
// driver itself will complain of it.
SparkExecutors read_spark_executors(std::string_view properties);

// The name of the volume of a driver pod with that file.
inline constexpr std::string_view spark_properties_volume = "spark-conf-volume-driver";
inline constexpr const char* spark_properties_file = "spark.properties";

}  // namespace lips::kubernetes

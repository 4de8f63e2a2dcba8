// The data sets that are within the limits of their namespaces, and of all namespaces together. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/data/access.h"

namespace lips::kubernetes {

// The part that a data set takes of the limits in TenantRules.
struct DataSetSize {
  std::int64_t blocks = 0, files = 0, bytes = 0;
  std::int64_t places = 0;  // blocks and their replicas: what the model keeps in memory
  TimePoint created;
  friend bool operator==(const DataSetSize&, const DataSetSize&) = default;
};
DataSetSize size_in_limits(const DataSetResource& set, const DataLayout& layout);

class DataLimits {
 public:
  explicit DataLimits(const TenantRules& rules) : rules_(rules) {}

  // `name`: "namespace/name".
  void put(const std::string& name, const DataSetSize& size);
  void forget(const std::string& name);
  // Compares all with the limits again, and names those that are beyond them since, or no longer. Within a namespace
  // older data sets come first, so a new one takes no room from those that are there. Among namespaces those come first
  // that have least, each with its smallest sets: what one declares costs others nothing as long as they have less.
  std::vector<std::string> review();
  // A sentence; empty: the data set is within all limits.
  std::string why_beyond(const std::string& name) const;

 private:
  enum class Limit : std::uint8_t { of_namespace, of_all };
  std::map<std::string, Limit> beyond_limits() const;

  const TenantRules rules_;
  bool changed_ = false;
  std::map<std::string, DataSetSize> sizes_;
  std::map<std::string, Limit> beyond_;
};

}  // namespace lips::kubernetes

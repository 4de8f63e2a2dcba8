// Converts the JSON of DataStores, Pools and DataMoves to values. Refuses content that the server would not admit, with
// name and field; validation.h finds errors of substance.
#pragma once

#include <string_view>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

Result<DataStoreResource> decode_data_store(std::string_view json);
Result<PoolResource> decode_pool(std::string_view json);
Result<DataMoveResource> decode_data_move(std::string_view json);

// Enough of any object to write a condition to it: metadata and status.conditions.
struct ConditionedObject {
  ResourceMeta meta;
  std::vector<ObjectCondition> conditions;
};
Result<ConditionedObject> decode_conditions(DataKind kind, std::string_view json);

}  // namespace lips::kubernetes

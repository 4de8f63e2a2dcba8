// From the JSON of DataStores, Pools and DataMoves to values. What the server would not have let in is refused with the
// object's name and field; what is wrong in substance is for validation.h.
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

// Data sets that pods of a namespace may read: their own, and those whose readers list them.
#pragma once

#include <functional>
#include <string>

#include "kubernetes/adapter/model_index.h"

namespace lips::kubernetes {

// Says whether pods of that namespace may read another's data set; none: all may.
using MayRead = std::function<bool(const std::string& data_set, const std::string& name_space)>;

// Null: there is none of that name with blocks, or they may not read it.
inline const ModelIndex::KnownDataSet* readable_data_set(const ModelIndex& index, const std::string& name,
                                                         const std::string& name_space, const MayRead& may_read) {
  const ModelIndex::KnownDataSet* data_set = index.data_set(name);
  if (!data_set || data_set->native_blocks == 0) return nullptr;
  return name.starts_with(name_space + '/') || !may_read || may_read(name, name_space) ? data_set : nullptr;
}

}  // namespace lips::kubernetes

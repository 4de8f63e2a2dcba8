// The blocks of a data set and their replicas, as a listing of the model has them.
#pragma once

#include <functional>
#include <string>

#include "kubernetes/adapter/data_view.h"
#include "model/snapshot.h"

namespace lips::kubernetes {

// Appends the data set's blocks to those of `start`. `readable_store`: the store of that name; none where nobody can
// read it now.
void add_blocks(const DataSetEntry& set, DataSetId id, const std::function<StoreId(const std::string&)>& readable_store,
                ClusterSnapshot& start);

}  // namespace lips::kubernetes

// Bodies of merge patches to custom resources. They carry the version that was read: the server refuses them if the
// object has changed since.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

// With this one in its place, or at the end; its time only changes with the status.
std::vector<ObjectCondition> with_condition(std::vector<ObjectCondition> conditions, ObjectCondition changed);
std::string move_status_patch(const DataMoveResource& move, const DataMoveStatus& status, TimePoint now);
// The use of the pool, and all of its conditions.
std::string pool_patch(const PoolResource& pool, const PoolStatus& status);
// Zones and size as people read them.
std::string summary_patch(const DataSetResource& set, const DataSetStatus& status);
std::string replicas_patch(const DataSetResource& set, const std::vector<HeldBlocks>& replicas);
// Blocks and size as they are now, and discovered values if `discovered`.
std::string data_set_patch(const DataSetResource& set, const DataSetStatus& status, bool discovered);
// Without conditions, and without copies that nobody owns.
std::string store_patch(const DataStoreResource& store, const DataStoreStatus& status);
std::string unowned_patch(const DataStoreResource& store, const UnownedCopies& unowned);
// The whole list of conditions with this one in it.
std::string condition_patch(const ResourceMeta& meta, const std::vector<ObjectCondition>& conditions,
                            ObjectCondition changed);
std::string finalizers_patch(const ResourceMeta& meta, const std::vector<std::string>& finalizers);

std::string data_move_json(const std::string& name, const DataMoveSpec& spec);

}  // namespace lips::kubernetes

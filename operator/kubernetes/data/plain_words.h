// Amounts and places in statuses as people read them, for the columns of kubectl get. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/data/access.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

std::string size_words(std::int64_t bytes);  // "12.3 GiB"
// The zones of stores that hold blocks of it; a store without a zone by its region or its name.
std::string zone_words(const DataSetStatus& status, const StoreMap& stores);
// With the conditions of what it uses, as of no time or generation yet: TargetsHeld of a pool with targets, and Steered
// of one that is not steered at present.
PoolStatus pool_words(const PoolUse& use);
inline constexpr const char* condition_targets_held = "TargetsHeld";
inline constexpr const char* condition_steered = "Steered";
// With words on its bytes, on what the copy costs and on what earns that, from when the copying begins. `to`: nullptr
// if that store is unknown, as may be the price.
DataMoveStatus with_words(const DataMoveSpec& move, DataMoveStatus status, const DataStoreResource* to,
                          std::optional<UsdPerMebibyte> price);

}  // namespace lips::kubernetes

// The place of a bucket, however its endpoint is spelled. Pure.
#pragma once

#include <string>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

// Equal for two spellings of one endpoint: scheme and host in any case, with or without the usual port, slashes at the
// end. All endpoints of a cloud whose buckets have names of their own in the whole cloud are one.
std::string bucket_place(const DataStoreSpec& store);

}  // namespace lips::kubernetes

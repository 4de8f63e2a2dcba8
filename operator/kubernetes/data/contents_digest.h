// A digest by which consecutive blocks of a data set are known again. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/data/data_layout.h"

namespace lips::kubernetes {

// A digest of the data set's uid, and of the place, the size and the declared checksum of each file with one of the
// blocks. Files added behind them leave the digest as it is; other bytes, or another place in a store, change it.
std::string contents_digest(const std::string& uid, const DataLayout& layout, std::uint32_t first, std::uint32_t count);

}  // namespace lips::kubernetes

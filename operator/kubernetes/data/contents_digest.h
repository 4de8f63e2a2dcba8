// A digest by which consecutive blocks of a data set are known again. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/data/data_layout.h"

namespace lips::kubernetes {

// Of the data set's uid, and of the place, the size and the declared checksum of each file with one of the blocks.
// Equal after files were added behind them; another one where they are other bytes, or lie elsewhere in a store.
std::string contents_digest(const std::string& uid, const DataLayout& layout, std::uint32_t first, std::uint32_t count);

}  // namespace lips::kubernetes

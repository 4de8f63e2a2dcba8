// Says why a DataSet may not be written with another status: the server refuses objects that are too large. Pure.
#pragma once

#include <functional>
#include <string>

#include "kubernetes/data/data_catalog.h"

namespace lips::kubernetes {

// A sentence; empty: it fits. `before` and `after`: the same part of the object as a patch, as it is and as it would
// be.
std::string why_too_large(const CatalogDataSet& set, const std::string& before, const std::string& after);

// Takes the answer to such a write: it fits, or the server finds it too large after all.
std::function<void(const Answer&)> size_learner(DataCatalog& catalog, const std::string& data_set);

}  // namespace lips::kubernetes

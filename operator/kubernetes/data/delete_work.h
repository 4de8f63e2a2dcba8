// The files that a Job of a move deletes, and the replica for which it looks first. Sends nothing.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/replica_ledger.h"

namespace lips::kubernetes {

// Files of marked blocks that are no longer held. An original file is deleted only when no block in it is held there
// any more and no other data set uses it.
std::vector<std::string> paths_to_delete(const DataCatalog& catalog, const CatalogDataSet& set,
                                         const LedgerEntry& entry, bool clean);

// Names a store that holds all blocks of the drop and that the same pod can look at, if there is one.
void show_another_replica(const DataCatalog& catalog, const CatalogDataSet& set, const LedgerEntry& entry,
                          DeleteWork& drop);

}  // namespace lips::kubernetes

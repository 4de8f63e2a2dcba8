// The known data under a path such as s3a://bucket/folder: the blocks of the data sets whose files lie
// there. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/pods/data_path.h"
#include "kubernetes/pods/pod_record.h"

namespace lips::kubernetes {

// By data set, then block; of data sets that pods of the namespace may read. Empty: nobody has described what lies
// there, and it costs the same from every zone, because the bucket lies beside all of them. The error `not_found` is
// the same whether there is nothing or something that the namespace may not read.
Result<std::vector<BlockRun>> data_under(const DataPath& path, const DataCatalog& catalog,
                                         const std::string& name_space);

using PathLookup = std::function<Result<std::vector<BlockRun>>(const std::string& path, const std::string& name_space)>;

}  // namespace lips::kubernetes

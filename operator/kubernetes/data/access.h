// Access of namespaces to data: which paths of a store a namespace may name, who may read a data set, and from where
// files may be discovered. Pure; users are the API server's concern.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/name_nodes.h"
#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

using StoreMap = std::map<std::string, DataStoreResource>;

// The limits that the cluster's owner sets for all namespaces.
struct TenantRules {
  std::int64_t blocks = 2'000'000, files = 100'000;  // of a namespace's data sets together
  std::int64_t bytes = 0;                            // of their native blocks, each counted once; 0: no limit
  std::vector<NameNode> discover_from;               // no others are contacted
  std::int64_t places = 3'000'000;                   // blocks and replicas of all data sets of all namespaces
};

// "lips-copies": the folder that moves write to; no data set may have originals there.
inline constexpr const char* copies_root = "lips-copies";

// Says whether pods of that namespace may read it: its own, and those that spec.readers names.
bool may_read(const DataSetResource& set, const std::string& name_space);

// Says whether data sets of that namespace may have originals at that path: in its own folder, NAMESPACE/, or anywhere
// in a store that allows the namespace; in no case among the copies.
bool may_lie(const DataStoreSpec& store, const std::string& name_space, const std::string& path);

// Says whether the store holds originals of the data set. The status decides for a store that it names, the spec for
// one that the operator has not adopted yet.
bool has_originals(const DataSetResource& set, const std::string& store);

// A sentence with the first store in which the data set names files that its namespace may not use; empty: there is
// none.
std::string foreign_data(const DataSetResource& set, const DataLayout& layout, const StoreMap& stores);

// Says whether the data set names, or may come to name, that file of the store as an original, or a file below it.
// While its files are not known yet, every file in its folder counts.
bool names_original(const DataSetResource& set, const Result<DataLayout>& layout, const std::string& store,
                    const std::string& path);

// Why its files must not be discovered there: a folder of a store that its namespace may not use, or something in HDFS
// that it may not have discovered (hdfs_access.h). Empty: they may.
std::string foreign_discovery(const DataSetResource& set, const StoreMap& stores, const TenantRules& rules);

}  // namespace lips::kubernetes

// Whose data whom: what a namespace may name in a store, who may read a data set, and from where files may be
// discovered. Pure; knows nothing of users, whom the API server knows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

using StoreMap = std::map<std::string, DataStoreResource>;

// What the cluster's owner allows all namespaces.
struct TenantRules {
  std::int64_t blocks = 2'000'000, files = 100'000;  // of a namespace's data sets together
  std::vector<std::string> discover_from;            // URLs of name nodes; those of no other are fetched
};

// "lips-copies": what moves write; no data set lays originals down there.
inline constexpr const char* copies_root = "lips-copies";

// Whether pods of that namespace may read it: its own, and those that spec.readers names.
bool may_read(const DataSetResource& set, const std::string& name_space);

// Whether data sets of that namespace may have originals at that path: in its own folder, NAMESPACE/, or anywhere in a
// store that allows the namespace; in no case among the copies.
bool may_lie(const DataStoreSpec& store, const std::string& name_space, const std::string& path);

// A sentence with the first store in which the data set names what is not its namespace's; empty: there is none.
std::string foreign_data(const DataSetResource& set, const DataLayout& layout, const StoreMap& stores);

// Whether the data set says, or may come to say, that in that store the file is an original of its own, or holds one
// as a folder. Where nobody knows its files yet every file in its folder counts.
bool names_original(const DataSetResource& set, const Result<DataLayout>& layout, const std::string& store,
                    const std::string& path);

// What is wrong with where it is to be discovered: a folder that is not the namespace's, a URL that is not on the list
// or is none. Empty: nothing.
std::string foreign_discovery(const DataSetResource& set, const StoreMap& stores, const TenantRules& rules);

}  // namespace lips::kubernetes

// Writes lips.dev/input, which says what a task reads: a path if its node has the store, else a URL. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/store_key.h"

namespace lips::kubernetes {

struct InputRequest {
  const CatalogDataSet* set = nullptr;
  std::uint32_t block = 0;
  const DataStoreResource* store = nullptr;          // that is read
  std::string node;                                  // where the task will run
  const std::vector<std::string>* claims = nullptr;  // of the movers' namespace that the pod mounts; null: none
  const StoreKey* key = nullptr;                     // of stores that the operator serves; null: none is known
  // lips.dev/data-path of the pod: where it mounts a store of its node; empty: at the path of the store.
  std::string mounted_at;
};

// "/srv/data/books/block-00003", "https://files.example/books/all.txt", "http://FOLDER:PASSWORD@10.1.0.7:8080/all.txt"
// where the operator serves the store, "s3://bucket/prefix/books/all.txt". A block that
// is a part of a file ends in "#bytes=OFFSET-LAST". Error: the store holds no replica, or nobody serves it.
Result<std::string> task_input(const InputRequest& request);
// Containers get the input as an environment variable, and Linux starts no process with one of over 128 KiB.
inline constexpr std::size_t longest_input = 120'000;  // bytes

// For several blocks in order, all in the same store: one line each, but one for neighbours in one file. Ends with the
// line that makes it longer than `longest_input`.
Result<std::string> task_inputs(const InputRequest& request, std::uint32_t count);

// The sources from which the request's lost block is decoded (model/degraded_input.h): blocks of its stripe, each with
// the store to read; a store that is gone is null.
using StripeStore = std::pair<std::uint32_t, const DataStoreResource*>;
Result<std::string> degraded_task_input(InputRequest request, const std::vector<StripeStore>& sources);

}  // namespace lips::kubernetes

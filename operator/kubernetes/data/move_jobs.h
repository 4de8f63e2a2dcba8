// The JSON of the Jobs and pods in which rclone copies, serves, lists and deletes blocks. Sends nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/mover_objects.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct WorkResources {  // of each container; 0: no limit
  double cpu_request = 0, cpu_limit = 0;
  Mebibytes memory_request, memory_limit;
};

struct WorkSettings {
  std::string name_space;  // of Jobs, Secrets and claims
  std::string image;       // has rclone and a shell with sha256sum
  std::string pull_policy;
  std::string service_account;        // of the pods; none gets its token
  std::string scheduler;              // empty: the cluster's own
  std::int64_t bytes_per_second = 0;  // of one Job; 0: no limit
  std::int32_t run_as_user = -1;      // for pods that mount no directory of a node; -1: the namespace decides
  WorkResources resources = {};
  std::string pod_spec = {};  // JSON that is merged into the pods' spec
};

// Checks a text for WorkSettings::pod_spec.
Result<void> check_pod_spec(const std::string& text);

struct CarriedBlock {
  std::uint32_t number = 0;
  FilePart from, to;
};

inline constexpr std::uint32_t most_blocks_of_a_move = 2000;

// Says whether a pod has to serve the blocks, because no single pod can mount both stores.
bool needs_source_pod(const DataStoreSpec& from, const DataStoreSpec& to);

struct CopyWork {
  const DataMoveResource* move = nullptr;
  const DataStoreResource *from = nullptr, *to = nullptr;
  std::vector<CarriedBlock> blocks;
  std::string source_address;  // of the serving pod, if one is needed
};
// Serves the old replicas, and their checksums, to the Job of the same move. Both have the password of this move alone,
// from its source_secret_json().
std::string source_pod_json(const CopyWork& work, const WorkSettings& settings);
// The time after which the Job of one attempt ends, wherever it is.
std::chrono::seconds longest_copy(std::int64_t bytes, const WorkSettings& settings);
// Copies to temporary names, verifies against the source's checksums, renames.
std::string copy_job_json(const CopyWork& work, const WorkSettings& settings);

struct DeleteWork {
  const DataMoveResource* move = nullptr;
  const DataStoreResource* store = nullptr;
  bool clean = false;  // deletes the rest of a failed copy, else a dropped source
  std::vector<std::string> paths;
  // Another store with these blocks, where one pod can look at both. After a restored backup a file may be the last
  // one, whatever the statuses say. Of a clean, the store from which they were copied: a file stays unless its block
  // can be read there. Of a drop, one that holds them all: nothing is deleted unless all can be read there.
  const DataStoreResource* from = nullptr;
  std::vector<CarriedBlock> blocks = {};
};
std::string delete_job_json(const DeleteWork& work, const WorkSettings& settings);

// Serves a store to readers elsewhere, as long as the DataStore exists. Has the key of this store alone, from its
// serve_secret_json(), which has the pod's name.
std::string serve_pod_json(const DataStoreResource& store, const std::string& name, const WorkSettings& settings);
inline constexpr int serve_port = 8080;

// Lists a folder of a store; the listing is written to the log of its pod.
std::string list_job_json(const DataSetResource& set, const DataStoreResource& store, const WorkSettings& settings);
// Fetches URLs one after another; the answers are written to the log of its pod, one line each.
std::string fetch_job_json(const DataSetResource& set, const std::string& name, const std::vector<std::string>& urls,
                           const WorkSettings& settings);
// Lists the folders of a store in which copies lie, with the number and size of their files, to the log of its pod.
std::string look_job_json(const DataStoreResource& store, const std::string& name, const WorkSettings& settings);
// Deletes all copies of a deleted data set from a store.
std::string purge_job_json(const DataSetResource& set, const DataStoreResource& store, const WorkSettings& settings);

// Names are derived from uids, so that sending a request twice makes one object.
std::string copy_job_name(const DataMoveResource& move, std::int32_t attempt);
std::string delete_job_name(const DataMoveResource& move, bool clean, std::int32_t attempt);
std::string source_pod_name(const DataMoveResource& move);
std::string list_job_name(const DataSetResource& set);
std::string purge_job_name(const DataSetResource& set, const DataStoreResource& store);
std::string jobs_path(const std::string& name_space);
std::string pods_path_of(const std::string& name_space);

}  // namespace lips::kubernetes

// The custom resources of lips.dev/v1alpha1 as plain values. Knows no JSON; what they mean for planning is for others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/data/block_ranges.h"
#include "model/data.h"
#include "model/move_phase.h"
#include "model/pod_mode.h"
#include "model/pool_use.h"
#include "model/targets.h"
#include "model/work.h"

namespace lips::kubernetes {

inline constexpr const char* data_api_version = "lips.dev/v1alpha1";

enum class DataKind : std::uint8_t { data_set, data_store, pool, data_move };
inline constexpr DataKind data_kinds[] = {DataKind::data_set, DataKind::data_store, DataKind::pool,
                                          DataKind::data_move};
const char* kind_name(DataKind kind);    // DataSet
const char* plural_name(DataKind kind);  // datasets
// The path of one object, or, without a name, of all of them.
std::string resource_path(DataKind kind, const ObjectMeta& meta);
std::string all_resources_path(DataKind kind);

struct ObjectCondition {
  std::string type;
  ConditionStatus status = ConditionStatus::unknown;
  std::string reason, message;
  TimePoint since{};
  std::int64_t generation = 0;
  friend bool operator==(const ObjectCondition&, const ObjectCondition&) = default;
};
const ObjectCondition* find_condition(const std::vector<ObjectCondition>& conditions, std::string_view type);

struct ResourceMeta {
  ObjectMeta object;
  std::int64_t generation = 0;
  TimePoint created{};
  bool deleting = false;
  std::vector<std::string> finalizers;
  TextMap labels;  // those under lips.dev/
};

// ---- DataSet ----

struct DataFile {
  std::string path;  // from the store's root
  std::int64_t size = 0;
  std::string sha256;  // of the whole file; empty: not known
  friend bool operator==(const DataFile&, const DataFile&) = default;
};

struct PlacedBlocks {
  std::string store;
  std::optional<BlockRanges> blocks;  // none: all
};

struct HostStore {
  std::string host, store;
};

struct DiscoveryRequest {
  enum class Source : std::uint8_t { none, listing, hdfs };
  Source source = Source::none;
  std::string store;  // of a listing
  std::string path;
  std::string include;           // of a listing: a pattern of file names, as rclone has them
  std::string url, user;         // of HDFS: the name node's WebHDFS
  std::vector<HostStore> hosts;  // of HDFS: which DataStore is which data node
  Duration every{};              // 0: once
};

struct DataSetSpec {
  std::optional<std::int64_t> size;    // bytes
  std::optional<std::int64_t> blocks;  // native ones
  std::int64_t block_size = 0;         // 0: a file is a block
  std::string path;                    // of implied files; empty: namespace/name
  std::vector<DataFile> files;
  std::vector<PlacedBlocks> stores;
  ErasureCode code;
  DiscoveryRequest discover;
  std::vector<std::string> readers;  // namespaces whose pods may read it beside its own; *: all
};

// The blocks of a data set in one store.
struct HeldBlocks {
  std::string store;
  BlockRanges blocks;  // verified replicas
  BlockRanges copies;  // that a move wrote, or writes: one file per block
  BlockRanges extra;   // those of `blocks` that may be dropped again
  // Blocks that nobody may begin to read: about to go, or gone from `blocks` while their files remain.
  BlockRanges leaving;
  friend bool operator==(const HeldBlocks&, const HeldBlocks&) = default;
};

struct DataSetStatus {
  std::int64_t observed_generation = 0;
  std::int64_t blocks = 0, size = 0;
  std::vector<DataFile> files;       // discovered
  std::vector<HeldBlocks> replicas;  // sorted by store
  std::optional<TimePoint> discovered;
  std::string zones, size_text;  // as people read them
  std::vector<ObjectCondition> conditions;
};

struct DataSetResource {
  ResourceMeta meta;
  DataSetSpec spec;
  DataSetStatus status;
};

// ---- DataStore ----

struct DataStoreSpec {
  StoreKind kind = StoreKind::node_directory;
  std::string zone;
  std::int64_t capacity = 0;  // bytes; 0: no limit
  std::string endpoint;       // where all can read it; empty: the operator serves it
  bool serve = true;          // whether the operator may serve it where there is no endpoint
  std::string node, path;     // node directory; path also: where tasks see a volume
  std::string claim;          // volume: the PersistentVolumeClaim in the operator's namespace
  std::string bucket, prefix, bucket_endpoint, region, provider, secret;
  std::vector<std::string> allowed_name_spaces;  // may have files anywhere in it; all may in NAMESPACE/; *: all
};

// Files below lips-copies that belong to no DataSet and to no DataMove.
struct UnownedFolder {
  std::string path;  // from the store's root
  std::int64_t copies = 0, bytes = 0;
  TimePoint since{};  // when it was first seen
  friend bool operator==(const UnownedFolder&, const UnownedFolder&) = default;
};
struct UnownedCopies {
  TimePoint looked{};  // when the last look began
  std::int64_t copies = 0, bytes = 0;
  std::vector<UnownedFolder> examples;
  friend bool operator==(const UnownedCopies&, const UnownedCopies&) = default;
};

struct DataStoreStatus {
  std::int64_t observed_generation = 0;
  std::int64_t used = 0;  // bytes
  std::string endpoint;
  std::string node_uid;                  // of the node that had the directory when it was first seen
  std::optional<UnownedCopies> unowned;  // none: nobody has looked
  std::vector<ObjectCondition> conditions;
};

struct DataStoreResource {
  ResourceMeta meta;
  DataStoreSpec spec;
  DataStoreStatus status;
};

// ---- Pool ----

struct PoolSpec {
  double weight = 1;
  double minimum = 0, maximum = 0;               // cores; 0: none
  double shortfall_usd_per_cpu_hour = 0;         // worth of an hour of a core below its share; 0: not priced
  std::vector<std::string> name_spaces;          // whose pods belong to it without saying so
  std::vector<std::string> allowed_name_spaces;  // whose pods may choose it; "*": all
  std::string parent;
  std::optional<PodMode> mode;  // none: the operator's
  ReclaimRule reclaim = ReclaimRule::never;
  Targets targets;
  std::string targets_refused;  // why there are none although some are written; empty: nothing is wrong with them
  friend bool operator==(const PoolSpec&, const PoolSpec&) = default;
};

// The message for a pod that names a pool that does not exist.
std::string no_such_pool(const std::string& name);

struct PoolStatus {
  std::int64_t observed_generation = 0;
  std::string cores, share, usd_per_hour, targets;  // as people read them
  // Parts of its dominant resource, and USD of a core-hour, as people read them; empty: there are no shares.
  std::string entitlement, dominant_share, lent, borrowed, price_of_sharing;
  std::optional<TimePoint> below_since;
  std::int64_t running = 0, pending = 0;
  std::vector<ObjectCondition> conditions;
  bool operator==(const PoolStatus&) const = default;
};

struct PoolResource {
  ResourceMeta meta;
  PoolSpec spec;
  PoolStatus status;
};

// ---- DataMove ----

struct DataMoveSpec {
  std::string data_set_name_space, data_set;
  std::optional<BlockRanges> blocks;  // none: all that `from` holds
  std::string from, to;               // without `to` the replicas in `from` are dropped
  bool drop_source = false;
  bool extra = false;  // the new replicas may be dropped again when idle
  bool cancel = false;
  std::int32_t attempts = 5;
  std::optional<Duration> keep_for;  // after its end, before the object is deleted; none: forever
};

enum class SourceState : std::uint8_t { kept, leaving, removed, deleted };
const char* phase_name(MovePhase phase);
const char* source_name(SourceState state);

struct DataMoveStatus {
  bool began() const { return phase != MovePhase::none && phase != MovePhase::pending; }

  std::int64_t observed_generation = 0;
  MovePhase phase = MovePhase::none;
  std::string data_set_uid;  // of the DataSet that it began with
  BlockRanges blocks;        // fixed when the copying begins
  std::int64_t bytes = 0;
  std::int32_t attempt = 0;           // the number of the Job that copies
  std::optional<TimePoint> next_try;  // not before
  std::optional<TimePoint> started, finished;
  SourceState source = SourceState::kept;  // of the replicas to drop
  std::int32_t drop_attempt = 0;
  bool cleaned = false;  // the remains of a failed copy are gone
  std::string message;
  std::string size_text, usd, pays_back;  // as people read them; empty: not known
  std::vector<ObjectCondition> conditions;
  friend bool operator==(const DataMoveStatus&, const DataMoveStatus&) = default;
};

struct DataMoveResource {
  ResourceMeta meta;
  DataMoveSpec spec;
  DataMoveStatus status;
  // The key of its DataSet: namespace/name.
  std::string data_set_key() const { return spec.data_set_name_space + '/' + spec.data_set; }
};

}  // namespace lips::kubernetes

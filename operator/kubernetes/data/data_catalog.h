// All custom resources that are usable now, by name, and the changes to them. Invalid objects stay outside and get a
// finding with the reason. Sends nothing, reads no clock, and knows no ids of the model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/list_watch.h"
#include "kubernetes/data/data_limits.h"
#include "kubernetes/data/mover_objects.h"
#include "kubernetes/data/validation.h"

namespace lips::kubernetes {

struct StoreChanged {
  std::string store;
};
struct StoreGone {
  std::string store;
};
struct PoolChanged {
  std::string pool;
};
struct PoolGone {
  std::string pool;
};
// New, or with other blocks or readers than before (then DataSetGone came first).
struct DataSetChanged {
  std::string data_set;  // namespace/name
};
// All its replicas go with it, without changes of their own.
struct DataSetGone {
  std::string data_set;
};
// Replicas that may be read from now on, or no longer. All block numbers are below the layout's count.
struct ReplicasAppeared {
  std::string data_set, store;
  BlockRanges blocks;
  bool extra = false;  // may be dropped again
};
struct ReplicasGone {
  std::string data_set, store;
  BlockRanges blocks;
};
using CatalogChange = std::variant<StoreChanged, StoreGone, PoolChanged, PoolGone, DataSetChanged, DataSetGone,
                                   ReplicasAppeared, ReplicasGone>;

struct CatalogDataSet {
  DataSetResource object;
  Result<DataLayout> layout = fail(ErrorCode::not_found, "not looked at");
  Finding finding;
  std::size_t bytes = 0;  // as the server has it, in JSON
  bool usable() const { return layout.has_value() && finding.usable; }
};

// A fault of an object; without a reason: the fault is gone.
struct ObjectFinding {
  DataKind kind = DataKind::data_set;
  ResourceMeta meta;
  std::vector<ObjectCondition> conditions;
  Finding finding;
};

// The state of a node that a store's directory depends on.
struct NodeState {
  std::string uid;  // empty: there is no node of that name
  bool ready = false;
  bool gone = false;  // all nodes are known, and it is not among them
};
using NodeLookup = std::function<NodeState(const std::string& node)>;

class DataCatalog {
 public:
  struct Informer {
    std::string path, selector;  // for ListWatchOptions
    ObjectSink* sink = nullptr;  // of this catalog
  };

  // Jobs and pods of moves are in `name_space`, and the claims of volumes.
  explicit DataCatalog(std::string name_space, TenantRules rules = {});
  ~DataCatalog();
  std::vector<Informer> informers() const;
  // All kinds have been listed once, and poll() has handled the lists.
  bool complete() const { return listed_.size() == kind_count; }
  // Grows whenever poll() has handled something.
  std::uint64_t version() const { return version_; }

  // Call before poll() when nodes have changed. Without it every node counts as present.
  void use_nodes(NodeLookup lookup);
  // Handles what has arrived. Stores come before the data sets that name them.
  std::vector<CatalogChange> poll();
  // For objects whose finding has changed, or whose Ready condition does not show it yet.
  std::vector<ObjectFinding> take_findings();

  const DataStoreResource* store(const std::string& name) const;  // nullptr: there is no usable one
  // Says whether its files can be read now: the node of a directory must be present, ready, and the same as before.
  bool readable(const std::string& store) const;
  // True: the store's node is gone.
  bool is_gone(const DataStoreResource& store) const;
  // The uid of the node that has the store's directory now; empty: not known.
  std::string node_uid(const DataStoreResource& store) const;
  const PoolResource* pool(const std::string& name) const;
  // The pool of a namespace's pods: one that lists it, else the one of its name; null: none.
  const PoolResource* pool_of_name_space(const std::string& name_space) const;
  // The pool of a pod in that namespace that wants a pool by name, or none (empty). The error says who decides.
  Result<std::string> pool_for(const std::string& name_space, const std::string& wanted) const;
  // The mode of the pool of that name; none: the pool does not set it, or there is only a namespace of that name.
  std::optional<PodMode> mode_of(const std::string& pool) const;
  double weight_of(const PoolResource& pool) const { return flat_weight(pool, pools_); }
  const CatalogDataSet* data_set(const std::string& full_name) const;  // also one that is not usable
  const std::map<std::string, CatalogDataSet>& data_sets() const { return data_sets_; }
  // Those of them that are to be discovered, by name.
  const std::map<std::string, const CatalogDataSet*>& to_discover() const { return to_discover_; }
  // Names of data sets that poll() has looked at since the last call, because they or what they depend on has changed;
  // some are gone.
  std::set<std::string> take_looked_at() { return std::exchange(looked_at_, {}); }
  // The paths among these in that store that also belong to another data set, or contain one of its files.
  std::set<std::string> shared_files(const std::string& data_set, const std::string& store,
                                     const std::vector<std::string>& paths) const;
  const StoreMap& stores() const { return stores_; }
  const PoolMap& pools() const { return pools_; }
  const std::map<std::string, DataMoveResource>& moves() const { return moves_; }
  // Calls `visit` with the uid of each object that is there and is not understood.
  template <class Visit>
  void each_unread(Visit visit) const {
    for (const auto& [name, uid] : unread_) visit(uid);
  }
  const std::map<std::string, WorkJob>& jobs() const { return jobs_; }  // by name
  const std::map<std::string, WorkPod>& pods() const { return pods_; }

  // Takes the answer to a write of ours before the watch reports it. Older versions that the watch still brings are
  // ignored, unless the server's store went back.
  void learn(DataKind kind, const std::string& json);
  // A status that is to be written makes a data set larger than the server takes. That holds until its spec changes, or
  // with an empty text.
  void say_too_large(const std::string& data_set, std::string why);
  // Takes the answer if there is one.
  std::function<void(const Answer&)> learner(DataKind kind) {
    return [this, kind](const Answer& answer) {
      if (answer) learn(kind, *answer);
    };
  }

 private:
  using Object = std::variant<DataSetResource, DataStoreResource, PoolResource, DataMoveResource, WorkJob, WorkPod>;
  enum class Kind : std::uint8_t { data_set, data_store, pool, data_move, job, pod };
  static constexpr std::size_t kind_count = 6;
  struct Arrival {
    Kind kind = Kind::data_set;
    enum class What : std::uint8_t { changed, malformed, deleted, complete, set_back } what = What::changed;
    ObjectMeta meta;
    std::optional<Object> object;
    ObjectFinding finding;
    std::size_t bytes = 0;
  };
  class Sink;
  struct Reported {  // the last state of a data set that poll() has returned
    DataLayout layout;
    std::vector<std::string> readers;  // when they change, waiting pods are tried again
    struct Held {
      BlockRanges blocks, extra;
    };
    std::map<std::string, Held> held;  // by store
  };

  static Arrival arrival(Kind kind, const ObjectMeta& meta, std::string_view json);
  void post(Arrival arrival) { arrived_.push_back(std::move(arrival)); }
  void take(Arrival& arrival);
  void take_object(Arrival& arrival);
  void remove(Kind kind, const std::string& name);
  void review_stores(std::vector<CatalogChange>& changes);
  void review_pools(std::vector<CatalogChange>& changes);
  void review_data_sets(std::vector<CatalogChange>& changes);
  void report_data_set(const std::string& name, std::vector<CatalogChange>& changes);
  void report_replicas(const std::string& name, const CatalogDataSet& set, std::vector<CatalogChange>& changes);
  void note(DataKind kind, const ResourceMeta& meta, const std::vector<ObjectCondition>& conditions,
            const Finding& finding);

  const std::string name_space_;
  const TenantRules rules_;
  NodeLookup node_lookup_;
  std::map<std::string, std::string> observed_nodes_;  // uid, by store; "-" where the node is gone
  std::set<std::string> gone_stores_;                  // whose node is gone
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<Arrival> arrived_;  // since the last poll()

  std::set<Kind> listed_;
  std::set<Kind> set_back_;  // from then until their next whole list an older version counts: the server's store has it
  std::uint64_t version_ = 0;
  StoreMap stores_, faulty_stores_;
  PoolMap pools_, faulty_pools_;
  std::map<std::string, CatalogDataSet> data_sets_;
  std::map<std::string, const CatalogDataSet*> to_discover_;
  std::map<std::string, DataMoveResource> moves_;
  std::map<std::string, WorkJob> jobs_;
  std::map<std::string, WorkPod> pods_;
  std::map<std::pair<Kind, std::string>, std::string> unread_;  // uids of malformed objects

  std::set<std::string> stores_touched_, pools_touched_, sets_touched_, looked_at_;
  bool store_set_changed_ = false;
  DataLimits limits_;
  struct TooLarge {
    std::string uid, why;
    std::int64_t generation = 0;
  };
  std::map<std::string, TooLarge> too_large_;  // by data set
  std::set<std::string> reported_stores_;
  std::map<std::string, PoolSpec> reported_pools_;
  std::map<std::string, Reported> reported_sets_;
  std::map<std::pair<DataKind, std::string>, ObjectFinding> findings_;
};

}  // namespace lips::kubernetes

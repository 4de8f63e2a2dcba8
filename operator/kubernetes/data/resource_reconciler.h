// Keeps the custom resources' statuses true apart from moves: conditions and events about what is wrong, replicas that
// a spec places, room in use, and the pods by which stores are read from elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/api/events.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/move_admission.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/object_writes.h"
#include "kubernetes/data/pod_secrets.h"
#include "kubernetes/data/store_key_secret.h"

namespace lips::kubernetes {

// The key of an object in ObjectWrites.
std::string write_key(DataKind kind, const ObjectMeta& meta);

inline constexpr const char* copies_finalizer = "lips.dev/copies";  // of a DataSet that has copies
inline constexpr const char* move_finalizer = "lips.dev/move";      // of a DataMove that has begun

class ResourceReconciler {
 public:
  // `serve`: pods for stores that want one, as soon as their key is known.
  struct Serving {
    const StoreKeySecret& secret;
    PodSecrets& pod_secrets;
    bool serve = false;
  };
  // The use of each pool, for its status; empty before the first plan.
  using PoolUses = std::function<std::vector<PoolUse>()>;
  ResourceReconciler(DataCatalog& catalog, ObjectWrites& writes, EventRecorder& events, const WorkSettings& work,
                     Serving serving, PoolUses pool_uses = {});
  void tick(TimePoint now);
  // False: no copies of a deleted DataSet are deleted until it is true again.
  void allow_deletion(bool allowed) { may_delete_ = allowed; }
  // True: the data on the store's node count as gone with the node, which has been away for some minutes.
  bool is_lost(const DataStoreResource& store, TimePoint now);
  // Bytes that blocks take in a store.
  std::int64_t used(const std::string& store) const;
  // The same by what moves wrote and what namespaces declare.
  StoreUse use(const DataStoreResource& store) const;
  std::size_t kept() const { return findings_.size() + used_.size() + used_written_.size(); }

 private:
  // The findings about one version of a DataSet: thousands of DataSets do not change from look to look.
  struct Reviewed {
    std::string version;
    bool in_order = false;  // its status says what it is to say
    struct Use {
      std::string store;
      std::int64_t all = 0, copies = 0, originals = 0;  // bytes
    };
    std::vector<Use> uses;
  };
  Reviewed& review(const std::string& name, const CatalogDataSet& set);
  void write_findings(TimePoint now);
  void write_data_sets(TimePoint now);
  bool settle(const std::string& name, TimePoint now);
  void release_data_set(const CatalogDataSet& set, TimePoint now);
  void write_stores(TimePoint now);
  void write_summaries(TimePoint now);
  bool summarize(const std::string& name, TimePoint now);
  void write_pools(TimePoint now);
  static std::vector<ObjectCondition> conditions_of(const PoolResource& pool, std::vector<ObjectCondition> of_use,
                                                    TimePoint now);
  std::string served_at(const DataStoreResource& store, int& begun, TimePoint now);
  bool has_key(const DataStoreResource& store, TimePoint now);
  void end_outdated_pods(TimePoint now);
  const std::string& serving_name(const DataStoreResource& store);
  void take_looked_at();
  void count_used();

  DataCatalog& catalog_;
  ObjectWrites& writes_;
  EventRecorder& events_;
  const WorkSettings& work_;
  const Serving serving_;
  const PoolUses pool_uses_;
  TimePoint pools_written_{};
  bool may_delete_ = true;
  std::uint64_t reconciled_version_ = 0;  // of the catalog
  TimePoint looked_{};
  std::map<std::string, Reviewed> reviewed_;  // by the names of data sets
  // Data sets whose status may have to say something else, until it says it; those without words for their zones.
  std::set<std::string> unsettled_, wordless_;
  std::size_t zones_digest_ = 0;
  std::map<std::string, ObjectFinding> findings_;
  std::map<std::string, std::int64_t> used_;
  std::map<std::string, StoreUse> uses_;
  std::map<std::string, TimePoint> used_written_;
  std::map<std::string, TimePoint> gone_since_;       // stores whose node is gone, as first seen
  std::map<std::string, std::string> serving_names_;  // names of pods that serve, by their stores' uids
  std::map<std::string, TimePoint> outdated_since_;   // pods that serve with an earlier key, as first seen
};

}  // namespace lips::kubernetes

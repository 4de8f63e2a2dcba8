// Between the custom resources and the model's data: turns changes of the catalog into entries for ModelIndex and
// events about replicas, and moves of a plan into requests to the mover. Of pods it knows only what they read.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "controller/adapter_observer.h"
#include "kubernetes/adapter/data_under_path.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/adapter/readable_data.h"
#include "kubernetes/adapter/task_part.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/data_mover.h"
#include "kubernetes/data/move_progress.h"
#include "kubernetes/pods/pod_record.h"
#include "model/cluster_event.h"

namespace lips::kubernetes {

struct DataSettings {
  MoverOptions mover;
  TenantRules tenants;
  std::function<UsdPerMebibyteHour(StoreKind)> storage_price;
};

class DataLink {
 public:
  struct Surroundings {
    ApiClient& client;
    EventRecorder& events;
    std::function<bool()> may_act;
    DataMover::IsRead is_read;
    NodeLookup node = {};                               // for stores on nodes; none: all nodes count as present
    std::function<std::uint64_t()> nodes_version = {};  // changes with them
  };
  DataLink(Surroundings around, DataSettings settings);

  std::vector<DataCatalog::Informer> informers() { return catalog_.informers(); }
  bool complete() const { return catalog_.complete(); }

  // Handles what has arrived. Appends events about replicas and moves if `index` knows every id in them. True:
  // something has changed that needs a full listing.
  bool poll(const ModelIndex& index, bool listed, TimePoint now, std::vector<ClusterEvent>& events);

  // For a listing: the data as it is now, with moves that are under way.
  const DataView& view();
  void start(MoveId id, const DataMove& move, const ModelIndex& index);
  // From now on no task may begin to read the replica: an event removes it, and another adds it again if the drop is
  // refused.
  void drop(const ReplicaDrop& drop, const ModelIndex& index, std::vector<ClusterEvent>& events);
  // Also copies the blocks that the pod reads to that store, where they stay while they are of use.
  void keep_copy(const PodRecord& reader, const std::string& store);

  // See DataCatalog.
  Result<std::string> pool_for(const std::string& name_space, const std::string& wanted) const {
    return catalog_.pool_for(name_space, wanted);
  }
  std::optional<PodMode> mode_of(const std::string& pool) const { return catalog_.mode_of(pool); }
  const CatalogDataSet* data_set(const std::string& name) const { return catalog_.data_set(name); }
  const DataStoreResource* store(const std::string& name) const { return catalog_.store(name); }
  const StoreKey& store_key() const { return mover_.store_key(); }
  std::optional<DataMover::MissingKey> missing_key() const { return mover_.missing_key(); }
  // Says whether pods of that namespace may read the data set.
  bool may_read(const std::string& data_set, const std::string& name_space) const;
  // See data_under_path.h.
  Result<std::vector<BlockRun>> data_under(const std::string& path, const std::string& name_space) const;
  // A digest of where these blocks lie; none: the data set has not so many native blocks any more.
  std::optional<std::string> contents(const BlockRun& run, std::uint32_t native_blocks) const;
  // Why no task can read the first of these blocks that no store has where it can be read; empty: there is none. From
  // then on replicas that appear need a full listing.
  std::string why_lost(const BlockRun& run, const ModelIndex& index) const;
  // A store that holds the block: the wanted one, else one in its zone, else any; nullptr: no store does.
  const DataStoreResource* holder(const std::string& data_set, std::uint32_t block, const std::string& wanted) const;
  // All of them, by name.
  std::vector<std::string> holders(const std::string& data_set, std::uint32_t block) const;
  std::map<MovePhase, std::uint64_t> moves_by_phase() const;
  // Stores with copies that belong to no data set, those with most bytes first.
  std::vector<UnownedInStore> unowned() const;
  // The first DataMove that gets no further, in words; tasks no longer wait for its copies, nor for those of the
  // others.
  struct StalledMoves {
    std::string words;
    TimePoint since;
  };
  std::optional<StalledMoves> stalled_moves() const;
  std::size_t drops_under_way() const { return dropping_.size(); }
  struct EndedMove {
    std::string pool;  // of the data's namespace
    bool committed = false;
    Mebibytes size;
  };
  // Since the last call.
  std::vector<EndedMove> take_ended() { return std::exchange(ended_, {}); }

 private:
  using Place = std::tuple<std::string, std::uint32_t, std::string>;  // data set, block, store

  static Place place_of(const MoveRequest& request);
  void take(const DataSetChanged& change);
  void take_replicas(const ReplicasAppeared& change, const ModelIndex& index, std::vector<ClusterEvent>& events);
  void take_replicas(const ReplicasGone& change, const ModelIndex& index, std::vector<ClusterEvent>& events);
  void forget_drops(const std::string& data_set, const std::string& store, const BlockRanges& blocks);

  void end_stalled(TimePoint now, std::vector<ClusterEvent>& events);
  std::set<Place> places_of(const DataMoveResource& move) const;
  std::map<Place, MoveEntry> moves_of_others() const;
  DataSetEntry without_dropped(DataSetEntry set) const;
  const BlockRanges& readable_blocks(const DataSetEntry& set, const ModelIndex& index) const;
  std::string words_of_loss(const DataSetEntry& set, std::uint32_t block) const;
  void review_moves_of_others(std::vector<ClusterEvent>& events);
  std::string zone_of(const std::string& store) const;
  std::string pool_of_data(const std::string& data_set) const;
  bool comes_to(const std::string& data_set, std::uint32_t block, const std::string& zone) const;
  void keep_not_dropped(const ModelIndex& index, std::vector<ClusterEvent>& events);

  DataSettings settings_;
  NodeLookup node_;
  std::function<std::uint64_t()> nodes_version_;
  std::uint64_t reviewed_nodes_version_ = std::numeric_limits<std::uint64_t>::max();
  DataCatalog catalog_;
  DataMover mover_;
  std::map<std::string, DataSetEntry> sets_;  // usable ones, with the replicas that may be read
  DataView view_;
  std::map<MoveId, MoveEntry> moves_;  // of this process, under way
  std::map<MoveId, TimePoint> begun_;  // when each of them was first looked at
  MoveProgress progress_;
  Every progress_due_{std::chrono::seconds(1)};
  std::map<Place, MoveEntry> others_;  // of an earlier process or of a person; as listed
  std::uint32_t last_move_ = 0;        // the largest id of a move
  std::uint64_t others_reviewed_ = 0;  // the catalog's version
  std::map<Place, bool> dropping_;     // dropped, but still in the DataSet; whether an extra copy
  std::vector<Place> requested_;       // of the mover, under way: moves of the plan and copies to keep
  std::vector<EndedMove> ended_;
  using Contents = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // uid of a data set, first block, blocks
  mutable std::map<Contents, std::string> digests_;                        // of layouts as they are
  mutable std::map<std::string, BlockRanges> readable_;                    // by data set; empty after each change
  mutable bool lost_some_ = false;                                         // blocks that somebody wants to read
};

// None without `data`.
PathLookup path_lookup(const DataLink* data);
// The digest of a run's blocks, as long as the catalog has as many of them as the model.
ContentsOf contents_lookup(const DataLink* data, const ModelIndex& index);
// Why blocks of a run cannot be read.
WhyLost loss_lookup(const DataLink* data, const ModelIndex& index);
// Without `data` no namespace may read another's.
MayRead read_permission(const DataLink* data);

}  // namespace lips::kubernetes

// Maps objects to ids of the model, and builds the model's values from them. A listing renews all ids; between two
// listings ids are only added. Sends nothing and keeps no pod.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/node_price.h"
#include "config/transfer_prices.h"
#include "kubernetes/adapter/data_view.h"
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/adapter/node_order.h"
#include "kubernetes/adapter/node_place.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_classes.h"
#include "model/cluster_event.h"
#include "model/snapshot.h"

namespace lips::kubernetes {

struct PriceQuestion {
  std::string region, zone, instance_type;
  CapacityType capacity_type = CapacityType::on_demand;
  Cores cpu;
};

inline constexpr std::uint32_t most_nodes_of_an_offer = 1000;  // where nobody says how many there are

// Nodes that an autoscaler could launch; what it would be as a node.
struct OfferEntry {
  std::string instance_type, zone, region;
  CapacityType capacity_type = CapacityType::on_demand;
  Resources capacity;             // of the machine
  std::optional<Resources> room;  // what is left for pods on it, where that is known beforehand
  UsdPerHour price;
  std::uint32_t left = most_nodes_of_an_offer;  // could be launched now; 0: sold out
  Duration boot{}, idle{};                      // see lips::Offer
  double interruptions = 0;                     // of one node, an hour
  std::string pool = {};                        // the NodePool that allows it; empty: the configuration lists it
  TextMap labels = {};                          // beside those of place and type
  std::vector<Taint> taints = {};
  LimitId within = {};  // of those that are offered with it
  friend bool operator==(const OfferEntry&, const OfferEntry&) = default;
};

struct Offered {
  std::vector<OfferEntry> offers;
  LaunchLimits limits;
};
// Labels of the nodes that may be launched when one like that is ordered: all but the type is said.
TextMap place_labels(const OfferEntry& offer);

struct ModelSettings {
  Network network;
  std::function<Offered(const NodeCache&)> offers = {};  // asked at each listing; empty: nobody launches nodes
  std::function<NodePrice(const PriceQuestion&)> node_price;
  std::function<void(const PricesInUse&)> prices_in_use = {};  // told at each listing; empty: nobody asks
  // The room on a node of an offer; empty: all that its machine has.
  std::function<Resources(const OfferEntry&)> allocatable = {};
  // Orders that no machine comes for: what would hold such a task there is sold out. Asked at each listing; empty:
  // none.
  std::function<std::vector<NodeOrder>()> sold_out = {};
  // Beside others, of a type whose speed the price does not say; empty: 1.
  std::function<double(const std::string& instance_type)> learned_speed = {};
  PriceBetween transfer_price;
};

class ModelIndex {
 public:
  explicit ModelIndex(ModelSettings settings) : settings_(std::move(settings)) {}

  // Rebuilds everything with new ids. The memory of pools may be added until the start is handed over.
  struct Listing {
    std::shared_ptr<ClusterSnapshot> start;
    CostModel costs;
  };
  Listing list(const NodeCache& nodes, const PodClasses& classes, const DataView& data);

  NodeId node(const std::string& name) const;
  const std::string& node_name(NodeId id) const { return node_names_[id]; }
  const std::string& zone_name(ZoneId id) const { return zone_names_[id]; }
  ZoneId zone(const std::string& name) const;
  ZoneId zone_of_node(const std::string& name) const;
  std::size_t zones() const { return zone_names_.size(); }
  // An offer of the last listing.
  const OfferEntry& offer(OfferId id) const { return offers_[id].entry; }
  bool has_offers() const { return !offers_.empty(); }
  Duration longest_boot() const;  // of the offers
  // Reports it if the limits of the same offers have changed, or which are sold out.
  void limit_launches(const LaunchLimits& now, std::vector<ClusterEvent>& events);
  // The number of offers that orders in vain have closed.
  std::size_t sold_out() const;
  // Says whether an empty node of some offer would hold such a pod.
  bool fits_an_offer(const PodNeeds& needs) const;
  StoreId store(const std::string& name) const;
  // The store of these to read from in that zone: one that lies there, else the cheapest; none: all are unknown.
  StoreId nearest(const std::vector<std::string>& stores, ZoneId zone) const;
  // The price of transfer between two stores; none: one of them is unknown.
  std::optional<UsdPerMebibyte> transfer_price(const std::string& from, const std::string& to) const;
  // The price of reading that store's data on that node.
  std::optional<UsdPerMebibyte> read_price(const std::string& store, const std::string& node) const;
  UsdPerHour price_of(const Node& node) const;
  const std::string& store_name(StoreId id) const { return store_names_[id]; }
  struct KnownDataSet {
    DataSetId id;
    BlockId first;
    std::uint32_t blocks = 0, native_blocks = 0;
    ErasureCode code;
  };
  const KnownDataSet* data_set(const std::string& name) const;
  // The size of so many blocks in a row.
  Mebibytes size_of(BlockId first, std::uint32_t blocks) const;
  // Data set and index of a block.
  std::pair<std::string, std::uint32_t> block_name(BlockId block) const;

  // The node as it is now; none: a listing is needed, because its zone or rack is new. Adds a new profile.
  std::optional<lips::Node> node_now(const NodeRecord& record, std::vector<ClusterEvent>& events);
  // Says whether the readability of the node's directory has changed since the listing.
  bool store_moved(const NodeRecord& record) const;
  // Adds labels and resources that only classes of pods since the listing refer to, and updates the nodes that have
  // them. True: a listing is needed, because they may tell offers apart.
  bool learn(const PodClasses& classes, const NodeCache& nodes, std::vector<ClusterEvent>& events);
  // An id; appends an event that adds it if it is new.
  ConstraintId constraint(const PlacementConstraint& constraint, std::vector<ClusterEvent>& events);
  PoolId pool(const std::string& name, std::vector<ClusterEvent>& events);
  std::string pool_name(PoolId pool) const;
  // The id of the job of that key, in this listing.
  WholeJobId whole_job(const std::string& key);
  Resources request(const PodNeeds& needs) const;
  // The memory of pools by name and by current id; none if the pools are not those that it was made for.
  StoredShares stored(const ShareMemory& shares) const;
  std::optional<ShareMemory> remembered(const StoredShares& stored) const;

  // Nodes of the last listing whose price is unknown, by name, with their instance types.
  const std::vector<std::pair<std::string, std::string>>& unknown_prices() const { return unknown_prices_; }
  // Nodes left out because the model has no more zones.
  std::size_t left_out() const { return left_out_; }

 private:
  struct KnownOffer {
    OfferEntry entry;
    TextMap place;  // place_labels
    NodeId like;
    NodeProfile profile;
    Resources capacity;
    bool sold_out = false;  // as orders in vain show
    std::uint32_t left() const { return sold_out ? 0 : entry.left; }
  };
  lips::Node model_node(const Node& node, const ResourceAmounts& others) const;
  Resources capacity_of(const Node& node) const;
  NodeProfile projected(const Node& node) const;
  // Appends an event that adds it if it is new.
  ProfileId profile_id(const NodeProfile& profile, std::vector<ClusterEvent>& events);
  void add_places(const NodeCache& nodes, const DataView& data, ClusterSnapshot& start);
  void add_nodes(const NodeCache& nodes, ClusterSnapshot& start);
  void add_offers(ClusterSnapshot& start);
  lips::Node like_node(const OfferEntry& entry, NodeProfile& profile) const;
  bool would_hold(const PodNeeds& needs, const KnownOffer& offer) const;
  bool review_sold_out();  // true: it is not what it was
  void add_data(const NodeCache& nodes, const DataView& data, ClusterSnapshot& start);
  void add_moves(const DataView& data, ClusterSnapshot& start) const;
  CostModel costs(const ClusterSnapshot& start) const;

  ModelSettings settings_;
  ResourceNames extended_;
  std::set<std::string> label_keys_;
  std::uint64_t classes_version_ = 0;
  std::map<std::string, ZoneId> zones_;
  std::map<std::string, RackId> racks_;
  std::map<std::string, TransferEnd> ends_;  // by zone
  IdVector<ZoneId, std::string> zone_names_;
  std::map<std::string, NodeId> nodes_;
  IdVector<NodeId, std::string> node_names_;
  IdVector<NodeId, ZoneId> node_zones_;
  IdVector<OfferId, KnownOffer> offers_;
  LaunchLimits limits_;
  bool merged_offers_ = false;
  std::map<NodeProfile, ProfileId> profiles_;
  std::map<PlacementConstraint, ConstraintId> constraints_;
  std::map<std::string, PoolId> pools_;
  std::map<std::string, WholeJobId> whole_jobs_;
  std::map<std::string, StoreId> stores_;
  std::map<NodeId, bool> store_readable_;  // of nodes with a directory
  IdVector<StoreId, std::string> store_names_;
  IdVector<StoreId, ZoneId> store_zones_;
  CostModel costs_;
  std::map<std::string, KnownDataSet> data_sets_;
  std::map<BlockId, std::string> first_blocks_;
  IdVector<BlockId, Mebibytes> block_sizes_;
  std::vector<std::pair<std::string, std::string>> unknown_prices_;
  PricesInUse prices_in_use_;
  std::size_t left_out_ = 0;
};

}  // namespace lips::kubernetes

// Nodes that an autoscaler could launch, in the model of a real cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/adapter/model_index.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view disks = "attachable-volumes-csi-disk";

PodNeeds asking(const std::string& label, const std::string& value) {
  PodNeeds needs;
  needs.requests = {{"cpu", 1000}};
  needs.constraint.required = {{label, LabelRequirement::Operator::in, {value}}};
  return needs;
}

class Offers : public testing::Test {
 protected:
  Offers() {
    Node node;
    node.meta.name = "here";
    node.ready = true;
    node.labels = {{"topology.kubernetes.io/zone", "b"}};
    node.allocatable = {{"cpu", 4000}, {"pods", 10}};
    nodes_.update(node);
    entries_ = {offer_in("c", 0.4), offer_in("a", 0.2)};
    entries_[0].capacity_type = CapacityType::spot;
    entries_[0].interruptions = 0.1;
    entries_[1].left = 0;
    for (const char* zone : {"b", "c"})
      data_.stores.push_back({std::string("in-") + zone, StoreKind::zonal_bucket, zone, "", {}, {}});
    data_.stores.push_back({"lake", StoreKind::regional_bucket, "a", "", {}, {}, "r"});
    ModelSettings settings;
    settings.node_price = [](const PriceQuestion&) { return NodePrice{UsdPerHour(9), 2}; };
    settings.transfer_price = [](const TransferEnd& from, const TransferEnd& to) {
      const bool lake = from.kind == EndKind::regional_bucket || to.kind == EndKind::regional_bucket;
      return UsdPerMebibyte(lake ? 0 : from.zone == "b" || to.zone == "b" ? 1 : 2);
    };
    settings.offers = [this](const NodeCache&) { return Offered{entries_, limits_}; };
    settings.sold_out = [this] { return in_vain_; };
    index_ = std::make_unique<ModelIndex>(settings);
  }
  const ClusterSnapshot& list() {
    start_ = index_->list(nodes_, classes_, data_).start;
    return *start_;
  }

  NodeCache nodes_;
  PodClasses classes_;
  DataView data_;
  std::vector<OfferEntry> entries_;
  LaunchLimits limits_;
  std::vector<NodeOrder> in_vain_;
  std::unique_ptr<ModelIndex> index_;
  std::shared_ptr<const ClusterSnapshot> start_;
};

TEST_F(Offers, HaveANodeOfTheirKindThatTakesNoTask) {
  const ClusterSnapshot& start = list();
  ASSERT_THAT(start.offers, SizeIs(2));
  const lips::Offer& spot = start.offers[OfferId(0)];
  const lips::Node& like = start.nodes[spot.like];
  EXPECT_EQ(like.name, "offer/m.xlarge/c/spot");
  EXPECT_EQ(start.zones[like.zone].name, "c");
  EXPECT_EQ(like.capacity_type, CapacityType::spot);
  EXPECT_EQ(like.fleet, FleetKind::elastic);
  EXPECT_EQ(like.capacity, entries_[0].capacity);
  EXPECT_FALSE(like.schedulable);
  EXPECT_EQ(like.price, UsdPerHour(0.4));
  EXPECT_DOUBLE_EQ(like.cpu_price.value(), 0.4 / 3600 / (4 * 2));
  EXPECT_EQ(spot.boot, std::chrono::seconds(30));
  EXPECT_EQ(spot.interruptions, 0.1);
  EXPECT_GT(spot.left, 0u);
  EXPECT_EQ(start.offers[OfferId(1)].left, 0u) << "sold out";
  EXPECT_EQ(index_->node_name(spot.like), like.name);
  EXPECT_FALSE(index_->node(like.name).valid()) << "it is no node";
  EXPECT_EQ(index_->offer(OfferId(1)).zone, "a");
}

// The age of prices is that of the oldest one by which anything counts.
TEST(PricesInUse, AreThoseOfNodesAndOffersButNotWhatIsWrittenOnANode) {
  NodeCache nodes;
  const auto add = [&](const char* name, const char* type, const char* annotation) {
    Node node;
    node.meta.name = name;
    node.labels = {{"node.kubernetes.io/instance-type", type}, {"topology.kubernetes.io/zone", "b"}};
    if (*annotation) node.annotations = {{"lips.dev/usd-per-hour", annotation}};
    node.allocatable = {{"cpu", 4000}, {"pods", 10}};
    nodes.update(node);
  };
  std::vector<OfferEntry> offers;
  PricesInUse told;
  ModelSettings settings;
  settings.node_price = [](const PriceQuestion& question) {
    NodePrice price{UsdPerHour(1)};
    price.fed = question.instance_type == "fed";
    price.as_of = price.fed ? "2020-01-01" : question.instance_type;  // a type is named by the date of its price
    return price;
  };
  settings.offers = [&](const NodeCache&) { return Offered{offers, {}}; };
  settings.prices_in_use = [&](const PricesInUse& prices) { told = prices; };
  settings.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(0); };
  ModelIndex index(settings);
  const auto list = [&] { return index.list(nodes, {}, {}), told; };
  EXPECT_EQ(list(), PricesInUse());
  add("a", "2026-11-20", ""), add("b", "2025-01-01", ""), add("c", "2024-01-01", "0.5");
  EXPECT_EQ(list(), (PricesInUse{"2025-01-01", "2025-01-01", "b", false}));
  add("d", "fed", "");
  EXPECT_EQ(list(), (PricesInUse{"2025-01-01", "2025-01-01", "b", true}));
  offers = {offer_in("a", 0.2)};
  offers[0].instance_type = "2024-06-01";
  EXPECT_EQ(list(), (PricesInUse{"2024-06-01", "2024-06-01", "a", true}));
}

TEST_F(Offers, ShareTheirLimitsWhichChangeWithoutAListing) {
  limits_.push_back({.nodes = 4});
  entries_[0].within = LimitId(0);
  const ClusterSnapshot& start = list();
  EXPECT_EQ(start.launch_limits, limits_);
  EXPECT_EQ(start.offers[OfferId(0)].within, LimitId(0));
  EXPECT_FALSE(start.offers[OfferId(1)].within.valid());
  std::vector<ClusterEvent> events;
  index_->limit_launches(limits_, events);
  EXPECT_THAT(events, IsEmpty());
  limits_[LimitId(0)].nodes = 1;
  index_->limit_launches(limits_, events);
  index_->limit_launches(limits_, events);
  ASSERT_THAT(events, SizeIs(1));
  ClusterState state(start);
  state.apply(events[0]);
  EXPECT_EQ(state.snapshot().launch_limits, limits_);
  EXPECT_EQ(state.snapshot().offers, start.offers);
}

PodNeeds of_cores(std::int64_t cores) {
  PodNeeds needs;
  needs.requests = {{"cpu", cores * 1000}};
  return needs;
}

// Three sizes in one place: an order that stands in vain closes those that would hold its task.
TEST_F(Offers, AreSoldOutWhereNoNodeCameOfAnOrderThatTheyWouldHold) {
  entries_ = {offer_in("a", 0.2), offer_in("a", 0.4), offer_in("b", 0.2)};
  entries_[0].capacity.cpu = Cores(2), entries_[1].capacity.cpu = Cores(8), entries_[2].capacity.cpu = Cores(8);
  list();
  const auto left = [&] {
    std::vector<ClusterEvent> events;
    index_->limit_launches(limits_, events);
    ClusterState state(*start_);
    for (const ClusterEvent& event : events) state.apply(event);
    std::vector<bool> open;
    for (const OfferId id : state.snapshot().offers.ids()) open.push_back(state.snapshot().offers[id].left > 0);
    return open;
  };
  const TextMap in_a = place_labels(entries_[0]);
  in_vain_ = {{in_a, of_cores(4)}};
  EXPECT_THAT(left(), ElementsAre(true, false, true)) << "the small one may be had";
  EXPECT_EQ(index_->sold_out(), 1u);
  list();
  EXPECT_EQ(start_->offers[OfferId(1)].left, 0u) << "a listing knows it too";
  EXPECT_GT(start_->offers[OfferId(2)].left, 0u);
  in_vain_ = {{in_a, of_cores(1)}};
  EXPECT_THAT(left(), ElementsAre(false, false, true));
  in_vain_.clear();
  EXPECT_THAT(left(), ElementsAre(true, true, true));
  EXPECT_EQ(index_->sold_out(), 0u);
}

TEST_F(Offers, HaveTheirZonesInOrderOfNameWithTheOthers) {
  std::vector<std::string> names;
  for (const Zone& zone : list().zones) names.push_back(zone.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "store/lake"));
}

TEST_F(Offers, AreToldApartByLabelsThatPodsAskFor) {
  const PodNeeds in_c = asking("topology.kubernetes.io/zone", "c");
  const PodNeeds spot = asking("karpenter.sh/capacity-type", "spot"), other = asking("disk", "ssd");
  for (const PodNeeds& needs : {in_c, spot, other}) classes_.intern(needs);
  const ClusterSnapshot& start = list();
  const auto takes = [&](const PodNeeds& needs, std::uint32_t offer) {
    const lips::Node& like = start.nodes[start.offers[OfferId(offer)].like];
    return eligible(needs.placement(), start.profiles[like.profile]);
  };
  for (const PodNeeds& needs : {in_c, spot}) {
    EXPECT_TRUE(takes(needs, 0));
    EXPECT_FALSE(takes(needs, 1));
    EXPECT_TRUE(index_->fits_an_offer(needs));
  }
  EXPECT_FALSE(index_->fits_an_offer(other));
  PodNeeds wide = in_c;
  wide.requests = {{"cpu", 5000}};
  EXPECT_FALSE(index_->fits_an_offer(wide));
}

// A pod came that asks for what no pod before it asked for.
TEST_F(Offers, LearnLabelsAndVolumesThatPodsAskForLater) {
  const NodeId like = list().offers[OfferId(0)].like;
  PodNeeds needs = asking("topology.kubernetes.io/zone", "c");
  needs.requests.emplace(needs.requests.begin(), std::string(disks), 1);
  classes_.intern(needs);
  EXPECT_FALSE(index_->fits_an_offer(needs));
  std::vector<ClusterEvent> events;
  index_->learn(classes_, nodes_, events);
  EXPECT_TRUE(index_->fits_an_offer(needs)) << "nobody limits the volumes of a node that is not there";
  std::vector<NodeProfile> profiles(start_->profiles.begin(), start_->profiles.end());
  bool told = false;
  for (const ClusterEvent& event : events) {
    if (const auto* added = std::get_if<ProfileAdded>(&event)) profiles.push_back(added->profile);
    const auto* changed = std::get_if<NodeChanged>(&event);
    if (!changed || changed->node != like) continue;
    told = true;
    EXPECT_TRUE(eligible(needs.placement(), profiles[changed->now.profile.index()]));
    EXPECT_TRUE(fits(index_->request(needs), changed->now.capacity));
    EXPECT_FALSE(changed->now.schedulable);
  }
  EXPECT_TRUE(told);
  events.clear();
  index_->learn(classes_, nodes_, events);
  EXPECT_THAT(events, SizeIs(0));
}

// A NodePool allows hundreds of types of a few sizes.
TEST_F(Offers, OfAPoolThatNoPodTellsApartAreTheCheapest) {
  entries_ = {offer_in("a", 0.3), offer_in("a", 0.2), offer_in("a", 0.25), offer_in("c", 0.3)};
  const char* types[] = {"m1.x", "m2.x", "m3.x", "m1.x"};
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].instance_type = types[i], entries_[i].pool = "batch";
  ASSERT_THAT(list().offers, SizeIs(2));
  EXPECT_EQ(index_->offer(OfferId(0)).instance_type, "m2.x");
  EXPECT_EQ(index_->offer(OfferId(1)).zone, "c");
  classes_.intern(asking("node.kubernetes.io/instance-type", "m3.x"));
  std::vector<ClusterEvent> events;
  EXPECT_TRUE(index_->learn(classes_, nodes_, events)) << "now one pod tells them apart";
  EXPECT_THAT(list().offers, SizeIs(4));
  EXPECT_FALSE(index_->learn(classes_, nodes_, events));
  for (OfferEntry& entry : entries_) entry.pool.clear();
  classes_ = {};
  EXPECT_THAT(list().offers, SizeIs(4)) << "those of the configuration stay as they are";
}

TEST_F(Offers, TakenByTasksThatTolerateTheirTaintsAndSelectTheirLabels) {
  entries_[0].taints = {{"batch", "yes", "NoSchedule"}};
  entries_[0].labels = {{"team", "etl"}, {"topology.kubernetes.io/zone", "c"}};
  entries_[1].labels = {{"team", "etl"}};
  PodNeeds needs = asking("team", "etl");
  classes_.intern(needs);
  const auto takers = [&] {
    const ClusterSnapshot& start = list();
    std::vector<std::string> zones;
    for (const lips::Offer& offer : start.offers)
      if (eligible(needs.placement(), start.profiles[start.nodes[offer.like].profile]))
        zones.push_back(start.zones[start.nodes[offer.like].zone].name);
    return zones;
  };
  EXPECT_THAT(takers(), ElementsAre("a"));
  needs.constraint.tolerations = {{"batch", "yes", "NoSchedule", false}};
  classes_.intern(needs);
  EXPECT_THAT(takers(), ElementsAre("c", "a"));
}

TEST_F(Offers, ReadInTheirZoneElseWhereItIsCheapest) {
  list();
  const auto nearest = [&](const std::vector<std::string>& stores, const char* zone) {
    const StoreId id = index_->nearest(stores, index_->zone(zone));
    return id.valid() ? index_->store_name(id) : "none";
  };
  EXPECT_EQ(nearest({"in-b", "in-c", "lake"}, "c"), "in-c");
  EXPECT_EQ(nearest({"in-b", "in-c"}, "a"), "in-b");
  EXPECT_EQ(nearest({"in-b", "in-c", "lake"}, "a"), "lake");
  EXPECT_EQ(nearest({"gone"}, "a"), "none");
}

}  // namespace
}  // namespace lips::kubernetes

#include "kubernetes/pods/volume_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<NodeSelectorTerm> in_b{{{"zone", LabelRequirement::Operator::in, {"b"}}}};

Claim claim_of(const std::string& name, const std::string& storage_class, std::int64_t size = 10) {
  Claim claim;
  claim.meta = {"n", name, "uid-" + name, "1"};
  claim.storage_class = storage_class;
  claim.size = size;
  claim.access_modes = {"ReadWriteOnce"};
  return claim;
}

Volume local_volume(const std::string& name, const std::string& host, std::int64_t size = 10) {
  Volume volume;
  volume.meta = {"", name, "uid-" + name, "1"};
  volume.storage_class = "local";
  volume.size = size;
  volume.access_modes = {"ReadWriteOnce", "ReadOnlyMany"};
  volume.available = true;
  volume.required = {{{"host", LabelRequirement::Operator::in, {host}}}};
  return volume;
}

Node host(const std::string& name) {
  Node node;
  node.meta.name = name;
  node.labels = {{"host", name}, {"zone", name == "h1" ? "a" : "b"}};
  return node;
}

// "local" has no provisioner; "gp3" provisions in zone b.
VolumeCache with_classes() {
  VolumeCache cache;
  cache.update(StorageClass{{"", "local", "u", "1"}, true, "kubernetes.io/no-provisioner", {}});
  cache.update(StorageClass{{"", "gp3", "u", "1"}, true, "ebs.csi.aws.com", in_b});
  return cache;
}

std::string volume_on(const VolumeCache& cache, const std::string& claim, const std::string& node) {
  const auto choices = cache.choose("n", {claim}, host(node));
  return choices ? choices->at(0).volume : "none";
}

TEST(VolumeCache, AProvisionersClaimGoesWhereItsClassAllows) {
  VolumeCache cache = with_classes();
  cache.update(claim_of("c", "gp3"));
  const ClaimedVolume* joined = cache.find("n", "c");
  EXPECT_TRUE(joined->on_first_use);
  EXPECT_EQ(joined->why_not, "");
  EXPECT_EQ(joined->node_terms, in_b);
  EXPECT_EQ(joined->driver, "ebs.csi.aws.com") << "it counts against what the driver attaches to a node";
  EXPECT_EQ(cache.choose("n", {"c"}, host("h1")).error().code, ErrorCode::not_found);
  EXPECT_EQ(volume_on(cache, "c", "h2"), "") << "to be provisioned";
}

TEST(VolumeCache, AClaimWithoutAProvisionerGoesWhereAVolumeSuits) {
  VolumeCache cache = with_classes();
  cache.update(claim_of("c", "local"));
  EXPECT_THAT(cache.find("n", "c")->why_not, HasSubstr("StorageClass 'local'"));
  cache.update(local_volume("small", "h1", 9));
  EXPECT_THAT(cache.find("n", "c")->why_not, HasSubstr("add one"));
  cache.update(local_volume("large", "h1", 20));
  cache.update(local_volume("right", "h1", 10));
  cache.update(local_volume("other", "h2", 30));
  EXPECT_EQ(cache.find("n", "c")->why_not, "");
  EXPECT_EQ(cache.find("n", "c")->node_terms.size(), 2u) << "each host once";
  EXPECT_EQ(volume_on(cache, "c", "h1"), "right") << "the smallest";
  EXPECT_EQ(volume_on(cache, "c", "h2"), "other");
  EXPECT_EQ(volume_on(cache, "c", "h3"), "none");
  for (const auto change : {+[](Volume& v) { v.available = false; }, +[](Volume& v) { v.block = true; },
                            +[](Volume& v) { v.access_modes = {"ReadOnlyMany"}; },
                            +[](Volume& v) { v.storage_class = "gp3"; }, +[](Volume& v) { v.claim = "n/another"; },
                            +[](Volume& v) { v.claim = "n/c", v.claim_uid = "of an earlier claim"; }}) {
    Volume volume = local_volume("other", "h2", 30);
    change(volume);
    cache.update(volume);
    EXPECT_EQ(volume_on(cache, "c", "h2"), "none");
  }
}

TEST(VolumeCache, AClaimsSelectorChoosesAmongVolumes) {
  VolumeCache cache = with_classes();
  Claim claim = claim_of("c", "local");
  claim.selector = {{"disk", LabelRequirement::Operator::in, {"ssd"}}};
  cache.update(claim);
  cache.update(local_volume("plain", "h1"));
  EXPECT_EQ(volume_on(cache, "c", "h1"), "none");
  Volume fast = local_volume("fast", "h1");
  fast.labels = {{"disk", "ssd"}};
  cache.update(fast);
  EXPECT_EQ(volume_on(cache, "c", "h1"), "fast");
}

TEST(VolumeCache, AVolumeThatWasMadeForAClaimIsItsOnlyOne) {
  VolumeCache cache = with_classes();
  cache.update(claim_of("c", "local"));
  cache.update(local_volume("free", "h1"));
  Volume made = local_volume("made", "h2");
  made.claim = "n/c";
  cache.update(made);
  EXPECT_EQ(volume_on(cache, "c", "h1"), "none");
  EXPECT_EQ(volume_on(cache, "c", "h2"), "made");
}

StorageRoom room_in(const std::string& name, std::optional<NodeSelectorTerm> nodes, std::int64_t left) {
  StorageRoom room;
  room.meta = {"kube-system", name, "uid-" + name, "1"};
  room.storage_class = "gp3";
  room.left = left;
  room.nodes = std::move(nodes);
  return room;
}

TEST(VolumeCache, AClaimGoesWhereItsDriverSaysThatItHasRoom) {
  const NodeSelectorTerm on_h1{{"host", LabelRequirement::Operator::in, {"h1"}}};
  const NodeSelectorTerm on_h2{{"host", LabelRequirement::Operator::in, {"h2"}}};
  VolumeCache cache;
  cache.update(StorageClass{{"", "gp3", "u", "1"}, true, "ebs.csi.aws.com", {}});
  cache.update(claim_of("c", "gp3"));
  cache.update(room_in("small", on_h1, 9));
  EXPECT_THAT(cache.find("n", "c")->node_terms, IsEmpty()) << "the driver does not ask anybody to look";
  cache.update(CsiDriver{{"", "ebs.csi.aws.com", "u", "1"}, true});
  EXPECT_THAT(cache.find("n", "c")->why_not, HasSubstr("no CSIStorageCapacity of StorageClass 'gp3'"));
  EXPECT_EQ(volume_on(cache, "c", "h1"), "none");
  cache.update(room_in("large", on_h2, 10));
  EXPECT_EQ(cache.find("n", "c")->why_not, "");
  EXPECT_THAT(cache.find("n", "c")->node_terms, ElementsAre(on_h2));
  EXPECT_EQ(volume_on(cache, "c", "h1"), "none");
  EXPECT_EQ(volume_on(cache, "c", "h2"), "");
  cache.reserve(cache.choose("n", {"c"}, host("h2"))->at(0));
  cache.forget_room(room_in("large", on_h2, 10).meta);
  EXPECT_EQ(volume_on(cache, "c", "h2"), "") << "the driver was asked and has counted it";
  cache.release(claim_of("c", "gp3").meta);
  EXPECT_EQ(volume_on(cache, "c", "h2"), "none");
  cache.forget_driver({"", "ebs.csi.aws.com", "u", "1"});
  EXPECT_EQ(volume_on(cache, "c", "h1"), "");
}

// Against the rules of kube-scheduler, said node by node.
TEST(VolumeCache, ProvisionedClaimsAgreeWithKubeSchedulerOnRandomRooms) {
  using Operator = LabelRequirement::Operator;
  std::mt19937 random(7);
  const auto draw = [&](int n) { return static_cast<int>(random() % n); };
  int some = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<NodeSelectorTerm> topologies = draw(2) == 0 ? std::vector<NodeSelectorTerm>() : in_b;
    const bool tells = draw(4) > 0;
    VolumeCache cache;
    cache.update(claim_of("c", "gp3", 5));
    cache.update(StorageClass{{"", "gp3", "u", "1"}, true, "ebs.csi.aws.com", topologies});
    cache.update(CsiDriver{{"", "ebs.csi.aws.com", "u", "1"}, tells});
    std::map<std::string, StorageRoom> rooms;
    for (int i = draw(5); i > 0; --i) {
      const std::string on = fmt::format("h{}", 1 + draw(2));
      const std::vector<std::optional<NodeSelectorTerm>> nodes{std::nullopt, NodeSelectorTerm(),
                                                               NodeSelectorTerm{{"host", Operator::in, {on}}},
                                                               NodeSelectorTerm{{"host", Operator::not_in, {on}}}};
      StorageRoom room = room_in(fmt::format("r{}", draw(3)), nodes[draw(4)], draw(10));
      if (draw(3) == 0) room.left.reset();
      if (draw(3) == 0) room.most_at_once = draw(10);
      if (draw(4) == 0) room.storage_class = "other";
      rooms[room.meta.name] = room;
      cache.update(room);
      if (draw(4) == 0) {
        cache.forget_room(room.meta);
        rooms.erase(room.meta.name);
      }
      cache.find("n", "c");  // what is kept from call to call has to follow
    }
    for (const std::string name : {"h1", "h2"}) {
      const NodeProfile profile = profile_of(host(name));
      const bool allowed = topologies.empty() || meets_all(topologies[0], profile);
      const bool has_room = std::any_of(rooms.begin(), rooms.end(), [&](const auto& entry) {
        const StorageRoom& room = entry.second;
        const std::optional<std::int64_t> limit = room.most_at_once ? room.most_at_once : room.left;
        return room.storage_class == "gp3" && limit && *limit >= 5 && room.nodes && meets_all(*room.nodes, profile);
      });
      const bool expected = allowed && (!tells || has_room);
      const ClaimedVolume& joined = *cache.find("n", "c");
      EXPECT_EQ(joined.why_not.empty() && reaches_volume(joined.node_terms, profile), expected) << round << name;
      EXPECT_EQ(cache.choose("n", {"c"}, host(name)).has_value(), expected) << round << name;
      some += expected ? 1 : 0;
    }
  }
  EXPECT_GT(some, 1000);
  EXPECT_LT(some, 3000);
}

TEST(VolumeCache, AReservedVolumeIsForOneClaimAndAClaimForOneNode) {
  VolumeCache cache = with_classes();
  cache.update(claim_of("c", "local"));
  cache.update(claim_of("d", "local"));
  cache.update(local_volume("v1", "h1"));
  cache.update(local_volume("v2", "h2"));
  const std::uint64_t before = cache.version();
  cache.reserve(cache.choose("n", {"c"}, host("h1"))->at(0));
  EXPECT_GT(cache.version(), before);
  EXPECT_EQ(volume_on(cache, "d", "h1"), "none");
  EXPECT_EQ(volume_on(cache, "d", "h2"), "v2");
  EXPECT_EQ(cache.find("n", "d")->node_terms.size(), 1u);
  EXPECT_EQ(cache.choose("n", {"c"}, host("h2")).error().code, ErrorCode::conflict);
  cache.release(claim_of("c", "local").meta);
  EXPECT_EQ(volume_on(cache, "d", "h1"), "v1");
  EXPECT_EQ(volume_on(cache, "c", "h2"), "v2");
}

TEST(VolumeCache, TwoClaimsOfAPodNeedTwoVolumesOfTheNode) {
  VolumeCache cache = with_classes();
  cache.update(claim_of("c", "local"));
  cache.update(claim_of("d", "local"));
  cache.update(local_volume("v1", "h1"));
  EXPECT_EQ(cache.choose("n", {"c", "d"}, host("h1")).error().code, ErrorCode::not_found);
  cache.update(local_volume("v2", "h1"));
  const auto both = cache.choose("n", {"c", "d"}, host("h1"));
  ASSERT_TRUE(both);
  EXPECT_THAT((std::vector{both->at(0).volume, both->at(1).volume}), ElementsAre("v1", "v2"));
}

TEST(VolumeCache, AChosenNodeIsTheOnlyOneUntilTheClaimIsBoundWhichSettlesIt) {
  VolumeCache cache = with_classes();
  Claim claim = claim_of("c", "gp3");
  claim.selected_node = "h2";
  cache.update(claim);
  EXPECT_EQ(cache.find("n", "c")->node_terms.at(0).at(0).key, node_name_key);
  EXPECT_EQ(cache.choose("n", {"c"}, host("h3")).error().code, ErrorCode::conflict);
  cache.reserve(cache.choose("n", {"c"}, host("h2"))->at(0));
  claim.bound = true;
  claim.volume = "pv";
  cache.update(claim);
  EXPECT_THAT(cache.find("n", "c")->why_not, HasSubstr("does not exist"));
  Volume volume;
  volume.meta.name = "pv";
  volume.required = in_b;
  cache.update(volume);
  EXPECT_FALSE(cache.find("n", "c")->on_first_use);
  EXPECT_EQ(cache.find("n", "c")->node_terms, in_b);
  EXPECT_THAT(*cache.choose("n", {"c"}, host("h3")), IsEmpty()) << "nothing is left to do";
}

TEST(VolumeCache, AClaimOfAnUnknownClassOrOneThatNamesItsVolumeIsBoundByOthers) {
  VolumeCache cache = with_classes();
  cache.update(claim_of("c", "gp3"));
  cache.forget_class({"", "gp3", "u", "1"});
  EXPECT_THAT(cache.find("n", "c")->why_not, HasSubstr("is not bound to a volume yet"));
  Claim named = claim_of("d", "local");
  named.volume = "v1";
  cache.update(named);
  cache.update(local_volume("v1", "h1"));
  EXPECT_THAT(cache.find("n", "d")->why_not, HasSubstr("is not bound to a volume yet"));
  cache.forget_claim(named.meta);
  EXPECT_EQ(cache.find("n", "d"), nullptr);
}

}  // namespace
}  // namespace lips::kubernetes

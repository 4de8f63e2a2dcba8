#include "kubernetes/pods/volume_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

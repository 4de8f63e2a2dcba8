#include "kubernetes/pods/pod_group.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<PodGroup> with_spec(const std::string& spec) {
  PodGroupDecoder decoder;
  return decoder.decode(
      fmt::format(R"({{"metadata":{{"name":"train","namespace":"ml","uid":"u","resourceVersion":"7"}},"spec":{},)"
                  R"("status":{{"conditions":[{{"type":"PodGroupScheduled"}}]}}}})",
                  spec));
}

TEST(PodGroupDecoder, ReadsHowManyPodsStartTogether) {
  const Result<PodGroup> gang = with_spec(
      R"({"schedulingPolicy":{"gang":{"minCount":4}},"podGroupTemplateRef":{"workload":{"workloadName":"w"}}})");
  ASSERT_TRUE(gang) << gang.error().message;
  EXPECT_EQ(gang->meta, (ObjectMeta{"ml", "train", "u", "7"}));
  EXPECT_EQ(gang->gang, 4);
  EXPECT_THAT(gang->not_understood, IsEmpty());
  const Result<PodGroup> basic = with_spec(R"({"schedulingPolicy":{"basic":{}}})");
  ASSERT_TRUE(basic) << basic.error().message;
  EXPECT_FALSE(basic->gang);
}

// Kubernetes 1.37 calls the template and the mode of disruption otherwise, and has groups of groups.
TEST(PodGroupDecoder, ReadsTheSameOfV1beta1) {
  const std::string gang =
      R"("schedulingPolicy":{"gang":{"minCount":4}},"workloadRef":{"workloadName":"w","templateName":"t"},)"
      R"("disruptionMode":{"all":{}},"priority":7,"preemptionPolicy":"Never")";
  const Result<PodGroup> group = with_spec('{' + gang + '}');
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->gang, 4);
  EXPECT_THAT(group->not_understood, IsEmpty());
  const Result<PodGroup> within = with_spec('{' + gang + R"(,"parentCompositePodGroupName":"whole"})");
  ASSERT_TRUE(within) << within.error().message;
  EXPECT_THAT(within->not_understood, ElementsAre("spec.parentCompositePodGroupName"));
}

TEST(PodGroupDecoder, NamesConstraintsThatNobodyHonours) {
  const Result<PodGroup> group = with_spec(
      R"({"schedulingConstraints":{"topology":[{"key":"rack"},{"key":"zone"}]},"resourceClaims":[{"name":"gpu"}],)"
      R"("schedulingPolicy":{"basic":{}}})");
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_THAT(group->not_understood, ElementsAre("spec.schedulingConstraints.topology", "spec.resourceClaims"));
  const Result<PodGroup> none =
      with_spec(R"({"schedulingConstraints":{"topology":[]},"resourceClaims":null,"schedulingPolicy":{"basic":{}}})");
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_THAT(none->not_understood, IsEmpty());
}

TEST(PodGroupDecoder, RefusesAPolicyThatItDoesNotKnow) {
  for (const char* policy : {R"({"together":{"minCount":3}})", R"({"gang":{}})", "{}", R"({"gang":null})"}) {
    const Result<PodGroup> group = with_spec(fmt::format(R"({{"schedulingPolicy":{}}})", policy));
    ASSERT_FALSE(group) << policy;
    EXPECT_THAT(group.error().message, HasSubstr("spec.schedulingPolicy: found neither basic nor gang"));
  }
  for (const char* count : {"0", "-1", "4000000000"}) {
    const Result<PodGroup> group =
        with_spec(fmt::format(R"({{"schedulingPolicy":{{"gang":{{"minCount":{}}}}}}})", count));
    ASSERT_FALSE(group);
    EXPECT_THAT(group.error().message, HasSubstr(fmt::format("minCount: found {}; allowed: 1 to 1e9", count)));
  }
}

}  // namespace
}  // namespace lips::kubernetes

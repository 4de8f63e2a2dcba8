#include "kubernetes/pods/node_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using Json = nlohmann::json;
using Operator = LabelRequirement::Operator;

Json whole() {
  return Json::parse(R"({
    "apiVersion": "karpenter.sh/v1", "kind": "NodePool",
    "metadata": {"name": "batch", "uid": "u", "resourceVersion": "7"},
    "spec": {
      "template": {
        "metadata": {"labels": {"team": "etl"}},
        "spec": {
          "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
          "expireAfter": "720h",
          "taints": [{"key": "batch", "value": "yes", "effect": "NoSchedule"}],
          "startupTaints": [{"key": "boots", "effect": "NoSchedule"}],
          "requirements": [
            {"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["m6i", "c6i"], "minValues": 2},
            {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gt", "values": ["3"]},
            {"key": "kubernetes.io/arch", "operator": "Exists"}]}},
      "limits": {"cpu": "100", "memory": "1Gi", "nodes": "10"},
      "weight": 20,
      "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "1m30s", "budgets": [{"nodes": "10%"}]}},
    "status": {"resources": {"cpu": "8"}, "conditions": [
      {"type": "NodeClassReady", "status": "False"}, {"type": "Ready", "status": "True"}]}})");
}

Result<NodePool> decoded(const Json& json) {
  NodePoolDecoder decoder;
  return decoder.decode(json.dump());
}

TEST(NodePoolDecoder, ReadsWhatSaysWhichNodesAreLaunched) {
  const Result<NodePool> pool = decoded(whole());
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(pool->meta, (ObjectMeta{"", "batch", "u", "7"}));
  EXPECT_TRUE(pool->ready);
  EXPECT_FALSE(pool->deleting);
  EXPECT_FALSE(pool->fixed);
  EXPECT_THAT(pool->requirements,
              ElementsAre(LabelRequirement{"karpenter.k8s.aws/instance-family", Operator::in, {"m6i", "c6i"}},
                          LabelRequirement{"karpenter.k8s.aws/instance-cpu", Operator::greater, {"3"}},
                          LabelRequirement{"kubernetes.io/arch", Operator::exists, {}}));
  EXPECT_THAT(pool->min_values, ElementsAre(Pair("karpenter.k8s.aws/instance-family", 2)));
  EXPECT_THAT(pool->labels, ElementsAre(Pair("team", "etl")));
  EXPECT_THAT(pool->taints, ElementsAre(Taint{"batch", "yes", "NoSchedule"}));
  EXPECT_EQ(pool->provider, "karpenter.k8s.aws");
  EXPECT_EQ(pool->weight, 20);
  EXPECT_THAT(pool->limits, ElementsAre(Pair("cpu", 100'000), Pair("memory", 1 << 30), Pair("nodes", 10)));
  EXPECT_EQ(pool->consolidate_after, Duration(std::chrono::seconds(90)));
}

TEST(NodePoolDecoder, ReadsComparisonsThatIncludeTheirLimit) {
  Json json = whole();
  Json& rule = json["spec"]["template"]["spec"]["requirements"][1];
  const auto read = [&](const char* name, const char* limit) {
    rule["operator"] = name, rule["values"] = {limit};
    const Result<NodePool> pool = decoded(json);
    return pool ? pool->requirements[1] : LabelRequirement{};
  };
  const std::string key = rule["key"];
  EXPECT_EQ(read("Gte", "4"), (LabelRequirement{key, Operator::greater, {"3"}}));
  EXPECT_EQ(read("Gte", "0"), (LabelRequirement{key, Operator::greater, {"-1"}}));
  EXPECT_EQ(read("Lte", "16"), (LabelRequirement{key, Operator::less, {"17"}}));
  for (const char* wrong : {"", "four", "-1", "1.5", "9223372036854775807"}) EXPECT_EQ(read("Lte", wrong), LabelRequirement{}) << wrong;
  rule["values"] = {"1", "2"};
  EXPECT_FALSE(decoded(json));
}

TEST(NodePoolDecoder, KnowsOneThatLaunchesNothing) {
  Json json = whole();
  json["metadata"]["deletionTimestamp"] = "2026-03-01T10:00:00Z";
  EXPECT_TRUE(decoded(json)->deleting);
  json = whole();
  json["spec"]["replicas"] = 3;
  EXPECT_TRUE(decoded(json)->fixed);
  json = whole();
  json["status"]["conditions"][1]["status"] = "Unknown";
  EXPECT_FALSE(decoded(json)->ready);
  json.erase("status");
  EXPECT_FALSE(decoded(json)->ready) << "Karpenter has not looked at it yet";
}

TEST(NodePoolDecoder, TakesDefaultsWhereNothingIsSaid) {
  const Result<NodePool> pool = decoded(Json::parse(R"({"metadata": {"name": "batch"}, "spec": {"disruption": {}}})"));
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->consolidate_after, Duration(0));
  EXPECT_THAT(pool->requirements, IsEmpty());
  Json never = whole();
  never["spec"]["disruption"]["consolidateAfter"] = "Never";
  EXPECT_EQ(decoded(never)->consolidate_after, std::nullopt);
}

// Half a requirement would allow nodes that Karpenter never launches.
TEST(NodePoolDecoder, RefusesWhatItDoesNotUnderstand) {
  Json json = whole();
  json["spec"]["template"]["spec"]["requirements"][1]["operator"] = "Near";
  ASSERT_FALSE(decoded(json));
  EXPECT_THAT(decoded(json).error().message,
              HasSubstr("NodePool batch: spec.template.spec.requirements: found the operator 'Near'"));
  json = whole();
  json["spec"]["disruption"]["consolidateAfter"] = "soon";
  ASSERT_FALSE(decoded(json));
  EXPECT_THAT(decoded(json).error().message, HasSubstr("found 'soon'; allowed: a duration"));
  json = whole();
  json["spec"]["limits"]["cpu"] = "many";
  EXPECT_FALSE(decoded(json));
}

}  // namespace
}  // namespace lips::kubernetes

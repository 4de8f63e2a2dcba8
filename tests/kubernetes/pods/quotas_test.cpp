#include "kubernetes/pods/quotas.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

namespace lips::kubernetes {
namespace {

class QuotasTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const nlohmann::json& hard, const nlohmann::json& used,
           nlohmann::json spec = nlohmann::json::object()) {
    ResourceQuotaDecoder decoder;
    const Result<ResourceQuota> quota = decoder.decode(nlohmann::json{
        {"metadata", {{"namespace", "n"}, {"name", name}, {"uid", "u"}, {"resourceVersion", "1"}}},
        {"spec", std::move(spec)},
        {"status", {{"hard", hard}, {"used", used}}}}.dump());
    ASSERT_TRUE(quota) << quota.error().message;
    quotas_.update(*quota);
  }
  std::int64_t room(std::int64_t count, const ResourceAmounts& requests = one_core_,
                    const std::string& name_space = "n") const {
    return Quotas::Room(quotas_).take(name_space, {requests}, count);
  }

  inline static const ResourceAmounts one_core_{{"cpu", 1000}, {"memory", 1 << 30}};
  Quotas quotas_;
};

TEST_F(QuotasTest, LeaveRoomForNoMorePodsThanEachOfThemAllows) {
  EXPECT_EQ(room(300), 300) << "nobody has set one";
  add("small", {{"requests.cpu", "4"}, {"pods", "9"}}, {{"requests.cpu", "1500m"}, {"pods", "2"}});
  EXPECT_EQ(room(300), 2);
  EXPECT_EQ(room(1), 1);
  EXPECT_EQ(room(300, {{"memory", 1}}), 7) << "it asks for no CPU";
  EXPECT_EQ(room(300, one_core_, "other"), 300);
  add("memory", {{"memory", "1Gi"}, {"requests.memory", "5Gi"}}, {{"memory", "0"}});
  EXPECT_EQ(room(300), 1) << "of two names of a resource the stricter one counts";
  quotas_.forget({"n", "memory", "u", "2"});
  EXPECT_EQ(room(300), 2);
  add("full", {{"count/pods", "3"}}, {{"count/pods", "5"}});
  EXPECT_EQ(room(300), 0);
}

TEST_F(QuotasTest, AreUsedUpByWhatIsTaken) {
  add("quota", {{"cpu", "10"}, {"requests.nvidia.com/gpu", "2"}}, {{"cpu", "1"}});
  Quotas::Room room(quotas_);
  EXPECT_EQ(room.take("n", {one_core_}, 4), 4);
  EXPECT_EQ(room.take("n", {{{"cpu", 2000}}}, 100), 2);
  EXPECT_EQ(room.take("n", {{{"nvidia.com/gpu", 1}}}, 100), 2);
  EXPECT_EQ(room.take("n", {one_core_}, 100), 1);
  EXPECT_EQ(room.take("n", {{{"cpu", std::numeric_limits<std::int64_t>::max()}}}, 100), 0);
}

// Scopes are read like the API server's admission reads them: all have to hold.
TEST_F(QuotasTest, CountThePodsThatTheirScopesName) {
  const auto none = nlohmann::json::object();
  const auto room_of = [&](const std::string& priority_class, const ResourceAmounts& requests) {
    return Quotas::Room(quotas_).take("n", {requests, priority_class}, 5);
  };
  const auto of_class = [](const char* relation, const std::vector<std::string>& values) {
    nlohmann::json rule{{"scopeName", "PriorityClass"}, {"operator", relation}};
    if (!values.empty()) rule["values"] = values;
    return nlohmann::json{{"scopeSelector", {{"matchExpressions", {rule}}}}};
  };
  const ResourceAmounts nothing;
  for (const auto& [scope, asking, idle] :
       std::vector<std::tuple<const char*, int, int>>{{"BestEffort", 5, 0},
                                                      {"NotBestEffort", 0, 5},
                                                      {"NotTerminating", 0, 0},
                                                      {"Terminating", 5, 5},
                                                      {"CrossNamespacePodAffinity", 5, 5},
                                                      {"OfAYearToCome", 5, 5}}) {
    add("scoped", {{"pods", "0"}}, none, {{"scopes", {scope}}});
    EXPECT_EQ(room_of("", one_core_), asking) << scope;
    EXPECT_EQ(room_of("", nothing), idle) << scope;
  }
  add("scoped", {{"pods", "0"}}, none, of_class("In", {"high", "low"}));
  EXPECT_EQ(room_of("low", one_core_), 0);
  EXPECT_EQ(room_of("other", one_core_), 5);
  add("scoped", {{"pods", "0"}}, none, of_class("NotIn", {"high"}));
  EXPECT_EQ(room_of("high", one_core_), 5);
  EXPECT_EQ(room_of("", one_core_), 0);
  add("scoped", {{"pods", "0"}}, none, of_class("Exists", {}));
  EXPECT_EQ(room_of("high", one_core_), 0);
  EXPECT_EQ(room_of("", one_core_), 5);
  add("scoped", {{"pods", "0"}}, none, of_class("DoesNotExist", {}));
  EXPECT_EQ(room_of("high", one_core_), 5);
  EXPECT_EQ(room_of("", one_core_), 0);
  nlohmann::json both = of_class("In", {"high"});
  both["scopes"] = {"BestEffort"};
  add("scoped", {{"pods", "0"}}, none, both);
  EXPECT_EQ(room_of("high", one_core_), 5);
  EXPECT_EQ(room_of("high", nothing), 0);
}

TEST_F(QuotasTest, AreUsedUpByThePodsThatTheyCountAlone) {
  add("high", {{"pods", "3"}}, nlohmann::json::object(),
      {{"scopeSelector",
        {{"matchExpressions", {{{"scopeName", "PriorityClass"}, {"operator", "In"}, {"values", {"high"}}}}}}}});
  Quotas::Room room(quotas_);
  EXPECT_EQ(room.take("n", {one_core_, "low"}, 9), 9);
  EXPECT_EQ(room.take("n", {one_core_, "high"}, 2), 2);
  EXPECT_EQ(room.take("n", {one_core_, "high"}, 2), 1);
}

TEST_F(QuotasTest, DoNotCountWhatTheyDoNotLimit) {
  add("limits", {{"limits.cpu", "0"}, {"services", "0"}}, nlohmann::json::object());
  EXPECT_EQ(room(5), 5);
}

}  // namespace
}  // namespace lips::kubernetes

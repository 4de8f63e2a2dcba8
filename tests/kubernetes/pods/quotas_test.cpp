#include "kubernetes/pods/quotas.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace lips::kubernetes {
namespace {

class QuotasTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const nlohmann::json& hard, const nlohmann::json& used,
           nlohmann::json spec = nlohmann::json::object()) {
    ResourceQuotaDecoder decoder;
    const Result<ResourceQuota> quota =
        decoder.decode(nlohmann::json{{"metadata", {{"namespace", "n"}, {"name", name}, {"uid", "u"}, {"resourceVersion", "1"}}},
                                      {"spec", std::move(spec)},
                                      {"status", {{"hard", hard}, {"used", used}}}}
                           .dump());
    ASSERT_TRUE(quota) << quota.error().message;
    quotas_.update(*quota);
  }
  std::int64_t room(std::int64_t count, const ResourceAmounts& requests = one_core_,
                    const std::string& name_space = "n") const {
    return Quotas::Room(quotas_).take(name_space, requests, count);
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
  EXPECT_EQ(room.take("n", one_core_, 4), 4);
  EXPECT_EQ(room.take("n", {{"cpu", 2000}}, 100), 2);
  EXPECT_EQ(room.take("n", {{"nvidia.com/gpu", 1}}, 100), 2);
  EXPECT_EQ(room.take("n", one_core_, 100), 1);
  EXPECT_EQ(room.take("n", {{"cpu", std::numeric_limits<std::int64_t>::max()}}, 100), 0);
}

TEST_F(QuotasTest, DoNotCountWhereTheyAreForSomePodsOnly) {
  add("scoped", {{"pods", "0"}}, nlohmann::json::object(), {{"scopes", {"BestEffort"}}});
  add("limits", {{"limits.cpu", "0"}, {"services", "0"}}, nlohmann::json::object());
  EXPECT_EQ(room(5), 5);
}

}  // namespace
}  // namespace lips::kubernetes

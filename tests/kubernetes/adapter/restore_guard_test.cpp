#include "kubernetes/adapter/restore_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr TimePoint noon_of_a_restore{std::chrono::hours(12)};

// One ConfigMap, which guards of several replicas share.
class RestoreGuardTest : public testing::Test {
 protected:
  RestoreGuard* guard() {
    RestoreGuard::Surroundings around{api_.client(), [] { return true; }, [] {}};
    guards_.push_back(
        std::make_unique<RestoreGuard>(std::move(around), KeptShares::Place{"lips-system", "lips-memory"}));
    return guards_.back().get();
  }
  // Lets time pass until that holds.
  template <class Done>
  bool passes(RestoreGuard& guard, bool leads, Done done) {
    for (int turn = 0; turn < 2000; ++turn) {
      guard.tick(now_ += std::chrono::seconds(1), leads);
      api_.settle();
      if (done()) return true;
    }
    return false;
  }
  std::string kept() const { return there_ ? map_["data"].value("restore", "") : ""; }
  void confirm(const std::string& id) { map_["metadata"]["annotations"][restore_checked_annotation] = id; }

  std::vector<std::unique_ptr<RestoreGuard>> guards_;  // outlive the client, which answers them
  bool there_ = false;
  Json map_ = {{"data", Json::object()}};
  VirtualApi api_{[this](const ReceivedRequest& request) {
    Reply reply;
    if (!there_ && request.method != "POST") return Reply{404, "{}", {}, false, nullptr};
    if (request.method != "GET") map_.merge_patch(Json::parse(request.body)), there_ = true;
    reply.body = map_.dump();
    return reply;
  }};
  TimePoint now_ = noon_of_a_restore;
  const SetBack news_{"/api/v1/pods", 3291, 260};
};

TEST_F(RestoreGuardTest, SuspendsFromTheNewsUntilAPersonConfirmsThisRestore) {
  RestoreGuard* own = guard();
  EXPECT_FALSE(own->known());
  ASSERT_TRUE(passes(*own, true, [&] { return own->known(); }));
  EXPECT_EQ(own->why(), "");
  EXPECT_TRUE(own->noticed(news_, now_));
  EXPECT_THAT(own->why(), testing::AllOf(HasSubstr("version 3291 was seen, and then 260"),
                                         HasSubstr("lips-memory lips.dev/restore-checked=3291-260")));
  EXPECT_FALSE(own->noticed({"/api/v1/nodes", 3290, 261}, now_)) << "another informer sees the same";
  ASSERT_TRUE(passes(*own, true, [&] { return !kept().empty(); }));
  EXPECT_THAT(kept(), testing::EndsWith("Z 3291-260"));
  confirm("7-3");
  const std::size_t reads = api_.requests().size();
  ASSERT_TRUE(passes(*own, true, [&] { return api_.requests().size() > reads + 2; }));
  EXPECT_NE(own->why(), "") << "that was another restore";
  confirm("3291-260");
  EXPECT_TRUE(passes(*own, true, [&] { return own->why().empty(); }));
}

TEST_F(RestoreGuardTest, TellsTheNextProcessAndTheReplicaThatStoodBy) {
  RestoreGuard *leader = guard(), *standby = guard();
  EXPECT_TRUE(leader->noticed(news_, now_));
  EXPECT_TRUE(standby->noticed({"leases.coordination.k8s.io", 3300, 259}, now_));
  ASSERT_TRUE(passes(*leader, true, [&] { return !kept().empty(); }));
  EXPECT_THAT(kept(), testing::EndsWith("3291-260"));
  RestoreGuard* next = guard();
  ASSERT_TRUE(passes(*next, false, [&] { return next->known(); }));
  EXPECT_THAT(next->why(), HasSubstr("3291-260"));
  confirm("3291-260");
  EXPECT_TRUE(passes(*standby, false, [&] { return standby->why().empty(); })) << "the leader's record is its own";
  EXPECT_TRUE(passes(*standby, true, [&] { return standby->known(); }));
  EXPECT_THAT(kept(), testing::EndsWith("3291-260")) << "it writes no other one";
}

TEST_F(RestoreGuardTest, AnOlderRecordIsOfAnEarlierRestore) {
  there_ = true;
  map_["data"]["restore"] = "1970-01-01T01:00:00Z 90-20";
  confirm("90-20");
  RestoreGuard* own = guard();
  ASSERT_TRUE(passes(*own, true, [&] { return own->known(); }));
  EXPECT_EQ(own->why(), "") << "somebody has confirmed it";
  EXPECT_TRUE(own->noticed(news_, now_));
  ASSERT_TRUE(passes(*own, true, [&] { return kept().ends_with("3291-260"); }));
  EXPECT_THAT(own->why(), HasSubstr("3291-260"));
}

TEST_F(RestoreGuardTest, WithoutAPlaceItLastsAsLongAsTheProcess) {
  RestoreGuard own({api_.client(), [] { return true; }, [] {}}, {});
  EXPECT_TRUE(own.known());
  EXPECT_TRUE(own.noticed(news_, now_));
  EXPECT_THAT(own.why(), HasSubstr("restarts the operator"));
}

}  // namespace
}  // namespace lips::kubernetes

#include "kubernetes/adapter/reclaims.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

const ObjectMeta pod{"n", "p", "uid-1", ""};

// One eviction, answered like that.
struct OneEviction {
  explicit OneEviction(Reply reply, bool may_act = true)
      : api([reply](const ReceivedRequest&) { return reply; }),
        reclaims({api.client(), [may_act] { return may_act; }, [this] { answered = true; }, log}) {
    reclaims.evict(pod, {TaskId(7), 3, "etl", "a"});
  }
  std::vector<ClusterEvent> refused(std::uint64_t listing = 3) {
    EXPECT_TRUE(api.until([&] { return answered; }));
    std::vector<ClusterEvent> events;
    reclaims.report(events, listing, TimePoint(seconds(100)));
    return events;
  }

  bool answered = false;
  SilentLog log;
  VirtualApi api;
  Reclaims reclaims;
};

TEST(Reclaims, EvictThePodThatIsMeantAndNoOtherOfItsName) {
  OneEviction eviction({201, "{}", {}, false, nullptr});
  ASSERT_TRUE(eviction.api.until([&] { return !eviction.api.requests().empty(); }));
  const ReceivedRequest& request = eviction.api.requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/namespaces/n/pods/p/eviction");
  EXPECT_EQ(
      nlohmann::json::parse(request.body),
      nlohmann::json::parse(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p","namespace":"n"},)"
                            R"("deleteOptions":{"preconditions":{"uid":"uid-1"}}})"));
}

TEST(Reclaims, LeaveAPodThatABudgetProtectsAfterOneTry) {
  OneEviction eviction(
      {429, R"({"message":"Cannot evict pod as it would violate the pod's disruption budget."})", 0, false, nullptr});
  const std::vector<ClusterEvent> events = eviction.refused();
  ASSERT_EQ(events.size(), 1u);
  const auto& stays = std::get<TaskStays>(events[0]);
  EXPECT_EQ(stays.task, TaskId(7));
  EXPECT_EQ(stays.until, TimePoint(seconds(100)) + reclaim_again);
  EXPECT_EQ(eviction.api.requests().size(), 1u);
}

TEST(Reclaims, SayThatAPodStaysWithoutTheRight) {
  OneEviction eviction({403, R"({"message":"forbidden"})", {}, false, nullptr});
  EXPECT_EQ(eviction.refused().size(), 1u);
}

TEST(Reclaims, SendNothingWhereAnotherReplicaLeads) {
  OneEviction eviction({201, "{}", {}, false, nullptr}, false);
  EXPECT_EQ(eviction.refused().size(), 1u);
  EXPECT_TRUE(eviction.api.requests().empty());
}

// Ids of tasks are those of the last list.
TEST(Reclaims, ForgetWhatWasAskedBeforeAnotherList) {
  OneEviction eviction({403, R"({"message":"forbidden"})", {}, false, nullptr});
  EXPECT_TRUE(eviction.refused(4).empty());
}

TEST(Reclaims, KnowWhoLeavesUntilThePodIsGoneOrStays) {
  OneEviction done({201, "{}", {}, false, nullptr});
  ASSERT_NE(done.reclaims.pool_of(pod), nullptr);
  EXPECT_EQ(*done.reclaims.pool_of(pod), "etl");
  EXPECT_EQ(done.reclaims.nodes(), std::set<std::string>{"a"});
  EXPECT_EQ(done.reclaims.pool_of({"n", "p", "uid-2", ""}), nullptr) << "another of its name";
  done.reclaims.forget_gone([](const ObjectMeta&) { return true; });
  EXPECT_TRUE(done.reclaims.any());
  done.reclaims.forget_gone([](const ObjectMeta&) { return false; });
  EXPECT_FALSE(done.reclaims.any());
  OneEviction refused({403, R"({"message":"forbidden"})", {}, false, nullptr});
  refused.refused();
  EXPECT_FALSE(refused.reclaims.any());
}

}  // namespace
}  // namespace lips::kubernetes

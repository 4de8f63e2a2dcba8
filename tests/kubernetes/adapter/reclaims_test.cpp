#include "kubernetes/adapter/reclaims.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/real_loop.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

const ObjectMeta pod{"n", "p", "uid-1", ""};

// One eviction, answered like that.
struct OneEviction {
  explicit OneEviction(Reply reply, bool may_act = true)
      : server([reply](const ReceivedRequest&) { return reply; }),
        client(std::make_unique<HttpClient>(server.connection(), quick_client()), loop),
        reclaims({client, [may_act] { return may_act; }, [this] { answered = true; }, log}) {
    reclaims.evict(pod, {TaskId(7), 3, "etl", "a"});
  }
  std::vector<ClusterEvent> refused(std::uint64_t listing = 3) {
    while (!answered) loop.run(std::chrono::seconds(1));
    std::vector<ClusterEvent> events;
    reclaims.report(events, listing, TimePoint(seconds(100)));
    return events;
  }

  bool answered = false;
  SilentLog log;
  FakeApiServer server;
  RealLoop loop;
  LoopClient client;
  Reclaims reclaims;
};

TEST(Reclaims, EvictThePodThatIsMeantAndNoOtherOfItsName) {
  OneEviction eviction({201, "{}", {}, false, nullptr});
  while (eviction.server.requests().empty()) eviction.loop.run(std::chrono::milliseconds(10));
  const ReceivedRequest request = eviction.server.requests()[0];
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
  EXPECT_EQ(eviction.server.requests().size(), 1u);
}

TEST(Reclaims, SayThatAPodStaysWithoutTheRight) {
  OneEviction eviction({403, R"({"message":"forbidden"})", {}, false, nullptr});
  EXPECT_EQ(eviction.refused().size(), 1u);
}

TEST(Reclaims, SendNothingWhereAnotherReplicaLeads) {
  OneEviction eviction({201, "{}", {}, false, nullptr}, false);
  EXPECT_EQ(eviction.refused().size(), 1u);
  EXPECT_TRUE(eviction.server.requests().empty());
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

#include "kubernetes/adapter/reclaims.h"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

const ObjectMeta pod{"n", "p", "uid-1", ""};

// One eviction, answered like that.
struct OneEviction {
  explicit OneEviction(Reply reply, bool may_act = true)
      : server([reply](const ReceivedRequest&) { return reply; }),
        client(server.connection(), quick_client()),
        reclaims({client, [may_act] { return may_act; }, [this] { answered = true; }, log}) {
    reclaims.evict(pod, TaskId(7), 3);
  }
  std::vector<ClusterEvent> refused(std::uint64_t listing = 3) {
    while (!answered) std::this_thread::yield();
    std::vector<ClusterEvent> events;
    reclaims.report(events, listing, TimePoint(seconds(100)));
    return events;
  }

  std::atomic<bool> answered{false};
  SilentLog log;
  FakeApiServer server;
  HttpClient client;
  Reclaims reclaims;
};

TEST(Reclaims, EvictThePodThatIsMeantAndNoOtherOfItsName) {
  OneEviction eviction({201, "{}", {}, false, nullptr});
  while (eviction.server.requests().empty()) std::this_thread::yield();
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

}  // namespace
}  // namespace lips::kubernetes

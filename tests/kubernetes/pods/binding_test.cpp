#include "kubernetes/pods/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/time_text.h"
#include "tests/kubernetes/adapter/scheduling.h"
#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using Kind = BindAnswer::Kind;

const PodBinding binding{{"n", "p", "uid-1", ""}, "node-1", {{"lips.dev/input", "/data/\"7\""}}};

Kind kind_of(ErrorCode code, const std::string& message) { return outcome_of(binding, fail(code, message)).kind; }

BindAnswer bound(Binder& binder) {
  std::promise<BindAnswer> outcome;
  binder.bind(binding, [&](const PodBinding&, BindAnswer found) { outcome.set_value(std::move(found)); });
  return outcome.get_future().get();
}

std::string status(const std::string& message) { return nlohmann::json{{"message", message}}.dump(); }

TEST(BindAnswer, TellsWhatTheServerMeans) {
  EXPECT_EQ(outcome_of(binding, "{}").kind, Kind::bound);
  EXPECT_EQ(kind_of(ErrorCode::conflict,
                    R"(Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node-1")"),
            Kind::bound);
  const auto other = outcome_of(binding, fail(ErrorCode::conflict, R"(pod p is already assigned to node "node-10")"));
  EXPECT_EQ(other.kind, Kind::elsewhere);
  EXPECT_EQ(other.node, "node-10");
  EXPECT_EQ(kind_of(ErrorCode::conflict, "Precondition failed: UID in precondition: a, UID in object meta: b"),
            Kind::pod_gone);
  EXPECT_EQ(kind_of(ErrorCode::conflict, "pod p is being deleted, cannot be assigned to a host"), Kind::pod_gone);
  EXPECT_EQ(kind_of(ErrorCode::conflict, "pod p has non-empty .spec.schedulingGates"), Kind::refused);
  EXPECT_EQ(kind_of(ErrorCode::not_found, "pods p not found"), Kind::pod_gone);
  EXPECT_EQ(kind_of(ErrorCode::invalid_input, "forbidden"), Kind::refused);
  EXPECT_EQ(kind_of(ErrorCode::unavailable, "timed out"), Kind::unknown);
}

TEST(Binder, SteersAPodByOneMergeOfSelectorAnnotationsAndGates) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [] { return true; });
  std::promise<BindAnswer> outcome;
  binder.steer({{"n", "p", "uid-1", ""}, {{"zone", "a"}}, {{"lips.dev/steered", "a"}}, "node-1"},
               [&](const PodSteering&, BindAnswer found) { outcome.set_value(std::move(found)); });
  const BindAnswer answer = outcome.get_future().get();
  EXPECT_EQ(answer.kind, Kind::bound);
  EXPECT_EQ(answer.node, "node-1");
  ASSERT_EQ(server.requests().size(), 1u);
  const ReceivedRequest request = server.requests()[0];
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.path, "/api/v1/namespaces/n/pods/p");
  EXPECT_EQ(request.content_type, strategic_merge_patch) << "others' gates stay";
  EXPECT_EQ(nlohmann::json::parse(request.body),
            nlohmann::json::parse(R"({"metadata":{"uid":"uid-1","annotations":{"lips.dev/steered":"a"}},)"
                                  R"("spec":{"nodeSelector":{"zone":"a"},)"
                                  R"("schedulingGates":[{"$patch":"delete","name":"lips.dev/zone"}]}})"));
}

// Karpenter before 1.5 never launches a node for a pod with matchFields in any of its terms.
TEST(Binder, SaysWhereASteeredPodWouldRatherBeByLabelsTheFirstWeighsMost) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [] { return true; });
  std::promise<BindAnswer> outcome;
  binder.steer({{"n", "p", "uid-1", ""}, {}, {}, "node-1", {{"kubernetes.io/hostname", "h"}, {"b", "2"}}},
               [&](const PodSteering&, BindAnswer found) { outcome.set_value(std::move(found)); });
  outcome.get_future().get();
  const auto spec = nlohmann::json::parse(server.requests().at(0).body)["spec"];
  EXPECT_FALSE(spec.contains("nodeSelector"));
  EXPECT_EQ(spec["affinity"]["nodeAffinity"],
            nlohmann::json::parse(R"({"preferredDuringSchedulingIgnoredDuringExecution":[
    {"weight":100,"preference":{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["h"]}]}},
    {"weight":50,"preference":{"matchExpressions":[{"key":"b","operator":"In","values":["2"]}]}}]})"));
}

TEST(Binder, MarksAPodAgainstEvictionWithAnEndAndTakesTheMarkAway) {
  VirtualApi api([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  Binder binder(api.client(), [] { return true; });
  binder.keep({"n", "p", "uid-1", ""}, std::chrono::hours(24));
  api.settle();
  binder.let_evict({"n", "p", "uid-1", ""});
  api.settle();
  ASSERT_EQ(api.requests().size(), 2u);
  const auto annotations = [&](std::size_t i) {
    return nlohmann::json::parse(api.requests()[i].body)["metadata"]["annotations"];
  };
  EXPECT_EQ(annotations(0),
            nlohmann::json::parse(R"({"karpenter.sh/do-not-disrupt":"true","lips.dev/kept-for":"86400s"})"));
  EXPECT_EQ(annotations(1), nlohmann::json::parse(R"({"karpenter.sh/do-not-disrupt":null,"lips.dev/kept-for":null})"));
}

TEST(Binder, WritesNodeUidAndAnnotationsInOneRequest) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{201, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [] { return true; });
  EXPECT_EQ(bound(binder).kind, Kind::bound);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/api/v1/namespaces/n/pods/p/binding");
  const auto body = nlohmann::json::parse(server.requests()[0].body);
  EXPECT_EQ(body["kind"], "Binding");
  EXPECT_EQ(body["metadata"]["uid"], "uid-1");
  EXPECT_EQ(body["metadata"]["annotations"]["lips.dev/input"], "/data/\"7\"");
  EXPECT_EQ(body["target"]["name"], "node-1");
}

TEST(Binder, CallsABindingWhoseAnswerWasLostASuccess) {
  std::atomic<int> tries{0};
  FakeApiServer server([&](const ReceivedRequest&) {
    if (tries++ == 0) return Reply{201, "{", {}, true, nullptr};
    return Reply{409, status(R"(pod p is already assigned to node "node-1")"), {}, false, nullptr};
  });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [] { return true; });
  EXPECT_EQ(bound(binder).kind, Kind::bound);
  EXPECT_EQ(tries, 2);
}

// The first try may have been carried out, whatever a proxy says of the second.
TEST(Binder, DoesNotKnowWhatBecameOfATryBeforeOneThatIsRefused) {
  for (const int code : {403, 404, 409, 422})
    for (const bool answered : {true, false}) {
      std::atomic<int> tries{0};
      FakeApiServer server([&](const ReceivedRequest&) {
        if (tries++ > 0) return Reply{code, status("pod p is being deleted"), {}, false, nullptr};
        return answered ? Reply{500, "", {}, false, nullptr} : Reply{201, "{", {}, true, nullptr};
      });
      HttpClient client(server.connection(), quick_client());
      Binder binder(client, [] { return true; });
      EXPECT_EQ(bound(binder).kind, Kind::unknown) << code;
      EXPECT_EQ(tries, 2);
      EXPECT_NE(bound(binder).kind, Kind::unknown) << "of a request with one try it is known";
    }
}

TEST(Binder, SendsNothingOnceDeposed) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{201, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [] { return false; });
  EXPECT_EQ(bound(binder).kind, Kind::deposed);
  EXPECT_EQ(server.requests().size(), 0u);
}

TEST(Binder, GivesUpATryThatTakesLongerThanItMay) {
  std::promise<void> arrived, ended;
  std::shared_future<void> end = ended.get_future().share();
  FakeApiServer server([&](const ReceivedRequest&) {
    arrived.set_value();
    end.wait();
    return Reply{201, "{}", {}, false, nullptr};
  });
  HttpClient client(server.connection(), quick_client());
  bool leads = true;  // until the first try has left
  Binder binder(
      client, [&] { return std::exchange(leads, false); }, std::chrono::milliseconds(500));
  EXPECT_EQ(bound(binder).kind, Kind::unknown);
  // A busy server may get to it later than that.
  EXPECT_EQ(arrived.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
  ended.set_value();
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Binder, DoesNotKnowWhatBecameOfATryBeforeItWasDeposed) {
  std::atomic<bool> leads{true};
  FakeApiServer server([&](const ReceivedRequest&) {
    leads = false;
    return Reply{500, "", {}, false, nullptr};
  });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [&] { return leads.load(); });
  EXPECT_EQ(bound(binder).kind, Kind::unknown);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Binder, MarksAPodUnschedulableByAStrategicMergePatch) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), quick_client());
  Binder binder(client, [] { return true; });
  std::promise<Answer> done;
  binder.mark_unschedulable(binding.pod, "no node has 64 cores", *parse_time("2026-03-01T10:00:00Z"),
                            [&](Answer answer) { done.set_value(std::move(answer)); });
  ASSERT_TRUE(done.get_future().get().has_value());
  const ReceivedRequest request = server.requests().at(0);
  EXPECT_EQ(request.method + ' ' + request.path, "PATCH /api/v1/namespaces/n/pods/p/status");
  EXPECT_EQ(request.content_type, strategic_merge_patch);
  const auto condition = nlohmann::json::parse(request.body)["status"]["conditions"][0];
  EXPECT_EQ(condition["type"], "PodScheduled");
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "Unschedulable");
  EXPECT_EQ(condition["message"], "no node has 64 cores");
  EXPECT_EQ(condition["lastTransitionTime"], "2026-03-01T10:00:00Z");
}

}  // namespace
}  // namespace lips::kubernetes

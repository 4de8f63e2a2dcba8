#include "kubernetes/pods/pod_conditions.h"

#include <gtest/gtest.h>

#include <set>

#include "kubernetes/api/http_client.h"
#include "kubernetes/pods/volume_cache.h"
#include "tests/kubernetes/api/fake_api_server.h"
#include "tests/kubernetes/pods/pods_and_conditions.h"

namespace lips::kubernetes {
namespace {

// Planning waits while pods are diagnosed: what one review does not get to is done by the next ones.
TEST(PodConditions, GoesOnInTheNextReviewWhenItHasAskedManyNodes) {
  constexpr int classes = 1000, machines = 5000;
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), ClientOptions{});
  Binder binder(client, [] { return true; });
  EventRecorder events(client, EventOptions{}, [] { return true; });
  PodConditions conditions(binder, events);
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache pods("lips", volumes, groups, nodes);
  for (int i = 0; i < machines; ++i) {
    Node node;
    node.meta = {"", "n" + std::to_string(i), "u", "1"};
    node.ready = true;
    node.allocatable = {{"cpu", 1000}, {"memory", 1 << 20}, {"pods", 110}};
    nodes.update(node);
  }
  for (int i = 0; i < classes; ++i) {
    Pod pod;
    pod.meta = {"n", "p" + std::to_string(i), "uid" + std::to_string(i), "1"};
    pod.scheduler = "lips";
    pod.requests = {{"cpu", 2000 + i}};
    pods.update(pod, TimePoint{});
  }
  const auto found_after = [&](int seconds) {
    conditions.review(pods, nodes, TimePoint(std::chrono::seconds(seconds)));
    const auto found = conditions.pending().find("Unschedulable");
    return found == conditions.pending().end() ? 0u : found->second;
  };
  const std::uint64_t in_one = PodConditions::nodes_a_review / machines;
  EXPECT_NEAR(static_cast<double>(found_after(100)), static_cast<double>(in_one), 2);
  EXPECT_NEAR(static_cast<double>(found_after(101)), static_cast<double>(2 * in_one), 4);
  // An outdated picture of the nodes is kept until every class has had its turn.
  for (int second = 103; second < 112; second += 3) found_after(second);
  EXPECT_EQ(found_after(112), static_cast<std::uint64_t>(classes));
  nodes.forget("n0");
  EXPECT_EQ(found_after(130), static_cast<std::uint64_t>(classes)) << "what was said stays until it is asked again";
}

// Thousands of pods of one namespace that fit nowhere, and one of another, whose name comes last.
TEST(PodConditions, TellEachNamespaceInItsTurnAndWhatIsNewFirst) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  HttpClient client(server.connection(), ClientOptions{});
  Binder binder(client, [] { return true; });
  EventRecorder events(client, EventOptions{}, [] { return true; });
  PodConditions conditions(binder, events);
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache pods("lips", volumes, groups, nodes);
  const auto add = [&](const std::string& name_space, int i) {
    Pod pod;
    pod.meta = {name_space, "p" + std::to_string(i), name_space + std::to_string(i), "1"};
    pod.scheduler = "lips";
    pod.requests = {{"cpu", 2000}};
    return pods.update(pod, TimePoint{}).record;
  };
  for (int i = 0; i < 4000; ++i) add("aaa", i);
  PodRecord* last = add("zzz", 0);
  const auto review = [&](int seconds) { conditions.review(pods, nodes, TimePoint(std::chrono::seconds(seconds))); };
  review(100);
  review(101);  // the rate allows 50
  EXPECT_NE(last->reported_message, "");
  for (int second = 102; second < 112; ++second) review(second);
  PodRecord* late = add("aaa", 5000);
  for (const auto& [name, pod] : pods.ours()) {
    pod->reported_message = pod.get() == late ? "" : "another reason";
    pods.unplaced().note(name, *pod);
  }
  review(113);
  EXPECT_NE(late->reported_message, "") << "those that were told before can wait";
}

// Three pods wait, one of them for more cores than any node has; the node's one core is taken.
class PodConditionsDemand : public PodsAndConditions {
 protected:
  PodConditionsDemand() {
    Node node;
    node.meta = {"", "full", "u", "1"};
    node.ready = true;
    node.allocatable = {{"cpu", 1000}, {"pods", 110}};
    nodes_.update(node);
    Pod pod;
    pod.scheduler = "lips";
    pod.requests = {{"cpu", 1000}};
    for (const char* name : {"holder", "chosen", "waits", "wide"}) {
      pod.meta = {"n", name, name, "1"};
      pod.node = pod.meta.name == "holder" ? "full" : "";
      if (pod.meta.name == "wide") pod.requests = {{"cpu", 9000}};
      pods_.update(pod, start_);
    }
    pod_of("chosen").wants_node = true;
    conditions_.review(pods_, nodes_, start_ - std::chrono::minutes(1));  // the rate allows nothing at first
  }
  PodRecord& pod_of(const std::string& name) { return *pods_.find({"n", name, name, "1"}); }
  std::set<std::string> marked_after(Duration waited, const NodeDemand& demand) {
    conditions_.review(pods_, nodes_, start_ + waited, demand);
    std::set<std::string> names;
    for (const char* name : {"chosen", "waits", "wide"})
      if (!pod_of(name).reported_message.empty()) names.insert(name);
    return names;
  }
  using Names = std::set<std::string>;

  const TimePoint start_{std::chrono::hours(1)};
};

TEST_F(PodConditionsDemand, AreQuietAboutPodsForWhichAPlanAsksForNoNode) {
  const NodeDemand none_fits{true, [](const PodNeeds&) { return false; }};
  EXPECT_EQ(marked_after(Duration(0), none_fits), (Names{"chosen", "wide"}));
  EXPECT_EQ(marked_after(std::chrono::hours(1), none_fits), (Names{"chosen", "wide"}));
}

TEST_F(PodConditionsDemand, AreQuietAboutAPodThatFitsNoNodeButAnOffer) {
  const NodeDemand all_fit{true, [](const PodNeeds&) { return true; }};
  EXPECT_EQ(marked_after(std::chrono::hours(1), all_fit), Names{"chosen"});
  EXPECT_FALSE(pod_of("wide").fits_nowhere);
}

TEST_F(PodConditionsDemand, SpeakOfEveryPodWithoutRoomWhereNobodyChooses) {
  const NodeDemand any{false, [](const PodNeeds&) { return true; }};
  EXPECT_EQ(marked_after(std::chrono::seconds(1), any), (Names{"chosen", "wide"}));
  EXPECT_EQ(marked_after(std::chrono::seconds(31), any), (Names{"chosen", "waits", "wide"}));
}

// The plan's reasons are none for an autoscaler, and a mind that changes every second is not worth as many requests.
TEST_F(PodConditionsDemand, SayWhyThePlanLetsAPodWaitAfterHalfAMinuteAndSeldomAnew) {
  pod_of("chosen").wants_node = false;
  pod_of("waits").task = TaskId(7);
  const NodeDemand none_asks{true, [](const PodNeeds&) { return true; }};
  const WaitingWords* words = &words_of(DeferralReason::cheaper_later);
  const auto wait_of = [&](TaskId task) {
    EXPECT_EQ(task, TaskId(7));
    return words;
  };
  const auto said_after = [&](Duration waited) {
    conditions_.review(pods_, nodes_, start_ + waited, none_asks, wait_of);
    return pod_of("waits").reported_message;
  };
  EXPECT_EQ(said_after(std::chrono::seconds(29)), "");
  EXPECT_EQ(said_after(std::chrono::seconds(31)), words->sentence);
  const std::string before = words->sentence;
  words = &words_of(DeferralReason::pool_maximum);
  EXPECT_EQ(said_after(std::chrono::seconds(60)), before);
  EXPECT_EQ(said_after(std::chrono::seconds(92)), words->sentence);
  EXPECT_EQ(pod_of("chosen").reported_message, "") << "of a pod that is no task the plan says nothing";
  for (const DeferralReason reason : enumerators<DeferralReason>)
    EXPECT_STRNE(words_of(reason).reason, "Unschedulable") << "autoscalers would launch a node";
}

TEST_F(PodConditionsDemand, KnowTheLongestWait) {
  conditions_.review(pods_, nodes_, start_ + std::chrono::seconds(5));
  EXPECT_EQ(conditions_.longest_wait(), std::chrono::seconds(5));
  Pod older;
  older.meta = {"n", "older", "older", "1"};
  older.scheduler = "lips";
  older.created = start_ - std::chrono::seconds(60);
  pods_.update(older, start_);
  conditions_.review(pods_, nodes_, start_ + std::chrono::seconds(6));
  EXPECT_EQ(conditions_.longest_wait(), std::chrono::seconds(66));
  older.meta = {"n", "nowhere", "nowhere", "1"};
  older.created = start_ - std::chrono::hours(1);
  older.requests = {{"cpu", 9000}};
  pods_.update(older, start_);
  conditions_.review(pods_, nodes_, start_ + std::chrono::seconds(7));
  EXPECT_EQ(conditions_.longest_wait(), std::chrono::seconds(67)) << "no node takes that one, however long it waits";
}

}  // namespace
}  // namespace lips::kubernetes

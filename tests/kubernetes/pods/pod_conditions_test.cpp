#include "kubernetes/pods/pod_conditions.h"

#include <gtest/gtest.h>

#include "kubernetes/pods/volumes.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

// Planning waits while pods are diagnosed: what one review does not get to is done by the next ones.
TEST(PodConditions, GoesOnInTheNextReviewWhenItHasAskedManyNodes) {
  constexpr int classes = 1000, machines = 5000;
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  ApiClient client(server.connection(), ClientOptions{});
  Binder binder(client, [] { return true; });
  EventRecorder events(client, EventOptions{}, [] { return true; });
  PodConditions conditions(binder, events);
  VolumeCache volumes;
  NodeCache nodes;
  PodCache pods("lips", volumes, nodes);
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

}  // namespace
}  // namespace lips::kubernetes

// The adapter on the loop of a real cluster, behind real connections: what their thread brings, and what it asks.
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

TEST(RealLink, BindsEveryPodThoughAnswersAreLostAndWatchesBreak) {
  FakeCluster cluster(11);
  for (int i = 0; i < 4; ++i) cluster.put_node(fmt::format("n{}", i), {.cpu = 12, .zone = "zone-a"});
  put_books(cluster);
  cluster.trouble(200);
  Counting counted;
  PolicySettings policy_settings;
  policy_settings.replan_least = Duration(1000);
  const std::unique_ptr<Policy> policy = *make_policy("lips", policy_settings);
  ClusterSettings settings;
  settings.mode = PodMode::bind;
  settings.shares = {"default", "lips-memory"};
  AdapterLoop loop(link_to(cluster.connection()), *policy, std::move(settings), counted);
  for (int batch = 0; batch < 4; ++batch) {
    for (int i = 0; i < 10; ++i) cluster.put_pod(fmt::format("p{}-{}", batch, i), pod_of(1));
    const std::size_t half = 10 * static_cast<std::size_t>(batch) + 5;
    ASSERT_TRUE(loop.until([&] { return cluster.bindings() >= half; })) << cluster.bindings();
    cluster.cut_watches();
    if (batch == 2) cluster.forget_versions();
  }
  cluster.trouble(0);
  EXPECT_TRUE(loop.until([&] {
    const auto pods = cluster.pods();
    return std::none_of(pods.begin(), pods.end(), [](const auto& pod) { return pod.second.node.empty(); });
  })) << cluster.bindings();
  EXPECT_TRUE(cluster.wrong().empty());
  EXPECT_TRUE(loop.until([&] { return counted.status().requests > 0 && !counted.status().watches.empty(); }));
  loop.end();
  EXPECT_TRUE(loop.ran());
}

// The token is for the API server alone.
TEST(RealLink, AsksOthersWithoutTheCredentials) {
  FakeApiServer others([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  const ClusterLink link = link_to(others.connection());
  const auto ask = [&](const auto& connect, const std::string& path) {
    const std::unique_ptr<ApiClient> client = connect(quick_client());
    ApiRequest request;
    request.path = path;
    std::optional<Answer> answer;
    client->start(std::move(request), [&](Answer came) { answer = std::move(came); });
    while (!answer) link.loop->run(std::chrono::seconds(10));
    EXPECT_TRUE(*answer);
    return others.requests().back();
  };
  EXPECT_EQ(ask(link.connect, "/api/v1/nodes").authorization, "Bearer secret");
  const ReceivedRequest asked = ask(link.connect_to_others, others.connection().server + "/api/v1/applications");
  EXPECT_EQ(asked.path, "/api/v1/applications");
  EXPECT_EQ(asked.authorization, "");
}

}  // namespace
}  // namespace lips::kubernetes

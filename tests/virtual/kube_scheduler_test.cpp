// The kube-scheduler of virtual clusters: kube-scheduler's own tables of filters and scores, its queue, and the pods
// that it binds.
#include "virtual/kube_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "virtual/kube_filters.h"
#include "virtual/virtual_loop.h"

namespace lips::virtual_cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- the tables ----

Json cases_of(const char* kind) {
  std::ifstream file(std::string(LIPS_SOURCE_DIR) + "/tests/virtual/kube_scheduler_cases.json");
  return Json::parse(file).at(kind);
}

KubePod pod_with(const Json& spec) { return read_kube_pod({{"metadata", {{"name", "pod"}}}, {"spec", spec}}); }

KubeRoom room_of(const Json& node, const Json& pods) {
  KubeRoom room;
  room.node = read_kube_node(node);
  for (const Json& spec : pods)
    if (text_in(spec, "nodeName").empty() || text_in(spec, "nodeName") == room.node.name) room.put(pod_with(spec));
  return room;
}

KubeReasons filtered(const std::string& of, const KubePod& pod, const KubeRoom& room) {
  if (of == "NodeUnschedulable") return filter_unschedulable(pod, room.node);
  if (of == "TaintToleration") return filter_taints(pod, room.node);
  if (of == "NodeAffinity") return filter_node_affinity(pod, room.node);
  EXPECT_EQ(of, "NodeResourcesFit");
  return filter_resources(pod, room);
}

TEST(KubeScheduler, FiltersAsItsOwnTablesSay) {
  const Json cases = cases_of("filters");
  EXPECT_GE(cases.size(), 70U);
  for (const Json& one : cases) {
    const std::string name = text_in(one, "of") + ": " + text_in(one, "name");
    const KubeReasons says =
        filtered(text_in(one, "of"), pod_with(one["pod"]), room_of(one["node"], part_in(one, "pods")));
    EXPECT_EQ(Json(says), one["says"]) << name;
  }
}

std::vector<std::int64_t> scored(const std::string& of, const KubePod& pod, const KubeRooms& rooms,
                                 const KubeResources& resources) {
  if (of == "PreferredAffinity") return scores_of_affinity(pod, rooms);
  if (of == "TaintScore") return scores_of_taints(pod, rooms);
  std::vector<std::int64_t> scores;
  for (const KubeRoom* room : rooms)
    scores.push_back(of == "LeastAllocated"  ? score_fit(pod, *room, KubeScoring::least_allocated, resources)
                     : of == "MostAllocated" ? score_fit(pod, *room, KubeScoring::most_allocated, resources)
                                             : score_balance(pod, *room, resources));
  return scores;
}

TEST(KubeScheduler, ScoresAsItsOwnTablesSay) {
  const Json cases = cases_of("scores");
  EXPECT_GE(cases.size(), 30U);
  for (const Json& one : cases) {
    std::vector<KubeRoom> rooms;
    for (const Json& node : one["nodes"]) rooms.push_back(room_of(node, one["pods"]));
    KubeRooms all;
    for (const KubeRoom& room : rooms) all.push_back(&room);
    KubeResources resources = usual_resources();
    if (one.contains("resources")) {
      resources.clear();
      for (const auto& [resource, weight] : one["resources"].items()) resources.push_back({resource, weight});
    }
    EXPECT_EQ(Json(scored(text_in(one, "of"), pod_with(one["pod"]), all, resources)), one["scores"])
        << text_in(one, "of") << ": " << text_in(one, "name");
  }
}

TEST(KubeScheduler, KeepsHostPortsApart) {
  const auto with_port = [](const char* address, const char* protocol) {
    return pod_with(
        {{"containers",
          Json::array({{{"ports", Json::array({{{"hostPort", 80}, {"hostIP", address}, {"protocol", protocol}}})}}})}});
  };
  KubeRoom room;
  room.put(with_port("10.0.0.1", "TCP"));
  EXPECT_THAT(filter_ports(with_port("10.0.0.2", "TCP"), room), IsEmpty());
  EXPECT_THAT(filter_ports(with_port("10.0.0.1", "UDP"), room), IsEmpty());
  EXPECT_THAT(filter_ports(with_port("", "TCP"), room),
              ElementsAre("node(s) didn't have free ports for the requested pod ports"));
  room.take_away(with_port("10.0.0.1", "TCP"));
  EXPECT_THAT(filter_ports(with_port("", "TCP"), room), IsEmpty());
}

// ---- the queue ----

TimePoint after(double count) { return TimePoint(seconds(count)); }

TEST(KubeQueue, GivesTheHighestPriorityFirstAndOfEqualOnesTheOldest) {
  KubeQueue queue;
  queue.add("old", 0), queue.add("new", 0), queue.add("urgent", 5);
  EXPECT_EQ(queue.pop(after(0)), "urgent");
  EXPECT_EQ(queue.pop(after(0)), "old");
  queue.put_off("old", after(0));
  queue.wake([](const std::string&) { return true; }, after(2));
  EXPECT_EQ(queue.pop(after(2)), "new") << "the other has been tried since";
  EXPECT_EQ(queue.pop(after(2)), "old");
  EXPECT_EQ(queue.pop(after(2)), std::nullopt);
}

TEST(KubeQueue, BacksOffForASecondAndTwiceAsLongEachTimeUpToTen) {
  KubeQueueRules rules;
  rules.pops_from_back_off = false;
  rules.look_every = Duration(0);
  KubeQueue queue(rules);
  queue.add("pod", 0);
  double now = 0;
  for (const double pause : {1, 2, 4, 8, 10, 10}) {
    ASSERT_EQ(queue.pop(after(now)), "pod");
    queue.put_off("pod", after(now));
    EXPECT_EQ(queue.next(after(now)), TimePoint::max()) << "it rests until something happens";
    queue.wake([](const std::string&) { return true; }, after(now));
    EXPECT_EQ(queue.next(after(now)), after(now + pause));
    EXPECT_EQ(queue.pop(after(now + pause - 0.001)), std::nullopt);
    now += pause;
  }
}

TEST(KubeQueue, LooksAtFullSecondsForBackOffsThatAreOver) {
  KubeQueue queue;
  queue.add("pod", 0);
  double now = 0.4;
  for (const double next : {2.0, 5.0, 10.0, 19.0, 30.0}) {  // the first full second after another 1, 2, 4, 8 and 10
    ASSERT_EQ(queue.pop(after(now)), "pod");
    queue.put_back("pod", after(now));
    EXPECT_EQ(queue.next(after(now)), after(next));
    EXPECT_EQ(queue.pop(after(next - 0.001)), std::nullopt);
    now = next;
  }
}

TEST(KubeQueue, TakesFromBackOffWhileNothingElseIsToBeTried) {
  KubeQueue queue;
  queue.add("refused", 0);
  EXPECT_EQ(queue.pop(after(0)), "refused");
  queue.put_off("refused", after(0));
  queue.wake([](const std::string&) { return true; }, after(0));
  queue.add("fresh", 0);
  EXPECT_EQ(queue.pop(after(0)), "fresh");
  EXPECT_EQ(queue.pop(after(0)), "refused");
}

TEST(KubeQueue, NeverHurriesAPodThatCouldNotBeBound) {
  KubeQueue queue;
  queue.add("pod", 0);
  EXPECT_EQ(queue.pop(after(0)), "pod");
  queue.put_back("pod", after(0));
  EXPECT_EQ(queue.pop(after(0.9)), std::nullopt);
  EXPECT_EQ(queue.next(after(0.9)), after(2));
  EXPECT_EQ(queue.pop(after(2)), "pod");
}

TEST(KubeQueue, WakesThoseAloneThatAreHelped) {
  KubeQueue queue;
  for (const char* pod : {"one", "two"}) queue.add(pod, 0), queue.pop(after(0)), queue.put_off(pod, after(0));
  queue.wake([](const std::string& key) { return key == "two"; }, after(5));
  EXPECT_EQ(queue.pop(after(5)), "two");
  EXPECT_EQ(queue.resting(), 1U);
  queue.remove("one");
  EXPECT_EQ(queue.resting(), 0U);
}

// ---- the pods ----

struct Cluster {
  VirtualLoop loop{after(1000)};
  ApiServer server{loop, 1};
  std::unique_ptr<KubeScheduler> scheduler;

  explicit Cluster(KubeSchedulerRules rules = {}, std::uint64_t seed = 1) {
    for (const char* collection : {"/api/v1/pods", "/api/v1/nodes"}) server.serve(collection);
    scheduler = std::make_unique<KubeScheduler>(server, loop, seed, rules);
  }
  void node(const std::string& name, int cores, Json spec = Json::object()) {
    server.objects().create(
        "/api/v1/nodes",
        {{"metadata", {{"name", name}, {"labels", {{"zone", "a"}}}}},
         {"spec", std::move(spec)},
         {"status", {{"allocatable", {{"cpu", std::to_string(cores)}, {"memory", "8Gi"}, {"pods", "10"}}}}}},
        loop.now());
  }
  void pod(const std::string& name, int cores, Json spec = Json::object()) {
    spec["containers"] = Json::array(
        {{{"name", "main"}, {"resources", {{"requests", {{"cpu", std::to_string(cores)}, {"memory", "1Gi"}}}}}}});
    server.objects().create("/api/v1/pods",
                            {{"metadata", {{"name", name}, {"namespace", "x"}}},
                             {"spec", std::move(spec)},
                             {"status", {{"phase", "Pending"}}}},
                            loop.now());
  }
  void end(const std::string& name) {
    Json pod = *server.objects().find("/api/v1/pods", "x/" + name)->json;
    pod["status"]["phase"] = "Succeeded";
    server.objects().put("/api/v1/pods", "x/" + name, std::move(pod));
  }
  void run(double span) {
    const TimePoint end = loop.now() + seconds(span);
    while (loop.now() < end) loop.run(end - loop.now());
  }
  Json read(const std::string& name) { return *server.objects().find("/api/v1/pods", "x/" + name)->json; }
  std::string node_of(const std::string& name) { return text_in(part_in(read(name), "spec"), "nodeName"); }
  std::string condition(const std::string& name, const char* field) {
    for (const Json& one : part_in(part_in(read(name), "status"), "conditions"))
      if (text_in(one, "type") == "PodScheduled") return text_in(one, field);
    return "";
  }
};

TEST(KubeScheduler, BindsWhatNamesItOrNobodyAndHasNoGate) {
  Cluster cluster;
  cluster.node("n", 8);
  cluster.pod("named", 1, {{"schedulerName", "default-scheduler"}});
  cluster.pod("unnamed", 1);
  cluster.pod("of-another", 1, {{"schedulerName", "lips"}});
  cluster.pod("gated", 1, {{"schedulingGates", Json::array({{{"name", "g"}}})}});
  cluster.run(1);
  EXPECT_EQ(cluster.node_of("named"), "n");
  EXPECT_EQ(cluster.condition("named", "status"), "True");
  EXPECT_EQ(cluster.node_of("unnamed"), "n");
  EXPECT_EQ(cluster.node_of("of-another"), "");
  EXPECT_EQ(cluster.node_of("gated"), "");
  Json open = cluster.read("gated");
  open["spec"].erase("schedulingGates");
  cluster.server.objects().put("/api/v1/pods", "x/gated", std::move(open));
  cluster.run(1);
  EXPECT_EQ(cluster.node_of("gated"), "n");
}

TEST(KubeScheduler, SaysInItsOwnWordsWhyNoNodeIsSuitable) {
  Cluster cluster;
  cluster.pod("early", 1);
  cluster.run(1);
  EXPECT_EQ(cluster.condition("early", "message"), "no nodes available to schedule pods");
  cluster.node("cordoned", 8, {{"unschedulable", true}});
  cluster.node("tainted", 8, {{"taints", Json::array({{{"key", "k"}, {"effect", "NoSchedule"}}})}});
  cluster.node("small-1", 1);
  cluster.node("small-2", 1);
  cluster.pod("large", 2);
  cluster.run(2);
  EXPECT_EQ(cluster.condition("large", "reason"), "Unschedulable");
  EXPECT_EQ(cluster.condition("large", "status"), "False");
  EXPECT_EQ(cluster.condition("large", "message"),
            "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient "
            "cpu.");
  EXPECT_THAT(cluster.node_of("early"), testing::StartsWith("small"));
}

TEST(KubeScheduler, TriesAgainWhenANodeComesOrAPodEnds) {
  Cluster cluster;
  cluster.node("n", 1);
  cluster.pod("first", 1), cluster.pod("second", 1), cluster.pod("third", 1);
  cluster.run(60);
  EXPECT_EQ(cluster.node_of("first"), "n");
  EXPECT_EQ(cluster.condition("second", "reason"), "Unschedulable");
  const std::uint64_t version = cluster.server.objects().version();
  cluster.run(600);
  EXPECT_EQ(cluster.server.objects().version(), version) << "nothing is written while nothing happens";
  cluster.end("first");
  cluster.run(1);
  EXPECT_EQ(cluster.node_of("second"), "n");
  EXPECT_EQ(cluster.node_of("third"), "");
  cluster.node("m", 1);
  cluster.run(1);
  EXPECT_EQ(cluster.node_of("third"), "m");
}

// Without a node a pod comes back after its back-off alone, so that a node is taken by those that came last. The story
// no_nodes asks a real kube-scheduler.
TEST(KubeScheduler, ServesTheLastPodsFirstAfterATimeWithoutNodes) {
  Cluster cluster;
  const auto pods = [&](const char* of) {
    for (int i = 0; i < 3; ++i) cluster.pod(of + std::to_string(i), 1);
  };
  const auto on = [&](const char* of, const char* node) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(cluster.node_of(of + std::to_string(i)), node) << of << i;
  };
  pods("a");
  cluster.run(9);
  pods("b");
  cluster.run(9);
  pods("c");
  cluster.run(13.6);
  cluster.node("first", 3);
  cluster.run(3);
  on("c", "");
  cluster.run(3);
  on("a", ""), on("b", ""), on("c", "first");
  cluster.run(4);
  cluster.node("second", 3);
  cluster.run(1);
  on("a", ""), on("b", "second");
  cluster.run(9);
  cluster.node("third", 3);
  cluster.run(1);
  on("a", "third");
}

// The server refuses the binding, and goes on to.
TEST(KubeScheduler, TriesAPodThatCannotBeBoundAgainAfterEverLongerPauses) {
  Cluster cluster;
  int asked = 0;
  cluster.server.audit_by([&](const kubernetes::ApiRequest&, const ApiResponse&) { ++asked; });
  cluster.node("n", 1);
  cluster.pod("pod", 1);
  cluster.server.hide("/api/v1/pods");
  cluster.run(60);
  EXPECT_GE(asked, 6);
  EXPECT_LE(asked, 10);
}

TEST(KubeScheduler, SpreadsOrPacksAsItsStrategySays) {
  for (const KubeScoring scoring : {KubeScoring::least_allocated, KubeScoring::most_allocated}) {
    KubeSchedulerRules rules;
    rules.scoring = scoring;
    Cluster cluster(rules);
    cluster.node("a", 4), cluster.node("b", 4);
    for (const char* pod : {"1", "2", "3", "4"}) cluster.pod(pod, 1);
    cluster.run(1);
    int on_a = 0;
    for (const char* pod : {"1", "2", "3", "4"}) on_a += cluster.node_of(pod) == "a" ? 1 : 0;
    EXPECT_TRUE(scoring == KubeScoring::least_allocated ? on_a == 2 : on_a == 0 || on_a == 4) << on_a;
  }
}

TEST(KubeScheduler, BreaksTiesByTheSeed) {
  const auto nodes = [](std::uint64_t seed) {
    Cluster cluster({}, seed);
    for (const char* node : {"a", "b", "c", "d"}) cluster.node(node, 4);
    std::string all;
    for (const char* pod : {"1", "2", "3", "4", "5", "6"}) cluster.pod(pod, 1);
    cluster.run(1);
    for (const char* pod : {"1", "2", "3", "4", "5", "6"}) all += cluster.node_of(pod);
    return all;
  };
  EXPECT_EQ(nodes(1), nodes(1));
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) different.insert(nodes(seed));
  EXPECT_GT(different.size(), 4U);
}

// Pods that name their node themselves are asked by nobody whether they fit.
TEST(KubeScheduler, CountsPodsThatAskForMoreThanANumberHolds) {
  KubeRoom room;
  room.node.allocatable.memory = 1 << 30;
  const auto asking = [](const char* memory) {
    return pod_with({{"containers", Json::array({{{"resources", {{"requests", {{"memory", memory}}}}}}})}});
  };
  for (int i = 0; i < 100; ++i) {
    room.put(asking("8Ei"));
    EXPECT_THAT(filter_resources(asking("1Mi"), room), testing::Contains("Insufficient memory"));
  }
}

// Pods and nodes come, end and go at random. No node ever takes more than it has, and in the end no pod waits that some
// node would take.
TEST(KubeScheduler, NeverOvercommitsANodeAndLeavesNobodyWaitingWhoFits) {
  constexpr const char *pods = "/api/v1/pods", *nodes = "/api/v1/nodes";
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Cluster cluster({}, seed);
    int bound = 0, ended = 0;
    cluster.server.objects().listen(pods, [&](const ObjectChange& change) {
      if (!change.before || change.type != ChangeType::modified) return;
      const std::string before = text_in((*change.before)["spec"], "nodeName");
      const std::string now = text_in((*change.now.json)["spec"], "nodeName");
      EXPECT_TRUE(before.empty() || before == now) << "a pod is bound once";
      bound += before.empty() && !now.empty() ? 1 : 0;
    });
    const auto rooms = [&] {
      std::map<std::string, KubeRoom> all;
      for (const auto& [name, node] : cluster.server.objects().all(nodes)) all[name].node = read_kube_node(*node.json);
      for (const auto& [key, stored] : cluster.server.objects().all(pods)) {
        const KubePod pod = read_kube_pod(*stored.json);
        if (!pod.ended && all.contains(pod.node)) all[pod.node].put(pod);
      }
      return all;
    };
    for (int step = 0; step < 120; ++step) {
      const std::string name = "p" + std::to_string(random.below(40)), node = "n" + std::to_string(random.below(6));
      const double kind = random.uniform();
      if (kind < 0.5 && !cluster.server.objects().find(pods, "x/" + name)) {
        Json spec = Json::object();
        if (random.uniform() < 0.3) spec["nodeSelector"] = {{"zone", random.uniform() < 0.7 ? "a" : "b"}};
        cluster.pod(name, static_cast<int>(1 + random.below(4)), spec);
      } else if (kind < 0.75 && cluster.server.objects().find(pods, "x/" + name) && !cluster.node_of(name).empty()) {
        cluster.end(name), ++ended;
        if (random.uniform() < 0.5) cluster.server.objects().remove(pods, "x/" + name);
      } else if (kind < 0.9 && !cluster.server.objects().find(nodes, node)) {
        cluster.node(node, static_cast<int>(2 + random.below(6)));
      } else if (kind > 0.97) {
        cluster.server.objects().remove(nodes, node);
        std::vector<std::string> gone;
        for (const auto& [key, stored] : cluster.server.objects().all(pods))
          if (read_kube_pod(*stored.json).node == node) gone.push_back(key);
        for (const std::string& key : gone) cluster.server.objects().remove(pods, key);
      }
      cluster.run(random.uniform(0, 2));
      for (const auto& [there, room] : rooms()) {
        EXPECT_LE(room.taken.cpu, room.node.allocatable.cpu) << there;
        EXPECT_LE(room.pods, room.node.allocatable.of("pods")) << there;
      }
    }
    cluster.run(15);
    EXPECT_GT(bound, 5);
    EXPECT_GT(ended, 0);
    for (const auto& [key, stored] : cluster.server.objects().all(pods)) {
      const KubePod pod = read_kube_pod(*stored.json);
      if (!pod.node.empty() || pod.ended) continue;
      for (const auto& [name, room] : rooms()) EXPECT_FALSE(why_filtered(pod, room).empty()) << key << " on " << name;
    }
  }
}

}  // namespace
}  // namespace lips::virtual_cluster

// Pods about which there is nothing to say are not looked at. Random lives of pods, seen by two operators: the second
// one looks at every pod at every review, and they say the same.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/pods/pod_conditions.h"
#include "kubernetes/pods/volume_cache.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

class NotesRequests : public ApiClient {
 public:
  RequestId start(ApiRequest request, std::function<void(Answer)>) override {
    sent.push_back(request.path + ' ' + request.body);
    return sent.size();
  }
  void cancel(RequestId) override {}
  std::unique_ptr<ByteStream> watch(ApiRequest) override { return nullptr; }

  std::vector<std::string> sent;

 private:
  bool on_own_thread() const override { return true; }
};

struct World {
  explicit World(bool all) : looks_at_all(all) {}

  void review(TimePoint now) {
    NodeDemand demand{selective, [this](const PodNeeds&) { return offered; }, plan};
    if (looks_at_all) {
      for (const auto& [name, pod] : pods.unplaced().all()) pods.unplaced().note(name, *pod);
      demand.plan.reset();
    }
    conditions.review(pods, nodes, now, demand, [this](TaskId task) { return ++looks, words[task.index()]; });
    events.flush(now);
  }
  PodRecord& pod(const std::string& name) { return *pods.ours().at("n" + name.substr(0, 1) + '/' + name); }

  const bool looks_at_all;
  NotesRequests client;
  Binder binder{client, [] { return true; }};
  EventRecorder events{client, EventOptions{}, [] { return true; }};
  PodConditions conditions{binder, events};
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache pods{"lips", volumes, groups, nodes};
  std::vector<const WaitingWords*> words;  // by task
  std::uint64_t plan = 0, looks = 0;
  bool selective = true, offered = false;
};

class TwoWorlds {
 public:
  explicit TwoWorlds(std::uint64_t seed) : random_(seed) { add_node(), add_node(); }

  void live(int steps) {
    for (int step = 0; step < steps; ++step) {
      for (std::uint64_t changes = random_.below(4); changes > 0; --changes) change();
      const std::uint64_t most = random_.below(8) > 0 ? 3'000 : random_.below(2) == 0 ? 90'000 : 400'000;
      now_ += std::chrono::milliseconds(200 + random_.below(most));
      each([&](World& world) { world.review(now_); });
      expect_the_same();
      if (testing::Test::HasFailure()) return;
    }
  }
  std::size_t said() const { return said_; }

 private:
  template <class Change>
  void each(Change change) {
    change(one_);
    change(all_);
  }

  void change() {
    if (names_.empty() || random_.below(3) == 0) return add_pods();
    const std::string name = names_[random_.below(names_.size())];
    const std::uint64_t chance = random_.below(10);
    switch (random_.below(7)) {
      case 0:
        return take_plan();
      case 1:
        return chance < 5 ? add_node() : each([&](World& world) { world.nodes.forget("n1"); });
      case 2:
        return each([&](World& world) { bind(world, world.pod(name), chance); });
      case 3:
        return each([&](World& world) { hold(world, world.pod(name), chance); });
      case 4:
        return each([&](World& world) { world.pod(name).mode = chance < 5 ? PodMode::steer : PodMode::bind; });
      case 5:
        return forget(name);
      default:
        return each([&](World& world) { world.pods.avoid(world.pod(name), {"n0"}, now_); });
    }
  }

  void add_pods() {
    const std::int64_t cpu = 500 * static_cast<std::int64_t>(1 + random_.below(4));
    const bool gated = random_.below(6) == 0;
    const std::string letter(1, static_cast<char>('a' + random_.below(3)));
    for (std::uint64_t left = 1 + random_.below(random_.below(10) == 0 ? 300 : 6); left > 0; --left) {
      Pod pod;
      const std::string name = letter + std::to_string(++pods_);
      pod.meta = {"n" + letter, name, name, "1"};
      pod.scheduler = gated ? "default-scheduler" : "lips";
      if (gated) pod.gates = {zone_gate};
      pod.requests = {{"cpu", cpu}};
      pod.created = now_ - std::chrono::seconds(left % 7);
      names_.push_back(name);
      each([&](World& world) {
        PodRecord& record = *world.pods.update(pod, now_).record;
        record.task = TaskId(static_cast<std::uint32_t>(world.words.size()));
        record.mode = PodMode::steer;
        world.words.push_back(nullptr);
      });
    }
  }

  // A pod may be asked to end at any time: its record goes with the object.
  void forget(const std::string& name) {
    each([&](World& world) { world.pods.forget(world.pod(name).meta, now_); });
    std::erase(names_, name);
  }

  void take_plan() {
    const std::uint64_t seed = random_.bits();
    each([&](World& world) {
      Random random(seed);
      ++world.plan;
      world.selective = random.below(4) > 0;
      world.offered = random.below(2) == 0;
      for (const WaitingWords*& words : world.words)
        if (random.below(3) == 0)
          words = random.below(5) == 0 ? nullptr : &words_of(static_cast<DeferralReason>(random.below(3)));
      for (const auto& [name, pod] : world.pods.ours()) {
        pod->wants_node = random.below(10) == 0;
        pod->ordered = random.below(10) == 0 ? "zone " + std::to_string(random.below(3)) : "";
      }
    });
  }

  static void bind(World& world, PodRecord& pod, std::uint64_t chance) {
    if (pod.state == PodState::waiting)
      world.pods.begin_binding(pod, "n0");
    else if (pod.state == PodState::binding && chance < 4)
      world.pods.end_binding(pod, PodState::waiting);
    else if (pod.state == PodState::binding && pod.steered)
      world.pods.ungate(pod);
    else if (pod.state == PodState::binding)
      world.pods.place(pod, "n0");
  }

  static void hold(World& world, PodRecord& pod, std::uint64_t chance) {
    if (pod.state != PodState::waiting && pod.state != PodState::held) return;
    if (chance < 6)
      world.pods.hold(pod, UnschedulableReason::volume_not_ready, "waits for " + std::to_string(chance));
    else
      world.pods.release(pod);
  }

  void add_node() {
    Node node;
    node.meta = {"", "n" + std::to_string(random_.below(3)), "u", "1"};
    node.ready = true;
    node.allocatable = {{"cpu", 500 * static_cast<std::int64_t>(1 + random_.below(3))}, {"pods", 110}};
    each([&](World& world) { world.nodes.update(node); });
  }

  void expect_the_same() {
    EXPECT_EQ(one_.client.sent, all_.client.sent);
    said_ += one_.client.sent.size();
    each([](World& world) { world.client.sent.clear(); });
    EXPECT_EQ(one_.conditions.pending(), all_.conditions.pending());
    EXPECT_EQ(one_.conditions.waiting(), all_.conditions.waiting());
    EXPECT_EQ(one_.conditions.longest_wait(), all_.conditions.longest_wait());
    for (const std::string& name : names_) {
      EXPECT_EQ(one_.pod(name).reported_message, all_.pod(name).reported_message);
      EXPECT_EQ(one_.pod(name).fits_nowhere, all_.pod(name).fits_nowhere);
    }
  }

  Random random_;
  World one_{false}, all_{true};
  TimePoint now_{std::chrono::hours(24)};
  std::vector<std::string> names_;
  std::uint64_t pods_ = 0;
  std::size_t said_ = 0;
};

TEST(RestingPods, SayNothingLessThanIfEachWereLookedAt) {
  std::size_t said = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TwoWorlds worlds(seed);
    worlds.live(120);
    said += worlds.said();
    if (HasFailure()) return;
  }
  EXPECT_GT(said, 100U);
}

// Nodes that come change only the numbers in what is said of all nodes: pods that know why they wait are not looked at.
TEST(RestingPods, AreNotWokenByNumbers) {
  World world(false);
  world.offered = true;
  Pod pod;
  pod.scheduler = "lips";
  pod.requests = {{"cpu", 1000}};
  const TimePoint start{std::chrono::hours(24)};
  for (std::uint32_t i = 0; i < 100; ++i) {
    pod.meta = {"n", "p" + std::to_string(i), "p" + std::to_string(i), "1"};
    world.pods.update(pod, start).record->task = TaskId(i);
    world.words.push_back(&words_of_planned());
  }
  Node node;
  node.ready = true;
  node.allocatable = {{"cpu", 500}, {"pods", 110}};
  for (int second = 0; second < 300; ++second) {
    node.meta = {"", "n" + std::to_string(second / 10), "u", "1"};
    world.nodes.update(node);
    world.review(start + std::chrono::seconds(second));
    if (second == 100) world.looks = 0;  // each pod has been told, and has been looked at once more
  }
  EXPECT_EQ(world.looks, 0U);
}

// A thousand pods wait, and each knows why: the next review looks at none of them.
TEST(RestingPods, AreMostOfThoseThatWait) {
  World world(false);
  Pod pod;
  pod.scheduler = "lips";
  pod.requests = {{"cpu", 1000}};
  const TimePoint start{std::chrono::hours(24)};
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    pod.meta = {"n", "p" + std::to_string(i), "p" + std::to_string(i), "1"};
    world.pods.update(pod, start).record->task = TaskId(i);
    world.words.push_back(&words_of_planned());
  }
  Node node;
  node.meta = {"", "n0", "u", "1"};
  node.ready = true;
  node.allocatable = {{"cpu", 1000}, {"pods", 110}};
  world.nodes.update(node);
  for (int second = 0; second < 120; ++second) world.review(start + std::chrono::seconds(second));
  EXPECT_EQ(world.pods.unplaced().resting().size(), 1'000U);
  EXPECT_TRUE(world.pods.unplaced().awake(false).empty());
  EXPECT_TRUE(world.pods.unplaced().awake(true).empty());
}

}  // namespace
}  // namespace lips::kubernetes

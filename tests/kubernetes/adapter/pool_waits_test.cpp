#include "kubernetes/adapter/pool_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/kubernetes/pods/pods_and_conditions.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Keeps what was told last; 0 ends it.
class ToldWaits : public AdapterObserver {
 public:
  void on_pool_wait(std::string_view pool, Duration span) override {
    waits.erase(std::string(pool));
    if (span > Duration(0)) waits[std::string(pool)] = span;
  }
  void on_pool_held(std::string_view pool, std::string_view reason, std::uint64_t pods) override {
    held.erase({std::string(pool), std::string(reason)});
    if (pods > 0) held[{std::string(pool), std::string(reason)}] = pods;
  }
  std::map<std::string, Duration> waits;
  std::map<std::pair<std::string, std::string>, std::uint64_t> held;
};

// A namespace belongs to the pool of its first letter, unless the pod names one.
class PoolWaitsTest : public PodsAndConditions {
 protected:
  void add(const std::string& name_space, const std::string& name, TimePoint created, const std::string& pool = "") {
    Pod pod;
    pod.meta = {name_space, name, name_space + name, "1"};
    pod.scheduler = "lips";
    pod.created = created;
    pod.requests = {{"cpu", 1000}};
    if (!pool.empty()) pod.annotations.emplace_back("lips.dev/pool", pool);
    pods_.update(pod, now_);
  }
  PodRecord& record(const std::string& name_space, const std::string& name) {
    return *pods_.find({name_space, name, name_space + name, "1"});
  }
  void tell() {
    const auto pool_of = [](const PodRecord& pod) {
      return pod.work.pool.empty() ? pod.meta.name_space.substr(0, 1) : pod.work.pool;
    };
    waits_.tell(pods_, conditions_, untaken_, pool_of, told_, now_ += std::chrono::seconds(11));
  }

  UntakenPods untaken_;
  PoolWaits waits_;
  ToldWaits told_;
  TimePoint now_{std::chrono::hours(1000)};
};

TEST_F(PoolWaitsTest, NameThePoolWhosePodsWait) {
  add("etl", "old", now_ - std::chrono::hours(3));
  add("etl", "new", now_ - std::chrono::hours(1));
  add("web", "pod", now_ - std::chrono::hours(2));
  add("web", "other", now_ - std::chrono::hours(4), "e");
  tell();
  const Duration passed = std::chrono::seconds(11);
  EXPECT_THAT(told_.waits,
              ElementsAre(Pair("e", std::chrono::hours(4) + passed), Pair("w", std::chrono::hours(2) + passed)));
  pods_.hold(record("web", "pod"), UnschedulableReason::bad_annotation, "wrong");
  tell();
  EXPECT_THAT(told_.waits, ElementsAre(Pair("e", std::chrono::hours(4) + 2 * passed)));
  EXPECT_THAT(told_.held, ElementsAre(Pair(Pair("w", "BadAnnotation"), 1)));
  pods_.forget(ObjectMeta(record("web", "pod").meta), now_);
  tell();
  EXPECT_THAT(told_.held, IsEmpty());
  EXPECT_EQ(waits_.kept(), 1u) << "a pool without such pods is forgotten";
}

// Whatever came before, what was told last is what is true now.
TEST_F(PoolWaitsTest, TellWhatIsTrueAfterAnyHistory) {
  Random random(11);
  std::map<std::string, std::pair<std::string, bool>> there;  // by name, the namespace, and whether it is held
  for (int step = 0; step < 300; ++step) {
    const std::string name = "p" + std::to_string(random.below(20));
    const auto known = there.find(name);
    if (known == there.end()) {
      const std::string name_space(1, static_cast<char>('a' + random.below(4)));
      add(name_space, name, now_ - std::chrono::hours(1) - std::chrono::seconds(random.below(9000)));
      there[name] = {name_space, false};
    } else if (!known->second.second && random.below(2) == 0) {
      pods_.hold(record(known->second.first, name), UnschedulableReason::not_honoured, "hostPort");
      known->second.second = true;
    } else {
      pods_.forget(ObjectMeta(record(known->second.first, name).meta), now_);
      there.erase(known);
    }
    tell();
    std::map<std::string, Duration> waits;
    std::map<std::pair<std::string, std::string>, std::uint64_t> held;
    for (const auto& [pod, place] : there) {
      Duration& longest = waits.try_emplace(place.first, Duration(0)).first->second;
      if (place.second)
        ++held[{place.first, "NotHonoured"}];
      else
        longest = std::max(longest, now_ - record(place.first, pod).created);
    }
    std::erase_if(waits, [](const auto& entry) { return entry.second == Duration(0); });
    ASSERT_EQ(told_.waits, waits) << step;
    ASSERT_EQ(told_.held, held) << step;
  }
}

}  // namespace
}  // namespace lips::kubernetes

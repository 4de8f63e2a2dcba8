#include "virtual/event_expiry.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/random.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char* events = "/apis/events.k8s.io/v1/events";

class Expiry : public testing::Test {
 protected:
  Expiry() {
    objects_.serve(events, false);
    objects_.listen(events, [this](const ObjectChange& change) { expiry_.note(change, now_); });
  }
  void write(const std::string& name, std::chrono::minutes after) {
    now_ = TimePoint(after);
    const std::string key = "n/" + name;
    Json event{{"metadata", {{"name", name}, {"namespace", "n"}}}, {"note", std::to_string(after.count())}};
    if (objects_.find(events, key))
      objects_.put(events, key, std::move(event));
    else
      objects_.create(events, std::move(event), now_);
  }
  bool has(const std::string& name) const { return objects_.find(events, "n/" + name) != nullptr; }

  ObjectStore objects_{1};
  TimePoint now_;
  EventExpiry expiry_{objects_, events};
};

TEST_F(Expiry, TakesAnEventAnHourAfterItsLastWrite) {
  write("once", std::chrono::minutes(1));
  write("again", std::chrono::minutes(2));
  write("again", std::chrono::minutes(30));
  write("other", std::chrono::minutes(60));
  EXPECT_TRUE(has("once"));
  write("other", std::chrono::minutes(61));
  EXPECT_FALSE(has("once"));
  write("other", std::chrono::minutes(70));
  EXPECT_TRUE(has("again"));
  write("other", std::chrono::minutes(90));
  EXPECT_FALSE(has("again"));
  EXPECT_TRUE(has("other"));
}

// One that was deleted and written anew lives from then on.
TEST_F(Expiry, CountsFromTheLastCreation) {
  write("one", std::chrono::minutes(1));
  objects_.remove(events, "n/one");
  write("one", std::chrono::minutes(50));
  write("other", std::chrono::minutes(100));
  EXPECT_TRUE(has("one"));
}

TEST_F(Expiry, LeavesWhatWasWrittenWithinTheHourInAnyOrderOfWrites) {
  Random random(derive_seed(3, 1));
  std::map<std::string, std::chrono::minutes> last;  // that are there
  std::chrono::minutes now{0};
  for (int i = 0; i < 5000; ++i) {
    now += std::chrono::minutes(random.below(random.below(20) == 0 ? 90 : 4));
    const std::string name = "e" + std::to_string(random.below(30));
    if (random.below(6) == 0) {
      if (last.erase(name) > 0) objects_.remove(events, "n/" + name);
    } else {
      write(name, now);
      last[name] = now;
      std::erase_if(last, [&](const auto& event) { return now - event.second >= EventExpiry::lives; });
    }
    for (int each = 0; each < 30; ++each) {
      const std::string one = "e" + std::to_string(each);
      ASSERT_EQ(has(one), last.contains(one)) << one << " at " << now.count() << " min, step " << i;
    }
  }
}

}  // namespace
}  // namespace lips::virtual_cluster

#include "kubernetes/data/object_writes.h"

#include <gtest/gtest.h>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

TEST(ObjectWrites, KeepNothingOfObjectsThatWereWrittenLongAgo) {
  VirtualApi api([](const ReceivedRequest& request) {
    const bool refused = request.path.ends_with("7");
    return Reply{refused ? 403 : 200, "{}", {}, false, nullptr};
  });
  int answers = 0;
  ObjectWrites writes(
      api.client(), [] { return true; }, [&] { ++answers; });
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) {
    const std::string name = "Job/" + std::to_string(i);
    writes.send(name, i % 2 == 0 ? creation_of('/' + name, "{}") : deletion_of('/' + name));
  }
  api.settle();
  ASSERT_EQ(answers, count);
  TimePoint now(std::chrono::hours(1));
  writes.collect(now);
  EXPECT_EQ(writes.kept(), std::size_t{count});
  EXPECT_FALSE(writes.free("Job/0", now)) << "until the watch has told of it";
  writes.collect(now + std::chrono::minutes(2));
  EXPECT_EQ(writes.kept(), 0u);
}

// Two writers of one object take turns, and the server keeps nothing of either.
TEST(ObjectWrites, SayWhatWasAcceptedOnceMoreOnlyAfterAWhileOrOfAnObjectThatHasChanged) {
  VirtualApi api([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  ObjectWrites writes(
      api.client(), [] { return true; }, [] {});
  TimePoint now(std::chrono::hours(1));
  int sent = 0;
  const auto say_for = [&](Duration span, const std::string& version) {
    sent = 0;
    for (const TimePoint end = now + span; now < end; now += std::chrono::seconds(1))
      for (const char* matter : {"blocks", "words"}) {
        if (writes.free("DataSet/s", now))
          sent += writes.say("DataSet/s", matter, version, patch_of("/s/status", version));
        api.settle();
        writes.collect(now);
        writes.collect(now);
      }
  };
  say_for(std::chrono::minutes(9), "5");
  EXPECT_EQ(sent, 2);
  say_for(std::chrono::seconds(10), "6");
  EXPECT_EQ(sent, 2);
  say_for(std::chrono::minutes(30), "6");
  EXPECT_LE(sent, 6);
  EXPECT_GE(sent, 4) << "the definition may have been upgraded";
}

// A server that accepts an update and does not keep it is asked less and less often; another update is sent at once.
TEST(ObjectWrites, RepeatAnAcceptedUpdateAfterEverLongerPauses) {
  VirtualApi api([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  ObjectWrites writes(
      api.client(), [] { return true; }, [] {});
  TimePoint now(std::chrono::hours(1));
  int sent = 0;
  const auto write_for = [&](Duration span, const std::string& body) {
    sent = 0;
    for (const TimePoint end = now + span; now < end; now += std::chrono::milliseconds(100)) {
      if (writes.free("DataStore/s", now)) writes.send("DataStore/s", patch_of("/s/status", body)), ++sent;
      api.settle();
      writes.collect(now);
      writes.collect(now);
    }
  };
  write_for(std::chrono::minutes(5), R"({"status":{"used":1}})");
  EXPECT_GT(sent, 9);
  EXPECT_LT(sent, 25);
  write_for(std::chrono::minutes(5), R"({"status":{"used":2}})");
  EXPECT_GT(sent, 9) << "another one";
  EXPECT_LT(sent, 25);
}

}  // namespace
}  // namespace lips::kubernetes

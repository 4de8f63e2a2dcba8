#include "kubernetes/data/object_writes.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

TEST(ObjectWrites, KeepNothingOfObjectsThatWereWrittenLongAgo) {
  FakeApiServer server([](const ReceivedRequest& request) {
    const bool refused = request.path.ends_with("7");
    return Reply{refused ? 403 : 200, "{}", {}, false, nullptr};
  });
  ApiClient client(server.connection(), quick_client());
  std::mutex mutex;
  std::condition_variable answered;
  int answers = 0;
  ObjectWrites writes(
      client, [] { return true; },
      [&] {
        const std::lock_guard lock(mutex);
        ++answers;
        answered.notify_all();
      });
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) {
    const std::string name = "Job/" + std::to_string(i);
    writes.send(name, i % 2 == 0 ? creation_of('/' + name, "{}") : deletion_of('/' + name));
  }
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(answered.wait_for(lock, std::chrono::seconds(60), [&] { return answers == count; }));
  }
  TimePoint now(std::chrono::hours(1));
  writes.collect(now);
  EXPECT_EQ(writes.kept(), std::size_t{count});
  EXPECT_FALSE(writes.free("Job/0", now)) << "until the watch has told of it";
  writes.collect(now + std::chrono::minutes(2));
  EXPECT_EQ(writes.kept(), 0u);
}

}  // namespace
}  // namespace lips::kubernetes

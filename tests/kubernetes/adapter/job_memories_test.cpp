#include "kubernetes/adapter/job_memories.h"

#include <gtest/gtest.h>

#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

TEST(JobMemories, KeepNothingOfJobsThatAreGone) {
  FakeApiServer server([](const SeenRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  ApiClient client(server.connection(), quick_client());
  JobMemories memories(client, [] { return false; });
  JobMemory memory;
  memory.home_decided = true;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "owner/" + std::to_string(i);
    memories.keep_at(key, false, {"n", "p", std::to_string(i), ""});
    memories.remember(key, memory, "z");
  }
  EXPECT_EQ(memories.kept(), 1000u);
  memories.keep_only({"owner/7"});
  memories.flush(TimePoint(std::chrono::hours(1)));
  EXPECT_EQ(memories.kept(), 1u);
  EXPECT_EQ(memories.of("owner/7").home, "z");
}

}  // namespace
}  // namespace lips::kubernetes

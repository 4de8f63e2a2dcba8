#include "kubernetes/api/leadership.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

template <class Predicate>
bool until(Predicate predicate) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!predicate()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// A standby, beside a leader whose lease is always fresh.
TEST(LeadershipView, NamesTheHolderAndWhyTheLeaseCannotBeRead) {
  std::atomic<int> code{200}, version{0};
  FakeApiServer server([&](const ReceivedRequest&) {
    Reply reply;
    reply.code = code;
    reply.body = code == 200
                     ? fmt::format(R"({{"metadata":{{"name":"lips","resourceVersion":"{}"}},"spec":{{"holderIdentity":)"
                                   R"("lips-1","leaseDurationSeconds":15}}}})",
                                   ++version)
                     : R"({"kind":"Status","message":"lips may not"})";
    return reply;
  });
  LeaseOptions options{"lips-0"};
  options.retry = Duration(10'000);
  Leadership leadership(
      server.connection(), {"lips-system", "lips"}, options, [](bool) {}, [](const Error&) {});
  EXPECT_TRUE(until([&] { return leadership.view().holder == "lips-1"; }));
  EXPECT_EQ(leadership.view().trouble, "");
  EXPECT_FALSE(leadership.leads());
  code = 403;
  ASSERT_TRUE(until([&] { return !leadership.view().trouble.empty(); }));
  EXPECT_THAT(leadership.view().trouble, testing::HasSubstr("lips may not"));
  EXPECT_FALSE(leadership.view().unanswered);
  const TimePoint since = leadership.view().since;
  code = 503;
  ASSERT_TRUE(until([&] { return leadership.view().unanswered; }));
  EXPECT_EQ(leadership.view().since, since) << "the same trouble goes on";
  EXPECT_EQ(leadership.view().holder, "lips-1");
  code = 200;
  EXPECT_TRUE(until([&] { return leadership.view().trouble.empty(); }));
}

}  // namespace
}  // namespace lips::kubernetes

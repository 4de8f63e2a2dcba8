#include "kubernetes/api/leadership.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kubernetes/api/real_loop.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

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
  RealLoop loop;
  Leadership leadership(server.connection(), {"lips-system", "lips"}, options,
                        {loop, [](bool) {}, [](const Error&) {}});
  // The loop is told of each step.
  const auto until = [&](const std::function<bool()>& holds) {
    for (int told = 0; told < 1000 && !holds(); ++told) loop.run(std::chrono::seconds(10));
    return holds();
  };
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

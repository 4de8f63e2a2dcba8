#include "kubernetes/api/write_governor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "kubernetes/api/http_client.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

constexpr WriteGovernor::Clock::time_point begin{std::chrono::hours(1)};
constexpr const char *one_set = "/apis/lips.dev/v1alpha1/namespaces/n/datasets/s/status",
                     *one_lease = "/apis/coordination.k8s.io/v1/namespaces/n/leases/lips";

int admitted(WriteGovernor& governor, Verb verb, const std::string& path, std::chrono::seconds from,
             std::chrono::seconds to) {
  int count = 0;
  for (auto at = from; at < to; at += std::chrono::seconds(1))
    for (int i = 0; i < 20; ++i) count += governor.admits(verb_name(verb), path, begin + at);
  return count;
}

TEST(WriteGovernor, StopsAWriterOfOneObjectAndLetsItTryAgainLater) {
  for (const Verb verb : {Verb::patch, Verb::update, Verb::remove}) {
    WriteGovernor governor;
    EXPECT_EQ(admitted(governor, verb, one_set, std::chrono::seconds(0), std::chrono::seconds(60)),
              WriteGovernor::most_writes);
    EXPECT_TRUE(governor.admits(verb_name(verb), "/api/v1/namespaces/n/pods/p", begin + std::chrono::seconds(59)))
        << "another object";
    const int in_an_hour = admitted(governor, verb, one_set, std::chrono::seconds(60), std::chrono::seconds(3660));
    EXPECT_GT(in_an_hour, 0);
    EXPECT_LE(in_an_hour, 30 * WriteGovernor::most_writes);
  }
}

TEST(WriteGovernor, StopsNoHeartbeatNoCreationAndNoReader) {
  WriteGovernor governor;
  const auto all = [&](Verb verb, const std::string& path) {
    return admitted(governor, verb, path, std::chrono::seconds(0), std::chrono::seconds(60)) == 1200;
  };
  EXPECT_TRUE(all(Verb::update, one_lease));
  EXPECT_TRUE(all(Verb::create, "/api/v1/namespaces/n/pods"));
  EXPECT_TRUE(all(Verb::get, "/api/v1/namespaces/n/pods/p"));
}

TEST(WriteGovernor, KeepsNothingOfObjectsThatWereWrittenLongAgo) {
  WriteGovernor governor;
  for (int i = 0; i < 10'000; ++i)
    governor.admits("patch", "/api/v1/namespaces/n/pods/" + std::to_string(i),
                    begin + std::chrono::milliseconds(100 * i));
  EXPECT_LE(governor.kept(), 1300u);
}

class Refusals : public RequestObserver {
 public:
  void tried(const Try&) override {}
  void refused(const Refusal& refusal) override {
    const std::lock_guard lock(mutex_);
    seen_.push_back(std::string(refusal.path) + ' ' + std::to_string(refusal.http_code));
  }
  std::vector<std::string> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> seen_;
};

// Whatever writes, and whether it looks at its answers: all go through the client.
TEST(WriteGovernor, StandsBeforeEveryWriterOfAClient) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  Refusals refusals;
  ClientOptions options = quick_client();
  options.observer = &refusals;
  HttpClient client(server.connection(), options);
  const auto write = [&] {
    ApiRequest request;
    request.verb = Verb::patch;
    request.path = one_set;
    return client.call(std::move(request));
  };
  for (int i = 0; i < WriteGovernor::most_writes; ++i) ASSERT_TRUE(write());
  const Answer stopped = write();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::unavailable) << "to be tried again";
  EXPECT_EQ(server.requests().size(), std::size_t{WriteGovernor::most_writes});
  EXPECT_THAT(refusals.seen(), testing::ElementsAre(std::string(one_set) + " 0"));
}

}  // namespace
}  // namespace lips::kubernetes

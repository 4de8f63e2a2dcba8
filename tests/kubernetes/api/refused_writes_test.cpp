#include "kubernetes/api/refused_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <vector>

#include "kubernetes/api/http_client.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Lines : public Log {
 public:
  bool wants(LogLevel) const override { return true; }
  void write(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line(message);
    for (const LogField& field : fields) line += ' ' + std::string(field.key) + '=' + field.value;
    lines.push_back(line);
  }
  std::vector<std::string> lines;
};

class RefusedWritesTest : public testing::Test {
 protected:
  void count(Verb verb, const std::string& path, int code, const std::string& message, std::chrono::seconds at) {
    refused_.count({verb, path, code, message}, RefusedWrites::Clock::time_point(std::chrono::hours(1)) + at);
  }
  Lines log_;
  std::vector<std::string> counted_;
  RefusedWrites refused_{
      log_, [this](std::string_view verb, std::string_view resource, int code) {
        counted_.push_back(std::string(verb) + ' ' + std::string(resource) + ' ' + std::to_string(code));
      }};
};

TEST_F(RefusedWritesTest, EachIsCountedAndOneInAWhileIsLogged) {
  const std::string pod = "/api/v1/namespaces/n/pods/p";
  for (int i = 0; i < 1000; ++i) count(Verb::patch, pod, 403, "no right", std::chrono::seconds(i / 10));
  EXPECT_THAT(counted_, SizeIs(1000));
  EXPECT_EQ(counted_[0], "patch pods 403");
  ASSERT_THAT(log_.lines, SizeIs(1));
  EXPECT_THAT(log_.lines[0], HasSubstr("why=no right"));
  count(Verb::patch, pod + "/status", 403, "no right", std::chrono::seconds(100));  // of another kind
  count(Verb::patch, pod, 422, "not so", std::chrono::seconds(100));                // for another reason
  EXPECT_THAT(log_.lines, SizeIs(3));
  count(Verb::patch, pod, 403, "no right", std::chrono::seconds(700));
  ASSERT_THAT(log_.lines, SizeIs(4));
  EXPECT_THAT(log_.lines[3], HasSubstr("times=1000"));
}

TEST_F(RefusedWritesTest, ReadsAndWhatIsGoneAndOutagesAreNoRefusals) {
  const std::string pod = "/api/v1/namespaces/n/pods/p";
  count(Verb::patch, pod, 422, "Pod \"p\" is invalid: metadata.uid: Invalid value: \"1\": field is immutable", {});
  count(Verb::get, pod, 403, "no right", std::chrono::seconds(1));
  count(Verb::list, pod, 403, "no right", std::chrono::seconds(1));
  for (const int code : {404, 408, 409, 410, 429, 500, 503})
    count(Verb::create, pod + "/binding", code, "pods \"p\" not found", std::chrono::seconds(1));
  // A tenant deletes its namespace while its pods wait.
  count(Verb::create, pod + "/binding", 403,
        "pods \"p\" is forbidden: unable to create new content in namespace n because it is being terminated",
        std::chrono::seconds(1));
  EXPECT_THAT(counted_, IsEmpty());
  count(Verb::patch, "/apis/batch/v1/jobs/x", 404, "the server could not find the requested resource",
        std::chrono::seconds(1));
  EXPECT_THAT(counted_, ElementsAre("patch jobs 404"));
}

TEST_F(RefusedWritesTest, AWriteThatTheClientItselfStopsIsNamedAsSuch) {
  count(Verb::patch, "/api/v1/namespaces/n/pods/p", 0, "too often", std::chrono::seconds(1));
  EXPECT_THAT(counted_, ElementsAre("patch pods 0"));
  ASSERT_THAT(log_.lines, SizeIs(1));
  EXPECT_THAT(log_.lines[0], HasSubstr("writes to an object are stopped"));
  EXPECT_THAT(log_.lines[0], HasSubstr("path=/api/v1/namespaces/n/pods/p"));
}

class Telling : public RequestObserver {
 public:
  explicit Telling(RefusedWrites& to) : to_(to) {}
  void tried(const Try&) override {}
  void refused(const Refusal& refusal) override { to_.count(refusal); }

 private:
  RefusedWrites& to_;
};

TEST_F(RefusedWritesTest, AWriterThatDoesNotLookAtItsAnswerIsSeen) {
  FakeApiServer server([](const ReceivedRequest&) {
    Reply reply;
    reply.code = 403;
    reply.body = R"({"kind":"Status","message":"lips may not patch events"})";
    return reply;
  });
  Telling telling(refused_);
  ClientOptions options = quick_client();
  options.observer = &telling;
  HttpClient client(server.connection(), options);
  ApiRequest request;
  request.verb = Verb::patch;
  request.path = "/apis/events.k8s.io/v1/namespaces/n/events/e";
  EXPECT_FALSE(client.call(std::move(request)));
  EXPECT_THAT(counted_, ElementsAre("patch events 403"));
  ASSERT_THAT(log_.lines, SizeIs(1));
  EXPECT_THAT(log_.lines[0], HasSubstr("lips may not patch events"));
}

}  // namespace
}  // namespace lips::kubernetes

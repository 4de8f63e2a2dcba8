#include "telemetry/status/status_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

namespace lips {
namespace {

using testing::HasSubstr;

ServedTexts texts(bool good) {
  return {[] { return "page"; },
          [] { return "metrics 1\n"; },
          [good] {
            return Health{good, "words"};
          },
          [] {
            return Health{true, "standby"};
          },
          {}};
}

TEST(StatusServer, AnswersOnAFreePort) {
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", texts(true));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  EXPECT_EQ(client.Get("/")->body, "page");
  EXPECT_THAT(client.Get("/")->get_header_value("Content-Type"), HasSubstr("text/html"));
  EXPECT_EQ(client.Get("/metrics")->body, "metrics 1\n");
  EXPECT_THAT(client.Get("/metrics")->get_header_value("Content-Type"), HasSubstr("version=0.0.4"));
  EXPECT_EQ(client.Get("/readyz")->body, "standby\n");
  EXPECT_EQ(client.Get("/healthz")->status, 200);
  EXPECT_EQ(client.Get("/secrets")->status, 404);
}

TEST(StatusServer, PassesAQueryOnAndItsStatusBack) {
  ServedTexts served = texts(true);
  served.new_data = [](const std::map<std::string, std::string>& query) {
    return QueryAnswer{query.contains("node") ? 200 : 400, query.contains("node") ? query.at("node") : "which?"};
  };
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", std::move(served));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  EXPECT_EQ(client.Get("/new-data?node=a%2Fb")->body, "a/b");
  EXPECT_EQ(client.Get("/new-data")->status, 400);
  EXPECT_THAT(client.Get("/new-data")->get_header_value("Content-Type"), HasSubstr("application/json"));
}

TEST(StatusServer, SaysNoWhenHealthIsBad) {
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", texts(false));
  ASSERT_TRUE(server);
  httplib::Client client("127.0.0.1", (*server)->port());
  EXPECT_EQ(client.Get("/healthz")->status, 503);
  EXPECT_EQ(client.Get("/healthz")->body, "words\n");
}

TEST(StatusServer, RefusesAPortThatIsTakenAndATextThatIsNoAddress) {
  Result<std::unique_ptr<StatusServer>> first = StatusServer::start("127.0.0.1:0", texts(true));
  ASSERT_TRUE(first);
  const auto second = StatusServer::start("127.0.0.1:" + std::to_string((*first)->port()), texts(true));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  for (const char* wrong : {"127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", ":"})
    EXPECT_EQ(StatusServer::start(wrong, texts(true)).error().code, ErrorCode::invalid_input) << wrong;
}

}  // namespace
}  // namespace lips

#include "telemetry/status/status_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <set>

namespace lips {
namespace {

using testing::HasSubstr;

ServedTexts texts(bool good) {
  return {
      [](const PageQuestion& question) {
        return question.still ? "page that stands still" : question.job.empty() ? "page" : "page of " + question.job;
      },
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
  EXPECT_EQ(client.Get("/?still")->body, "page that stands still");
  EXPECT_EQ(client.Get("/?job=etl%2Fnight")->body, "page of etl/night");
  EXPECT_EQ(client.Get("/?job=%ff")->status, 400);
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

TEST(StatusServer, RefusesAQuestionThatIsNotUtf8) {
  ServedTexts served = texts(true);
  served.new_data = [](const std::map<std::string, std::string>&) { return QueryAnswer{200, "{}"}; };
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", std::move(served));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  for (const char* bad : {"%ff", "%c3", "%c0%80", "%ed%a0%80", "%f5%80%80%80", "a%80", "%e2%82"}) {
    EXPECT_EQ(client.Get(("/new-data?node=" + std::string(bad)).c_str())->status, 400) << bad;
    EXPECT_EQ(client.Get(("/new-data?" + std::string(bad) + "=1").c_str())->status, 400) << bad;
  }
  for (const char* good : {"a", "%c3%bc", "%e2%82%ac", "%f0%9f%98%80"})
    EXPECT_EQ(client.Get(("/new-data?node=" + std::string(good)).c_str())->status, 200) << good;
}

TEST(StatusServer, TellsBrowsersToRunNothingAndGivesNoRanges) {
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", texts(true));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  for (const char* path : {"/", "/metrics", "/none"}) {
    const auto answer = client.Get(path);
    EXPECT_EQ(answer->get_header_value("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_THAT(answer->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'")) << path;
  }
  std::string many = "bytes=0-1";
  for (int i = 0; i < 1000; ++i) many += ",0-";
  const auto ranges = client.Get("/metrics", {{"Range", many}});
  EXPECT_EQ(ranges->status, 416);
  EXPECT_EQ(ranges->body, "");
}

TEST(StatusServer, TheScriptOfAPageRunsByItsNonceAlone) {
  ServedTexts served = texts(true);
  served.page = [](const PageQuestion& question) { return question.nonce; };
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", std::move(served));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  std::set<std::string> nonces;
  for (int i = 0; i < 20; ++i) {
    const auto answer = client.Get("/");
    EXPECT_EQ(answer->get_header_value_count("Content-Security-Policy"), 1u);
    EXPECT_THAT(answer->get_header_value("Content-Security-Policy"),
                testing::AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'nonce-" + answer->body + "'"),
                               testing::Not(HasSubstr("script-src 'unsafe"))));
    EXPECT_GE(answer->body.size(), 32u);
    nonces.insert(answer->body);
  }
  EXPECT_EQ(nonces.size(), 20u) << "a new one each time";
  EXPECT_THAT(client.Get("/metrics")->get_header_value("Content-Security-Policy"),
              testing::Not(HasSubstr("script-src")));
}

TEST(StatusServer, AdmitsWhomItIsToldToAdmit) {
  ServedTexts served = texts(true);
  served.admit = [](const std::string& token, const std::string& path) {
    if (token == "down") return Admission::unavailable;
    if (token != "good") return Admission::unknown;
    return path == "/metrics" ? Admission::allowed : Admission::forbidden;
  };
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", std::move(served));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  const auto status = [&](const char* path, const char* sent) {
    return client.Get(path, {{"Authorization", sent}})->status;
  };
  EXPECT_EQ(client.Get("/metrics")->status, 401);
  EXPECT_EQ(client.Get("/metrics")->get_header_value("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(client.Get("/metrics")->body, "the operator wants a bearer token (server.authorize)\n");
  EXPECT_EQ(client.Get("/metrics", {{"X-Lips-Authorization", "Bearer good"}})->status, 200)
      << "the API server's proxy to services takes the usual header away";
  EXPECT_EQ(status("/metrics", "Bearer bad"), 401);
  EXPECT_EQ(status("/metrics", "good"), 401);
  EXPECT_EQ(status("/metrics", "Basic good"), 401);
  EXPECT_EQ(status("/metrics", "Bearer good"), 200);
  EXPECT_EQ(status("/", "Bearer good"), 403);
  EXPECT_EQ(status("/metrics", "Bearer down"), 503);
  EXPECT_EQ(status("/secrets", "Bearer good"), 403) << "nobody learns which paths there are";
}

TEST(StatusServer, HasNoHealthWhereThatHasAPortOfItsOwn) {
  ServedTexts served = texts(true);
  served.alive = served.ready = {};
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start("127.0.0.1:0", std::move(served));
  ASSERT_TRUE(server) << server.error().message;
  httplib::Client client("127.0.0.1", (*server)->port());
  EXPECT_EQ(client.Get("/healthz")->status, 404);
  EXPECT_EQ(client.Get("/metrics")->status, 200);
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

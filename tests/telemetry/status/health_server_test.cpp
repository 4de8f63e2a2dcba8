#include "telemetry/status/health_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lips {
namespace {

using testing::HasSubstr;

std::unique_ptr<HealthServer> server_of(bool good) {
  auto server = HealthServer::start("127.0.0.1:0", {[good] {
                                                      return Health{good, good ? "ok" : "stands still"};
                                                    },
                                                    [] {
                                                      return Health{true, "standby"};
                                                    }});
  EXPECT_TRUE(server) << server.error().message;
  return std::move(*server);
}

// Connections that say something now and then, or nothing, and are never done.
class Dripping {
 public:
  Dripping(int port, int count) {
    for (int i = 0; i < count; ++i) {
      const int one = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(static_cast<std::uint16_t>(port));
      EXPECT_EQ(connect(one, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
      sockets_.push_back(one);
      if (i % 2 == 0) {
        EXPECT_GT(send(one, "GET /healthz HT", 15, MSG_NOSIGNAL), 0);
      }
    }
  }
  ~Dripping() {
    for (const int one : sockets_) close(one);
  }
  void drip() {
    for (const int one : sockets_) send(one, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);  // some have been shown out
  }

 private:
  std::vector<int> sockets_;
};

TEST(HealthServer, SaysHowTheOperatorIs) {
  const auto good = server_of(true), bad = server_of(false);
  httplib::Client well("127.0.0.1", good->port()), ill("127.0.0.1", bad->port());
  EXPECT_EQ(well.Get("/healthz")->status, 200);
  EXPECT_EQ(well.Get("/healthz?verbose")->body, "ok\n");
  EXPECT_EQ(well.Get("/readyz")->body, "standby\n");
  EXPECT_EQ(ill.Get("/healthz")->status, 503);
  EXPECT_EQ(ill.Get("/healthz")->body, "stands still\n");
  EXPECT_EQ(well.Get("/metrics")->status, 404) << "nothing but health is here";
  EXPECT_EQ(well.Post("/healthz", "x", "text/plain")->status, 405);
  EXPECT_EQ(well.Get("/healthz")->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(well.Get("/" + std::string(8000, 'x'))->status, 431);
}

TEST(HealthServer, AnswersAtOnceBesideTwoHundredThatDrip) {
  const auto server = server_of(true);
  Dripping visitors(server->port(), 200);
  for (int round = 0; round < 20; ++round) {
    visitors.drip();
    httplib::Client client("127.0.0.1", server->port());
    client.set_connection_timeout(2);
    client.set_read_timeout(2);
    const auto answer = client.Get("/healthz");
    ASSERT_TRUE(answer) << "round " << round;
    EXPECT_EQ(answer->status, 200);
  }
}

TEST(HealthServer, AnswersBesideMoreThanItLetsIn) {
  const auto server = server_of(true);
  Dripping visitors(server->port(), 400);
  httplib::Client client("127.0.0.1", server->port());
  client.set_read_timeout(2);
  for (int round = 0; round < 3; ++round) {
    const auto answer = client.Get("/readyz");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
}

TEST(HealthServer, RefusesAPortThatIsTakenAndATextThatIsNoAddress) {
  const auto first = server_of(true);
  const auto second = HealthServer::start("127.0.0.1:" + std::to_string(first->port()), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  for (const char* wrong : {"127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", ":"}) {
    const auto refused = HealthServer::start(wrong, {});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
    EXPECT_THAT(refused.error().message, HasSubstr("server.health"));
  }
}

}  // namespace
}  // namespace lips

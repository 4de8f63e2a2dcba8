// `lips status`, of operators that run, of old ones, of several replicas, and of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Answers every path that it is told of, as long as it lives.
class Server {
 public:
  explicit Server(httplib::Server::Handler answer) {
    server_.Get(".*", std::move(answer));
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
  }
  ~Server() { server_.stop(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::jthread thread_;
};

json status_of(const std::string& replica, const std::string& state) {
  return {{"format", "lips-status"}, {"replica", replica}, {"leader", "lips-1"}, {"state", state}};
}

TEST(AskOperator, StatusSaysThatARunningOneDecides) {
  Said text, answer;
  std::string ready, metrics;
  lips_interrupted(
      {"operator", "--cluster", "simulated:quickstart", "--speed", "0.01", "--set", "server.listen=127.0.0.1:0"},
      "msg=\"starting\"", [&](const std::string& shown) {
        httplib::Client client("127.0.0.1", port_of(shown));
        EXPECT_TRUE(until([&] {
          const auto said = client.Get("/readyz");
          return said && (ready = said->body).starts_with("decides: ");
        })) << ready;
        metrics = client.Get("/metrics")->body;
        text = lips({"status", "--url", url_of(shown)});
        answer = lips({"status", "--format", "json", "--url", url_of(shown)});
      });
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("state     decides, for "), HasSubstr("its plans are carried out"),
                    HasSubstr("policy lips"), HasSubstr("prices  "), HasSubstr("holds  "), HasSubstr("requests  ")));
  ASSERT_EQ(answer.status, 0) << answer.err;
  const json status = json::parse(answer.out);
  EXPECT_EQ(status["decides"], true);
  EXPECT_EQ(status["state"], "decides");
  for (const char* field :
       {"version", "cluster", "replica", "leads", "leader", "why", "secondsInState", "awaited", "degraded", "policy",
        "mode", "plans", "secondsSincePlan", "prices", "watches", "held", "unownedCopies", "requests", "errors"})
    EXPECT_TRUE(status.contains(field)) << field;
  EXPECT_THAT(metrics, HasSubstr("lips_operator_state{state=\"decides\"} 1\n"));
}

TEST(AskOperator, StatusNamesCopiesThatNobodyOwns) {
  json status = status_of("lips-1", "decides");
  status["unownedCopies"] = {{{"store", "node-0"},
                              {"copies", 3},
                              {"bytes", 1'500'000'000},
                              {"example", "lips-copies/etl/books/u1"},
                              {"secondsSinceSeen", 18'000}}};
  const Folder folder;
  write(folder.file("status.json"), status.dump());
  EXPECT_THAT(
      lips({"status", "--from", folder.file("status.json")}).out,
      HasSubstr("unowned   3 copies, 1.5 GB, in DataStore node-0, such as lips-copies/etl/books/u1, seen 5 h "));
}

// The API server of this operator refuses everything.
TEST(AskOperator, StatusNamesEachKindThatIsRefused) {
  const Server refusing([](const httplib::Request&, httplib::Response& response) {
    response.status = 403;
    response.set_content(R"({"kind":"Status","code":403,"message":"lips may not"})", "application/json");
  });
  const Folder folder;
  write(folder.file("kubeconfig"),
        "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: "
        "{cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: '" +
            refusing.url() + "'}}]\nusers: [{name: u, user: {}}]\n");
  json status;
  Said text;
  std::string ready;
  int code = 0;
  lips_interrupted({"operator", "--kubeconfig", folder.file("kubeconfig"), "--set", "server.listen=127.0.0.1:0",
                    "leaderElection.enabled=false", "leaderElection.namespace=lips"},
                   "msg=\"starting\"", [&](const std::string& shown) {
                     EXPECT_TRUE(until([&] {
                       status = lips_json({"status", "--url", url_of(shown)});
                       std::size_t refused = 0;
                       for (const json& watch : status["watches"]) refused += watch["state"] == "refused";
                       return refused >= 10;
                     }));
                     text = lips({"status", "--url", url_of(shown)});
                     httplib::Client client("127.0.0.1", port_of(shown));
                     const auto said = client.Get("/readyz");
                     ready = said->body, code = said->status;
                   });
  EXPECT_EQ(code, 503);
  EXPECT_THAT(ready, HasSubstr("awaits-lists: "));
  EXPECT_EQ(status["decides"], false);
  EXPECT_THAT(text.out, AllOf(HasSubstr("state     awaits-lists"), HasSubstr("lips may not"),
                              HasSubstr("persistentvolumeclaims"), HasSubstr("csinodes.storage.k8s.io")));
}

TEST(AskOperator, StatusSaysThatAnOldOperatorDoesNotServeIt) {
  const Server old([](const httplib::Request&, httplib::Response& response) { response.status = 404; });
  const Said said = lips({"status", "--url", old.url()});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.err, HasSubstr("the operator there is older than this program: it does not serve /status"));
}

// A Service leads each request to some replica.
TEST(AskOperator, StatusAsksUntilTheLeaderAnswers) {
  std::atomic<int> asked{0};
  const Server replicas([&](const httplib::Request& request, httplib::Response& response) {
    EXPECT_EQ(request.path, "/status");
    response.set_content(++asked < 4 ? status_of("lips-0", "stands-by").dump() : status_of("lips-1", "decides").dump(),
                         "application/json");
  });
  const Said said = lips({"status", "--url", replicas.url()});
  EXPECT_EQ(asked, 4);
  EXPECT_THAT(said.out, HasSubstr("state     decides"));
}

TEST(AskOperator, StatusShowsAReplicaThatStandsByWhereNoOtherAnswers) {
  const Server standby([](const httplib::Request&, httplib::Response& response) {
    response.set_content(status_of("lips-0", "stands-by").dump(), "application/json");
  });
  const Said said = lips({"status", "--url", standby.url()});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("state     stands-by"), HasSubstr("leader    lips-1"), HasSubstr("lips-0")));
}

TEST(AskOperator, StatusReadsAFileAndRefusesOthers) {
  const Folder folder;
  write(folder.file("status.json"), status_of("lips-1", "decides").dump());
  EXPECT_THAT(lips({"status", "--from", folder.file("status.json")}).out, HasSubstr("state     decides"));
  for (const char* other : {"", "[]", "{}", "null", "\"lips-status\"", R"({"format":7})"}) {
    write(folder.file("other.json"), other);
    const Said said = lips({"status", "--from", folder.file("other.json")});
    EXPECT_EQ(said.status, 2) << other;
    EXPECT_THAT(said.err, HasSubstr("expected the status of an operator")) << other;
  }
}

// Another version may say more, less, or the same otherwise.
TEST(AskOperator, StatusShowsWhatItUnderstands) {
  const Folder folder;
  json status = status_of("lips-1", "decides");
  for (const char* field : {"watches", "errors", "degraded", "held", "requests", "prices", "plans", "why", "version",
                            "secondsInState", "policy"}) {
    for (const json& value :
         {json(), json(7), json("x"), json::array({1, "x", json::object()}), json::object({{"moves", 3}})}) {
      json odd = status;
      odd[field] = value;
      write(folder.file("odd.json"), odd.dump());
      const Said said = lips({"status", "--from", folder.file("odd.json")});
      EXPECT_EQ(said.status, 0) << odd.dump() << said.err;
      EXPECT_THAT(said.out, HasSubstr("state     decides"));
    }
  }
}

}  // namespace
}  // namespace lips::cmd_test

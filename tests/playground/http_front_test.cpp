#include "playground/http_front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <utility>

namespace lips::playground {
namespace {

using testing::HasSubstr;

constexpr TimePoint first_moment{std::chrono::hours(24)};

// A server with pods, whose loop runs on a thread of its own.
class Front : public testing::Test {
 protected:
  void SetUp() override {
    server_.serve("/api/v1/pods");
    server_.serve("/apis/lips.dev/v1alpha1/pools");
    auto front = HttpFront::start(
        "127.0.0.1", 0, server_, loop_,
        {[] {
           return Json{{"scenario", "quickstart"}};
         },
         [](const Json& facts, const std::string& host) { return facts.value("scenario", "") + " at " + host; }});
    ASSERT_TRUE(front) << front.error().message;
    front_ = std::move(*front);
    client_.emplace("127.0.0.1", front_->port());
    runner_ = std::thread([this] {
      while (!ends_) loop_.run(std::chrono::hours(1));
    });
  }
  void TearDown() override {
    ends_ = true;
    loop_.post([] {});
    if (runner_.joinable()) runner_.join();
    front_.reset();
  }
  Json get(const std::string& path, const httplib::Headers& headers = {}) {
    const auto answer = client_->Get(path, headers);
    return answer ? Json::parse(answer->body, nullptr, false) : Json();
  }
  int make_pod(const std::string& name) {
    const Json pod{{"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", {{"name", name}}}};
    return client_->Post("/api/v1/namespaces/n/pods", pod.dump(), "application/json")->status;
  }

  PacedLoop loop_{first_moment, {1, true}};
  ApiServer server_{loop_, 1};
  std::unique_ptr<HttpFront> front_;
  std::optional<httplib::Client> client_;
  std::atomic<bool> ends_{false};
  std::thread runner_;
  const std::string pods_ = "/api/v1/namespaces/n/pods";
};

TEST_F(Front, AnswersAsTheServerDoes) {
  EXPECT_EQ(make_pod("a"), 201);
  EXPECT_EQ(make_pod("a"), 409);
  const Json list = get(pods_);
  EXPECT_EQ(list["kind"], "PodList");
  EXPECT_EQ(list["items"].size(), 1U);
  EXPECT_EQ(
      client_->Patch(pods_ + "/a", R"({"metadata":{"labels":{"x":"y"}}})", "application/merge-patch+json")->status,
      200);
  EXPECT_EQ(get(pods_ + "?labelSelector=x%3Dy")["items"].size(), 1U);
  EXPECT_EQ(client_->Delete(pods_ + "/a")->status, 200);
  EXPECT_EQ(client_->Get(pods_ + "/a")->status, 404);
}

TEST_F(Front, SaysWhatItServes) {
  EXPECT_EQ(get("/api")["versions"], Json::array({"v1"}));
  EXPECT_EQ(get("/apis")["groups"][0]["name"], "lips.dev");
  EXPECT_EQ(get("/apis/lips.dev")["preferredVersion"]["version"], "v1alpha1");
  const Json pods = get("/api/v1")["resources"][0];
  EXPECT_EQ(pods["kind"], "Pod");
  EXPECT_EQ(pods["namespaced"], true);
  EXPECT_EQ(get("/apis/lips.dev/v1alpha1")["resources"][0]["categories"], Json::array({"lips"}));
  EXPECT_EQ(client_->Get("/apis/unknown/v1")->status, 404);
}

TEST_F(Front, PrintsTablesForKubectl) {
  make_pod("a");
  const httplib::Headers wants{{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}};
  const Json table = get(pods_, wants);
  EXPECT_EQ(table["kind"], "Table");
  EXPECT_EQ(table["columnDefinitions"][1]["name"], "Status");
  EXPECT_EQ(table["rows"][0]["cells"][0], "a");
  EXPECT_EQ(table["rows"][0]["cells"][1], "Pending");
  EXPECT_EQ(table["rows"][0]["cells"].back(), "0s");
  EXPECT_EQ(table["rows"][0]["object"]["metadata"]["name"], "a");
  EXPECT_FALSE(table["metadata"]["resourceVersion"].get<std::string>().empty());
}

TEST_F(Front, TellsWatchesOfEachChange) {
  make_pod("a");
  std::string seen;
  bool asked = false;
  httplib::Client follower("127.0.0.1", front_->port());
  follower.Get(pods_ + "?watch=true&resourceVersion=0", [&](const char* bytes, std::size_t size) {
    seen.append(bytes, size);
    if (!std::exchange(asked, true)) make_pod("b");
    return seen.find(R"("name":"b")") == std::string::npos;
  });
  EXPECT_THAT(seen, HasSubstr(R"("name":"a")"));
  EXPECT_THAT(seen, HasSubstr(R"("name":"b")"));
  const auto old = client_->Get(pods_ + "?watch=1&resourceVersion=0&timeoutSeconds=0");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->status, 200);
}

TEST_F(Front, StopsTheClockAndSetsItsPace) {
  EXPECT_EQ(get("/playground")["stopped"], true);
  const auto changed = client_->Post("/playground?stopped=false&speed=600");
  EXPECT_EQ(Json::parse(changed->body)["speed"], 600);
  EXPECT_EQ(loop_.pace().stopped, false);
  EXPECT_EQ(loop_.pace().speed, 600);
  EXPECT_EQ(client_->Post("/playground?speed=-1")->status, 400);
  EXPECT_EQ(client_->Post("/playground?stopped=perhaps")->status, 400);
  EXPECT_EQ(loop_.pace().speed, 600);
  EXPECT_THAT(client_->Get("/")->body, HasSubstr("quickstart at 127.0.0.1:"));
}

TEST_F(Front, AnswersNoPageOfAnotherSite) {
  EXPECT_EQ(client_->Get("/api", {{"Host", "evil.example"}})->status, 403);
  EXPECT_EQ(client_->Post("/playground?speed=1", httplib::Headers{{"Origin", "http://evil.example"}}, "", "")->status,
            403);
  EXPECT_EQ(client_->Get("/api", {{"Host", "localhost:1"}})->status, 200);
}

TEST_F(Front, EndsWatchesWhenItEnds) {
  make_pod("a");
  std::promise<void> gone;
  bool asked = false;
  httplib::Client follower("127.0.0.1", front_->port());
  follower.Get(pods_ + "?watch=true&resourceVersion=0", [&](const char*, std::size_t) {
    if (!std::exchange(asked, true))
      loop_.post([&] {
        front_.reset();
        gone.set_value();
      });
    return true;
  });
  EXPECT_TRUE(asked);
  gone.get_future().wait();
  EXPECT_FALSE(client_->Get("/api"));
}

TEST(HttpFrontStart, RefusesAnAddressThatIsInUse) {
  PacedLoop loop(first_moment, {0, true});
  ApiServer server(loop, 1);
  const auto first = HttpFront::start("127.0.0.1", 0, server, loop, {});
  ASSERT_TRUE(first);
  const auto second = HttpFront::start("127.0.0.1", (*first)->port(), server, loop, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

}  // namespace
}  // namespace lips::playground

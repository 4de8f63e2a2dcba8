#include "kubernetes/api/access_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "kubernetes/api/http_client.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

// Knows the token "good" as prometheus, who may read /metrics.
class AccessReviewTest : public testing::Test {
 protected:
  Reply answer(const ReceivedRequest& request) {
    if (down_) return {403, R"({"message":"no"})", {}, false, nullptr};
    const Json spec = Json::parse(request.body)["spec"];
    Json status;
    if (request.path == "/apis/authentication.k8s.io/v1/tokenreviews") {
      ++token_reviews_;
      status = {{"authenticated", spec["token"] == "good"}};
      if (spec["token"] == "good")
        status["user"] = {{"username", "prometheus"}, {"uid", "u"}, {"groups", {"a", "b"}}, {"extra", {{"x", {"y"}}}}};
    } else {
      EXPECT_EQ(request.path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
      EXPECT_EQ(spec["user"], "prometheus");
      EXPECT_EQ(spec["groups"], Json({"a", "b"}));
      EXPECT_EQ(spec["extra"]["x"], Json({"y"}));
      EXPECT_EQ(spec["nonResourceAttributes"]["verb"], "get");
      status = {{"allowed", spec["nonResourceAttributes"]["path"] == "/metrics"}};
    }
    return {201, Json{{"status", status}}.dump(), {}, false, nullptr};
  }

  std::atomic<bool> down_{false};
  std::atomic<int> token_reviews_{0};
  std::chrono::steady_clock::time_point now_;
  FakeApiServer server_{[this](const ReceivedRequest& request) { return answer(request); }};
  HttpClient client_{server_.connection(), quick_client()};
  AccessReview review_{client_, [this] { return now_; }};
};

TEST_F(AccessReviewTest, AdmitsWhomTheServerKnowsAndLets) {
  EXPECT_EQ(review_.may_get("good", "/metrics"), AccessVerdict::allowed);
  EXPECT_EQ(review_.may_get("good", "/"), AccessVerdict::forbidden);
  EXPECT_EQ(review_.may_get("bad", "/metrics"), AccessVerdict::unknown);
  down_ = true;
  EXPECT_EQ(review_.may_get("other", "/metrics"), AccessVerdict::unavailable);
}

TEST_F(AccessReviewTest, AsksTheServerNothingForWhatIsNoToken) {
  for (const std::string& text :
       {std::string(), std::string("a b"), std::string("a\"b"), std::string("\xff"), std::string(20'000, 'a')})
    EXPECT_EQ(review_.may_get(text, "/metrics"), AccessVerdict::unknown);
  EXPECT_EQ(token_reviews_, 0);
}

TEST_F(AccessReviewTest, RemembersForSomeSecondsAndNoLonger) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(review_.may_get("good", "/metrics"), AccessVerdict::allowed);
  EXPECT_EQ(token_reviews_, 1);
  down_ = true;
  EXPECT_EQ(review_.may_get("good", "/metrics"), AccessVerdict::allowed);
  now_ += std::chrono::seconds(11);
  EXPECT_EQ(review_.may_get("good", "/metrics"), AccessVerdict::unavailable);
  EXPECT_EQ(review_.kept(), 0u);
}

TEST_F(AccessReviewTest, KeepsABoundedNumberOfAnswers) {
  for (int i = 0; i < 1100; ++i) review_.may_get("bad" + std::to_string(i), "/metrics");
  EXPECT_LE(review_.kept(), 1000u);
}

}  // namespace
}  // namespace lips::kubernetes

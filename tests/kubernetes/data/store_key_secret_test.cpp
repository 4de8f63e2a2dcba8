#include "kubernetes/data/store_key_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr const char* encoded = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

// One Secret, as an API server keeps it; what is written as stringData comes back as that key.
class SecretServer {
 public:
  std::optional<Json> secret;
  int forbidden = 0;
  bool forgets = false;  // what is written
  bool no_name_space = false;
  std::vector<std::string> asked() const { return asked_; }

  Reply operator()(const ReceivedRequest& request) {
    asked_.push_back(request.method + ' ' + request.path);
    if (forbidden > 0) return {403, R"({"message":"no right to do that"})", {}, false, nullptr};
    if (no_name_space) return {404, R"({"message":"namespaces \"movers\" not found"})", {}, false, nullptr};
    if (request.method == "GET" && !secret) return {404, "{}", {}, false, nullptr};
    if (request.method == "GET") return {200, secret->dump(), {}, false, nullptr};
    if (request.method == "POST" && secret) return {409, "{}", {}, false, nullptr};
    const Json body = Json::parse(request.body);
    EXPECT_EQ(body["stringData"]["key"].get<std::string>().size(), 64u);
    if (forgets) return {200, secret ? secret->dump() : R"({"metadata":{"resourceVersion":"1"}})", {}, false, nullptr};
    secret = Json{{"metadata", {{"resourceVersion", "2"}}}, {"data", {{"key", encoded}}}};
    return {200, secret->dump(), {}, false, nullptr};
  }

 private:
  std::vector<std::string> asked_;
};

class StoreKeySecretTest : public testing::Test {
 protected:
  void turn(int times, Duration pause = std::chrono::minutes(1)) {
    for (int i = 0; i < times && !secret_.key().known(); ++i) {
      secret_.tick(now_ += pause);
      api_.settle();
      writes_.collect(now_);
      writes_.collect(now_);
    }
  }
  SecretServer answers_;
  VirtualApi api_{[this](const ReceivedRequest& request) { return answers_(request); }};
  ObjectWrites writes_{api_.client(), [] { return true; }, [] {}};
  StoreKeySecret secret_{writes_, "movers", "seal"};
  TimePoint now_{std::chrono::hours(1)};
};

TEST_F(StoreKeySecretTest, ReadsTheKeyThatIsThere) {
  answers_.secret = Json{{"data", {{"key", encoded}}}};
  turn(5);
  EXPECT_EQ(secret_.key().text(), "0123456789abcdef0123456789abcdef");
  EXPECT_THAT(answers_.asked(), testing::ElementsAre("GET /api/v1/namespaces/movers/secrets/seal"));
}

TEST_F(StoreKeySecretTest, FillsTheEmptySecretOfTheChart) {
  answers_.secret = Json{{"metadata", {{"resourceVersion", "1"}}}};
  turn(5);
  EXPECT_TRUE(secret_.key().known());
  EXPECT_THAT(answers_.asked(), testing::Contains("PATCH /api/v1/namespaces/movers/secrets/seal").Times(1));
}

TEST_F(StoreKeySecretTest, MakesOneWhereThereIsNone) {
  turn(5);
  EXPECT_TRUE(secret_.key().known());
  EXPECT_THAT(answers_.asked(), testing::Contains("POST /api/v1/namespaces/movers/secrets").Times(1));
}

TEST_F(StoreKeySecretTest, TakesNoShortKey) {
  answers_.secret = Json{{"metadata", {{"resourceVersion", "1"}}}, {"data", {{"key", "YQ=="}}}};
  turn(5);
  EXPECT_EQ(secret_.key().text(), "0123456789abcdef0123456789abcdef") << "it is replaced";
}

TEST_F(StoreKeySecretTest, WritesLessOftenWhereTheServerDoesNotKeepIt) {
  answers_.secret = Json{{"metadata", {{"resourceVersion", "1"}}}};
  answers_.forgets = true;
  turn(600, seconds(1));
  EXPECT_FALSE(secret_.key().known());
  EXPECT_THAT(secret_.problem(), HasSubstr("no key after one was written"));
  EXPECT_LE(answers_.asked().size(), 40u) << "in ten minutes";
  answers_.forgets = false;
  turn(60, seconds(1));
  EXPECT_TRUE(secret_.key().known());
}

TEST_F(StoreKeySecretTest, AsksLessOftenWhereItsNamespaceIsMissing) {
  answers_.no_name_space = true;
  turn(600, seconds(1));
  EXPECT_FALSE(secret_.key().known());
  EXPECT_THAT(secret_.problem(), HasSubstr("not found"));
  EXPECT_LE(answers_.asked().size(), 40u) << "in ten minutes";
  answers_.no_name_space = false;
  turn(60, seconds(1));
  EXPECT_TRUE(secret_.key().known());
}

TEST_F(StoreKeySecretTest, SaysWhyTheKeyIsNotKnown) {
  EXPECT_FALSE(secret_.refused_since());
  answers_.forbidden = 1;
  turn(3);
  EXPECT_FALSE(secret_.key().known());
  EXPECT_EQ(secret_.refused_since(), TimePoint(std::chrono::minutes(61)));
  EXPECT_THAT(secret_.problem(), HasSubstr("Secret seal: "));
}

}  // namespace
}  // namespace lips::kubernetes

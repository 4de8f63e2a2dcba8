#include "kubernetes/api/missing_rights.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

const std::string no_right =
    R"(HTTP 403: pods "p" is forbidden: User "u" cannot create resource "pods/binding" in API group "" in the namespace "n")";
const std::string by_policy = R"(HTTP 403: admission webhook "policy" denied the request: pod cannot run here)";
const std::string over_quota = R"(HTTP 403: pods "p" is forbidden: exceeded quota: few, requested: pods=1)";

std::string binding(const std::string& name_space, int pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/pod-{}/binding", name_space, pod);
}

TEST(MissingRights, AreAskedForOnceInAWhileHoweverManyPodsNeedThem) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    MissingRights rights;
    const Error error{ErrorCode::invalid_input, no_right};
    int sent = 0;
    const Duration day = std::chrono::hours(24);
    for (Duration now{}; now < day; now += seconds(random.uniform(0.1, 5))) {
      const std::string path = binding("n", static_cast<int>(random.below(1000)));
      if (const auto refused = rights.refused(Verb::create, path, now)) {
        EXPECT_EQ(refused->message, error.message);
        continue;
      }
      ++sent;
      if (random.below(10) == 0) continue;  // no answer comes
      rights.note(Verb::create, path, 403, error, now);
    }
    EXPECT_LE(sent, 2 * day / MissingRights::longest_pause) << seed;
    EXPECT_GE(sent, day / MissingRights::longest_pause / 2) << seed;
    EXPECT_EQ(rights.kept(), 1U);
  }
}

TEST(MissingRights, KeepBackNothingElseAndComeBackWithTheFirstSuccess) {
  MissingRights rights;
  const Error error{ErrorCode::invalid_input, no_right};
  for (int i = 0; i < MissingRights::free_refusals; ++i) {
    EXPECT_FALSE(rights.refused(Verb::create, binding("n", i), {}));
    rights.note(Verb::create, binding("n", i), 403, error, {});
  }
  EXPECT_TRUE(rights.refused(Verb::create, binding("n", 7), {}));
  EXPECT_FALSE(rights.refused(Verb::create, binding("other", 7), {})) << "another namespace may have it";
  EXPECT_FALSE(rights.refused(Verb::patch, "/api/v1/namespaces/n/pods/pod-7/status", {}));
  EXPECT_FALSE(rights.refused(Verb::get, "/api/v1/namespaces/n/pods/pod-7", {}));
  EXPECT_FALSE(rights.refused(Verb::create, binding("n", 7), MissingRights::first_pause)) << "a probe";
  EXPECT_TRUE(rights.refused(Verb::create, binding("n", 8), MissingRights::first_pause)) << "one at a time";
  rights.note(Verb::create, binding("n", 7), 201, {}, MissingRights::first_pause);
  EXPECT_FALSE(rights.refused(Verb::create, binding("n", 8), MissingRights::first_pause));
  EXPECT_EQ(rights.kept(), 0U);
}

TEST(MissingRights, AreNotWhatAnAdmissionOrAQuotaRefuses) {
  for (const std::string& message : {by_policy, over_quota}) {
    MissingRights rights;
    for (int i = 0; i < 100; ++i)
      rights.note(Verb::create, binding("n", i), 403, {ErrorCode::invalid_input, message}, {});
    EXPECT_FALSE(rights.refused(Verb::create, binding("n", 0), {})) << message;
  }
  MissingRights rights;
  const Error error{ErrorCode::invalid_input, no_right};
  for (int i = 0; i < 100; ++i) {
    rights.note(Verb::create, binding("n", i), 403, error, {});
    rights.note(Verb::create, binding("n", i), 422, {ErrorCode::invalid_input, "HTTP 422: invalid"}, {});
  }
  EXPECT_FALSE(rights.refused(Verb::create, binding("n", 0), {})) << "a server that judges the object has let it in";
}

}  // namespace
}  // namespace lips::kubernetes

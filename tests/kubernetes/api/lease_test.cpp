#include "kubernetes/api/lease.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/leadership.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

constexpr TimePoint at(double second) { return TimePoint(Duration(static_cast<std::int64_t>((1000 + second) * 1e6))); }

// A lease in memory, refused and out of reach as the test says.
class FakeLeaseStore : public LeaseStore {
 public:
  Result<LeaseRecord> read() override {
    if (!reachable) return fail(ErrorCode::unavailable, "cut off");
    return record ? Result<LeaseRecord>(*record) : fail(ErrorCode::not_found, "none");
  }
  Result<LeaseRecord> write(const LeaseRecord& wanted) override {
    if (!reachable) return fail(ErrorCode::unavailable, "cut off");
    const std::string current = record ? record->resource_version : "";
    if (before_write) std::exchange(before_write, nullptr)();
    if ((record ? record->resource_version : "") != wanted.resource_version || current != wanted.resource_version)
      return fail(ErrorCode::conflict, "changed");
    record = wanted;
    record->resource_version = std::to_string(++version_);
    return *record;
  }
  std::optional<LeaseRecord> record;
  bool reachable = true;
  std::function<void()> before_write;

 private:
  int version_ = 0;
};

LeaseOptions named(const std::string& identity) {
  LeaseOptions options;
  options.identity = identity;
  return options;
}

class TwoCopies : public testing::Test {
 protected:
  FakeLeaseStore store_;
  LeaderElection a_{store_, named("a")};
  LeaderElection b_{store_, named("b")};
};

using Lease = TwoCopies;

TEST_F(Lease, GoesToTheFirstAndStaysWhileItIsRenewed) {
  for (double second = 0; second < 100; second += 2) {
    ASSERT_TRUE(a_.step(at(second)).has_value());
    ASSERT_TRUE(b_.step(at(second + 1)).has_value());
    EXPECT_TRUE(a_.leads(at(second + 1)));
    EXPECT_FALSE(b_.leads(at(second + 1)));
  }
  EXPECT_EQ(store_.record->transitions, 0);
  EXPECT_EQ(b_.holder(), "a");
}

TEST_F(Lease, EndsForAHolderThatIsCutOffBeforeAnotherMayTakeIt) {
  ASSERT_TRUE(a_.step(at(0)).has_value());
  ASSERT_TRUE(b_.step(at(0.5)).has_value());
  const auto cut_off = [&](double second) {
    store_.reachable = false;
    EXPECT_EQ(a_.step(at(second)).error().code, ErrorCode::unavailable);
    store_.reachable = true;
  };
  for (double second = 2; second < 15.5; second += 1) {
    cut_off(second);
    ASSERT_TRUE(b_.step(at(second)).has_value());
    EXPECT_EQ(a_.leads(at(second)), second < 10) << second;
    EXPECT_FALSE(b_.leads(at(second))) << second;
  }
  ASSERT_TRUE(b_.step(at(15.5)).has_value());
  EXPECT_TRUE(b_.leads(at(15.5)));
  EXPECT_EQ(b_.term(), 1);
  ASSERT_TRUE(a_.step(at(16)).has_value());
  EXPECT_FALSE(a_.leads(at(16)));
}

// Renewed, then cut off: what is sent at the last moment is answered or given up before another copy leads.
TEST_F(Lease, LeavesNothingOnTheWireWhenAnotherTakesIt) {
  for (const auto& [duration, deadline] : {std::pair(15.0, 10.0), std::pair(15.0, 14.5), std::pair(60.0, 10.0)}) {
    LeaseOptions options = named("a"), other = named("b");
    options.duration = other.duration = seconds(duration);
    options.renew_deadline = other.renew_deadline = seconds(deadline);
    FakeLeaseStore store;
    LeaderElection leader(store, options), standby(store, other);
    ASSERT_TRUE(leader.step(at(0)).has_value());
    double last_sent = 0, first_led = 1e9;
    for (double second = 0.01; second < duration + 2; second += 0.01) {
      ASSERT_TRUE(standby.step(at(second)).has_value());
      if (leader.leads(at(second))) last_sent = second;
      if (standby.leads(at(second))) first_led = std::min(first_led, second);
    }
    EXPECT_LT(last_sent + static_cast<double>(wire_time(options).count()) / 1000, first_led) << duration;
    EXPECT_GT(wire_time(options).count(), 0);
  }
}

TEST_F(Lease, DoesNotTrustTheTimesThatTheHolderWrote) {
  ASSERT_TRUE(a_.step(at(0)).has_value());
  store_.record->renewed = at(-100'000);  // its clock is a day behind
  ASSERT_TRUE(b_.step(at(1)).has_value());
  EXPECT_FALSE(b_.leads(at(1)));
  EXPECT_EQ(store_.record->holder, "a");
}

TEST_F(Lease, IsHandedOverAtOnceWhenReleased) {
  ASSERT_TRUE(a_.step(at(0)).has_value());
  ASSERT_TRUE(b_.step(at(1)).has_value());
  ASSERT_TRUE(a_.release(at(2)).has_value());
  EXPECT_FALSE(a_.leads(at(2)));
  ASSERT_TRUE(b_.step(at(3)).has_value());
  EXPECT_TRUE(b_.leads(at(3)));
}

TEST_F(Lease, IsReleasedOnlyByItsHolder) {
  ASSERT_TRUE(a_.step(at(0)).has_value());
  ASSERT_TRUE(b_.step(at(1)).has_value());
  ASSERT_TRUE(b_.release(at(2)).has_value());
  EXPECT_EQ(store_.record->holder, "a");
  EXPECT_TRUE(a_.leads(at(3)));
}

TEST_F(Lease, GoesToOneOfTwoThatAskAtOnce) {
  store_.before_write = [&] { ASSERT_TRUE(b_.step(at(0)).has_value()); };
  EXPECT_EQ(a_.step(at(0)).error().code, ErrorCode::conflict);
  EXPECT_FALSE(a_.leads(at(0)));
  EXPECT_TRUE(b_.leads(at(0)));
}

TEST_F(Lease, IsLostWhenSomebodyElseIsInIt) {
  ASSERT_TRUE(a_.step(at(0)).has_value());
  store_.record->holder = "c";
  store_.record->resource_version = "900";
  ASSERT_TRUE(a_.step(at(2)).has_value());
  EXPECT_FALSE(a_.leads(at(2)));
}

TEST_F(Lease, IsMadeAgainByItsHolderWhenSomebodyDeletedIt) {
  ASSERT_TRUE(a_.step(at(0)).has_value());
  ASSERT_TRUE(b_.step(at(0)).has_value());
  store_.record.reset();
  ASSERT_TRUE(b_.step(at(1)).has_value());
  EXPECT_FALSE(b_.leads(at(1))) << "a may still act";
  ASSERT_TRUE(a_.step(at(2)).has_value());
  EXPECT_TRUE(a_.leads(at(11)));
  store_.record.reset();
  ASSERT_TRUE(b_.step(at(15)).has_value());
  EXPECT_TRUE(b_.leads(at(15)));
}

// Keeps one Lease as an API server does: an update of a missing one makes it, unless it names a uid.
class LeaseServer {
 public:
  Reply operator()(const ReceivedRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.method != "GET" && before_write) std::exchange(before_write, nullptr)();
    if (request.method == "GET") return lease.is_null() ? said(404) : said(200);
    nlohmann::json wanted = nlohmann::json::parse(request.body);
    nlohmann::json& meta = wanted["metadata"];
    if (request.method == "PUT" && lease.is_null() && meta.contains("uid")) return said(409);
    if (request.method == "PUT" && !lease.is_null() && meta["resourceVersion"] != lease["metadata"]["resourceVersion"])
      return said(409);
    if (request.method == "POST" && !lease.is_null()) return said(409);
    if (lease.is_null()) ++made;
    meta["uid"] = lease.is_null() ? "uid-" + std::to_string(made) : lease["metadata"]["uid"].get<std::string>();
    meta["resourceVersion"] = std::to_string(++version_);
    lease = std::move(wanted);
    return said(200);
  }
  nlohmann::json lease;
  int made = 0;
  std::function<void()> before_write;

 private:
  Reply said(int code) const { return {code, code == 200 ? lease.dump() : "{}", {}, false, nullptr}; }
  std::mutex mutex_;
  int version_ = 0;
};

TEST(ApiLeaseStore, MakesNoLeaseThatSomebodyDeletesWhileItIsRenewed) {
  LeaseServer kept;
  FakeApiServer server{[&](const ReceivedRequest& request) { return kept(request); }};
  HttpClient client{server.connection(), quick_client()};
  ApiLeaseStore store(client, "lips", "lips", std::chrono::seconds(5));
  LeaderElection election(store, named("a"));
  ASSERT_TRUE(election.step(at(0)).has_value());
  ASSERT_TRUE(election.step(at(2)).has_value());
  EXPECT_EQ(kept.made, 1);
  kept.before_write = [&] { kept.lease = nullptr; };
  EXPECT_EQ(election.step(at(4)).error().code, ErrorCode::conflict);
  EXPECT_EQ(kept.made, 1) << "it was not made behind the back of whoever deleted it";
  EXPECT_TRUE(election.leads(at(11))) << "until the last renewal ends, which nobody else may overtake";
  ASSERT_TRUE(election.step(at(6)).has_value());
  EXPECT_EQ(kept.made, 2);
  EXPECT_EQ(kept.lease["metadata"]["uid"], "uid-2");
  kept.before_write = [&] { kept.lease = nullptr; };
  EXPECT_FALSE(election.release(at(7)).has_value());
  EXPECT_TRUE(kept.lease.is_null()) << "nor is one made to be given up";
}

// The lease is written every two seconds, so it is the first to tell of a restored backup.
TEST_F(Lease, TellsThatTheStoreWentBack) {
  store_.record = LeaseRecord{"x", std::chrono::seconds(15), at(0), at(0), 1, "700", "u"};
  ASSERT_TRUE(b_.step(at(0)));
  EXPECT_FALSE(b_.take_set_back());
  store_.record->resource_version = "650";
  ASSERT_TRUE(b_.step(at(2)));
  const std::optional<SetBack> news = b_.take_set_back();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->before, 700u);
  EXPECT_EQ(news->found, 650u);
  EXPECT_FALSE(b_.take_set_back()) << "once";
  store_.record->uid = "another", store_.record->resource_version = "3";
  ASSERT_TRUE(b_.step(at(4)));
  EXPECT_FALSE(b_.take_set_back()) << "a lease that was made again says nothing";
}

TEST_F(Lease, TellsAlsoOfWhatAnEarlierProcessSaw) {
  store_.record = LeaseRecord{"x", std::chrono::seconds(15), at(0), at(0), 1, "650", "u"};
  a_.take_over({"u", 700});
  ASSERT_TRUE(a_.step(at(0)));
  EXPECT_TRUE(a_.take_set_back());
  b_.take_over({"other", 900});
  ASSERT_TRUE(b_.step(at(0)));
  EXPECT_FALSE(b_.take_set_back());
}

TEST_F(Lease, CountsTheTimesThatThisCopyBeganToLead) {
  EXPECT_EQ(a_.times_elected(), 0u);
  for (double second = 0; second < 20; second += 2) ASSERT_TRUE(a_.step(at(second)).has_value());
  EXPECT_EQ(a_.times_elected(), 1u);
  store_.reachable = false;
  ASSERT_FALSE(a_.step(at(20)).has_value());
  EXPECT_FALSE(a_.leads(at(29)));
  store_.reachable = true;
  ASSERT_TRUE(a_.step(at(30)).has_value());
  EXPECT_TRUE(a_.leads(at(30)));
  EXPECT_EQ(store_.record->transitions, 0) << "nobody else led meanwhile";
  EXPECT_EQ(a_.times_elected(), 2u) << "and yet it had ceased to";
  EXPECT_EQ(b_.times_elected(), 0u);
}

// In a time namespace in which the machine seems to have slept for 100,000 s: CLOCK_BOOTTIME counts that,
// CLOCK_MONOTONIC does not.
TEST(SinceBoot, CountsTheTimeInWhichTheMachineSlept) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr int not_allowed = 77;
    if (unshare(CLONE_NEWTIME) != 0) _exit(not_allowed);
    std::FILE* offsets = std::fopen("/proc/self/timens_offsets", "w");
    if (!offsets || std::fputs("boottime 100000 0", offsets) < 0 || std::fclose(offsets) != 0) _exit(not_allowed);
    if (const pid_t inside = fork(); inside != 0) {
      int status = 1;
      waitpid(inside, &status, 0);
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    const auto awake = std::chrono::steady_clock::now().time_since_epoch();
    _exit(since_boot() - awake >= std::chrono::seconds(100'000) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to make a time namespace";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace lips::kubernetes

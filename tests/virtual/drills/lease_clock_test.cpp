// The leases of two replicas whose machines' clocks jump by a day: each begins anew with its clock, as the operator
// does, or is killed.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/api/lease.h"
#include "virtual/api_server.h"
#include "virtual/virtual_loop.h"

namespace lips::virtual_cluster::drills {
namespace {

// Every request is answered at once.
class AtOnce final : public kubernetes::ApiClient {
 public:
  explicit AtOnce(ApiServer& server) : server_(server) {}
  RequestId start(kubernetes::ApiRequest request, std::function<void(kubernetes::Answer)> done) override {
    const ApiResponse response = server_.handle(request);
    if (response.code < 300)
      done(response.body);
    else
      done(tl::unexpected(kubernetes::error_of_answer(response.code, response.body)));
    return 0;
  }
  void cancel(RequestId) override {}
  std::unique_ptr<kubernetes::ByteStream> watch(kubernetes::ApiRequest) override { return nullptr; }

 private:
  bool on_own_thread() const override { return false; }
  ApiServer& server_;
};

class Replica {
 public:
  Replica(ApiServer& server, std::string name) : client_(server), name_(std::move(name)) {}

  void begin(Duration ahead) {
    ahead_ = ahead;
    kubernetes::LeaseOptions options;
    options.identity = name_ + "_" + std::to_string(++lives_);
    election_.emplace(store_, options);
    next_ = {};
  }
  void end(bool gives_up, TimePoint world) {
    if (gives_up) {
      EXPECT_TRUE(election_->release(world + ahead_));
    }
    election_.reset();
  }
  void step(TimePoint world) {
    if (!election_ || world + ahead_ < next_) return;
    EXPECT_TRUE(election_->step(world + ahead_));
    next_ = world + ahead_ + (leads(world) ? std::chrono::seconds(2) : std::chrono::milliseconds(500));
  }
  bool leads(TimePoint world) const { return election_ && election_->leads(world + ahead_); }
  bool is_there() const { return election_.has_value(); }
  Duration ahead() const { return ahead_; }

 private:
  AtOnce client_;
  kubernetes::ApiLeaseStore store_{client_, "lips", "lips", std::chrono::milliseconds(2'000)};
  const std::string name_;
  int lives_ = 0;
  Duration ahead_{};
  TimePoint next_{};
  std::optional<kubernetes::LeaderElection> election_;
};

void two_replicas(std::uint64_t seed, int& elected) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr Duration one_day = std::chrono::hours(24), takes_over = std::chrono::seconds(40);
  Random random(seed);
  VirtualLoop loop(TimePoint(one_day * 20'454));
  ApiServer server(loop, seed);
  server.serve("/apis/coordination.k8s.io/v1/leases");
  std::array<Replica, 2> replicas{Replica(server, "a"), Replica(server, "b")};
  std::array<TimePoint, 2> next_event{};
  for (Replica& replica : replicas) replica.begin(Duration(0));
  TimePoint calm_since = loop.now(), led = loop.now();
  for (auto& when : next_event) when = loop.now() + seconds(random.uniform(20, 200));
  for (const TimePoint end = loop.now() + std::chrono::minutes(30); loop.now() < end;
       loop.run(std::chrono::milliseconds(100))) {
    const TimePoint now = loop.now();
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      Replica& replica = replicas[i];
      replica.step(now);
      if (now < next_event[i]) continue;
      calm_since = now;
      if (replica.is_there()) {
        replica.end(random.uniform() < 0.5, now);
        next_event[i] = now + seconds(random.uniform(0, 30));
      } else {
        replica.begin(replica.ahead() != Duration(0) ? Duration(0) : random.uniform() < 0.5 ? one_day : -one_day);
        next_event[i] = now + seconds(random.uniform(60, 300));
      }
    }
    const bool a = replicas[0].leads(now), b = replicas[1].leads(now);
    ASSERT_FALSE(a && b);
    elected += (a || b) && led < now - std::chrono::milliseconds(100);
    if (a || b) led = now;
    ASSERT_LT(now - std::max(led, calm_since), takes_over);
  }
}

TEST(ClockDrill, OneReplicaLeadsAtATimeThoughTheirClocksJumpByADay) {
  int elected = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) two_replicas(seed, elected);
  EXPECT_GT(elected, 40);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills

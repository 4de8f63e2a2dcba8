#include "kubernetes/api/server_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/steady_now.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

using std::chrono::minutes;

constexpr TimePoint start{std::chrono::hours(24) * 20'454};

Duration random_span(Random& random, Duration most) { return seconds(random.uniform() * to_seconds(most)); }

// Requests and their answers, some of which overtake others, from a server whose clock is ahead.
struct World {
  explicit World(std::uint64_t seed) : random(seed) {}

  void ask() {
    now += random_span(random, std::chrono::seconds(3));
    const double kind = random.uniform();
    const Duration longest = kind < 0.5   ? Duration(std::chrono::milliseconds(20))
                             : kind < 0.9 ? Duration(std::chrono::seconds(1))
                                          : Duration(std::chrono::seconds(30));
    const Duration there = random_span(random, longest), back = random_span(random, longest);
    const TimePoint date = std::chrono::floor<std::chrono::seconds>(now + there + ahead);
    on_the_way.push_back({now, now + there + back, date});
  }
  // Those that have come by now, in an order of their own.
  void hear(ServerClock& clock) {
    for (std::size_t i = on_the_way.size(); i-- > 0;) {
      if (on_the_way[i].received > now) continue;
      clock.note(on_the_way[i]);
      heard.push_back(on_the_way[i]);
      on_the_way.erase(on_the_way.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  // Among the answers of the last minute.
  Duration shortest_round_trip() const {
    Duration shortest = Duration::max();
    TimePoint last{};
    for (const auto& answer : heard) last = std::max(last, answer.received);
    for (const auto& answer : heard)
      if (last - answer.received <= ServerClock::remembers - std::chrono::seconds(2))
        shortest = std::min(shortest, answer.received - answer.sent);
    return shortest;
  }

  Random random;
  TimePoint now = start;
  Duration ahead{};
  std::vector<ServerClock::DatedAnswer> on_the_way, heard;
};

Duration random_difference(Random& random) {
  const double kind = random.uniform();
  const Duration most = kind < 0.3   ? Duration(std::chrono::seconds(8))
                        : kind < 0.7 ? Duration(minutes(10))
                                     : Duration(std::chrono::hours(40));
  return random_span(random, most) * (random.uniform() < 0.5 ? 1 : -1);
}

TEST(ServerClock, ErrsByASecondAndARoundTripAtMost) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.ahead = random_difference(world.random);
    ServerClock clock;
    EXPECT_FALSE(clock.ahead());
    for (int i = 0; i < 60; ++i) {
      world.ask();
      world.hear(clock);
      if (world.heard.empty()) continue;
      const std::optional<Duration> ahead = clock.ahead();
      ASSERT_TRUE(ahead);
      const Duration error = std::chrono::abs(*ahead - world.ahead);
      EXPECT_LE(error, ServerClock::resolution + world.shortest_round_trip());
      if (std::chrono::abs(world.ahead) <= ServerClock::tolerance) {
        EXPECT_FALSE(clock.differs());
      } else if (std::chrono::abs(world.ahead) > ServerClock::tolerance + ServerClock::resolution + minutes(1)) {
        EXPECT_EQ(clock.differs(), ahead);
      }
    }
  }
}

// The server's clock is set, perhaps more than once.
TEST(ServerClock, FollowsAClockThatWasSetAfterAMinute) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    ServerClock clock;
    bool was_right = false;
    for (int jump = 0; jump < 4; ++jump) {
      const TimePoint at = world.now;
      while (world.now - at < minutes(3)) {
        world.ask();
        world.hear(clock);
        if (was_right && world.now - at < std::chrono::seconds(20)) {
          EXPECT_FALSE(clock.differs()) << "other answers said otherwise a moment ago";
        }
      }
      EXPECT_LE(std::chrono::abs(*clock.ahead() - world.ahead), ServerClock::resolution + world.shortest_round_trip());
      EXPECT_EQ(clock.differs().has_value(), world.ahead != Duration(0));
      was_right = world.ahead == Duration(0);
      world.on_the_way.clear();
      const Duration other = minutes(2) + random_span(world.random, minutes(90));
      world.ahead = jump % 2 == 1 ? Duration(0) : world.random.uniform() < 0.5 ? other : -other;
    }
  }
}

// The other dates are those of one of three API servers, or of a machine between.
TEST(ServerClock, BelievesTheMajorityOfTheDates) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.ahead = random_difference(world.random);
    ServerClock clock;
    int honest = 0;
    for (int i = 0; i < 60; ++i) {
      world.now += std::chrono::seconds(1);
      const Duration trip = random_span(world.random, std::chrono::milliseconds(400));
      const bool lies = honest > 2 * (i - honest) + 2 && world.random.uniform() < 0.3;
      honest += lies ? 0 : 1;
      const Duration ahead = lies ? random_difference(world.random) : world.ahead;
      clock.note({world.now, world.now + trip, std::chrono::floor<std::chrono::seconds>(world.now + trip / 2 + ahead)});
      EXPECT_LE(std::chrono::abs(*clock.ahead() - world.ahead),
                ServerClock::resolution + Duration(std::chrono::milliseconds(400)));
    }
  }
}

TEST(ServerClock, IsNotTakenForAnotherWhileOneOfTwoServersIsRight) {
  ServerClock clock;
  for (int second = 0; second < 600; ++second) {
    const TimePoint now = start + std::chrono::seconds(second);
    clock.note({now, now, now + (second % 40 == 0 ? Duration(0) : Duration(minutes(5)))});
    EXPECT_FALSE(clock.differs());
  }
}

// By a client on a wire: the dates of answers, refusals too, and how long ago each request was sent.
class Dates final : public RequestObserver {
 public:
  void tried(const Try& ended) override {
    const TimePoint now = steady_now();
    if (!ended.date) return void(++without);
    clock.note({now - ended.since_sent, now, *ended.date});
    EXPECT_GE(ended.since_sent, ended.took);
  }
  ServerClock clock;
  std::atomic<int> without{0};
};

TEST(ServerClock, HearsTheDatesOfAnswers) {
  const auto difference = std::chrono::seconds(3'600);
  FakeApiServer server([&](const ReceivedRequest& request) {
    Reply reply{request.path == "/refused" ? 403 : 200, "{}", {}, false, nullptr};
    if (request.path != "/undated") reply.date = steady_now() + difference;
    return reply;
  });
  Dates dates;
  ClientOptions options = quick_client();
  options.observer = &dates;
  HttpClient client(server.connection(), options);
  const auto get = [&](const std::string& path) {
    ApiRequest request;
    request.path = path;
    return client.call(std::move(request));
  };
  EXPECT_TRUE(get("/undated"));
  EXPECT_EQ(dates.without, 1);
  EXPECT_FALSE(dates.clock.ahead());
  EXPECT_FALSE(get("/refused"));
  ASSERT_TRUE(dates.clock.ahead());
  EXPECT_TRUE(get("/dated"));
  EXPECT_EQ(dates.without, 1);
  EXPECT_LE(std::chrono::abs(*dates.clock.ahead() - Duration(difference)), Duration(std::chrono::seconds(40)));
}

TEST(SteadyNow, IsPutForwardAndBack) {
  const Duration before = steady_now() - machine_now();
  put_steady_now_forward(std::chrono::hours(24));
  const Duration after = steady_now() - machine_now();
  put_steady_now_forward(-std::chrono::hours(24));
  EXPECT_LE(std::chrono::abs(after - before - Duration(std::chrono::hours(24))), Duration(std::chrono::seconds(2)));
}

}  // namespace
}  // namespace lips::kubernetes

// Two small applications, in every order in which their pods can come: neither waits for ever for room that the other
// one holds. docs/spark.md says why.
#include <array>
#include <optional>
#include <vector>

#include "tests/policies/case.h"

namespace lips::testing {
namespace {

constexpr double tick = 10;  // seconds between plans
constexpr int limit = 200;   // ticks: a dozen turns with kept room

// A driver and its workers, whose number is known or not; a PodGroup; workers that say how many they are; workers that
// come before the head that they need.
enum class Kind { driver, unsaid, gang, batch, headless };
constexpr std::array kinds{Kind::driver, Kind::unsaid, Kind::gang, Kind::batch, Kind::headless};
bool has_driver(Kind kind) { return kind == Kind::driver || kind == Kind::unsaid || kind == Kind::headless; }
struct Application {
  Kind kind = Kind::driver;
  int size = 2;       // all pods, the driver too
  int ticks = 2;      // that each pod runs; a driver until its workers have ended
  int begins = 0;     // tick at which the first pod may come
  unsigned late = 0;  // bit i: pod i comes a tick after it could
};

struct Room {
  std::vector<int> cores;  // by zone; each pod takes one
  int most = 0;            // cores that the pool may use; 0: all
};

class Play {
 public:
  Play(const Room& room, const std::array<Application, 2>& applications)
      : with_("lips", cluster(room), by_use(), UsdPerMebibyte(2e-5)) {
    for (const Application& each : applications) {
      played_.push_back({each, std::vector<Pod>(static_cast<std::size_t>(each.size))});
      Played& played = played_.back();
      const bool together = !has_driver(each.kind) || each.kind == Kind::headless;
      const int first = together ? each.size : 1;  // workers come once their driver runs
      for (int pod = 0; pod < first; ++pod)
        played.pods[static_cast<std::size_t>(pod)].comes = each.begins + late(each, pod);
      if (each.kind == Kind::headless) played.pods[0].comes += 2;
    }
  }

  // The tick at which all has ended.
  std::optional<int> end() {
    for (int now = 0; now < limit; ++now) {
      with_.at(tick * now);
      for (std::size_t i = 0; i < played_.size(); ++i) advance(i, now);
      start(with_.step(), now);
      bool ended = true;
      for (const Played& played : played_) {
        expect_whole(played);
        for (const Pod& pod : played.pods) ended = ended && pod.state == State::ended;
      }
      if (ended) return now;
    }
    return std::nullopt;
  }

 private:
  enum class State { absent, waits, runs, ended };
  struct Pod {
    State state = State::absent;
    int comes = limit, ends = limit;
    TaskId task;
  };
  struct Played {
    Application as;
    std::vector<Pod> pods;
  };

  static ClusterBuilder cluster(const Room& room) {
    ClusterBuilder builder(static_cast<int>(room.cores.size()));
    builder.start.pools[PoolId(0)].maximum = Cores(room.most);
    for (std::uint32_t zone = 0; zone < room.cores.size(); ++zone)
      builder.node({.zone = ZoneId(zone), .price = 1e-5, .slots = 100, .cpu = static_cast<double>(room.cores[zone])});
    return builder;
  }
  static PolicySettings by_use() {
    PolicySettings settings;
    settings.lips.billing = Billing::use;
    return settings;
  }
  static int late(const Application& of, int pod) { return static_cast<int>(of.late >> pod & 1); }

  // Pods come and end.
  void advance(std::size_t index, int now) {
    Played& played = played_[index];
    bool workers_ended = true;
    for (std::size_t i = played.pods.size(); i-- > 0;) {
      Pod& pod = played.pods[i];
      const bool drives = has_driver(played.as.kind) && i == 0;
      if (pod.state == State::absent && pod.comes <= now) arrive(index, drives, pod);
      if (pod.state == State::runs && (drives ? workers_ended : pod.ends <= now)) {
        with_.finish(pod.task);
        pod.state = State::ended;
      }
      workers_ended = workers_ended && pod.state == State::ended;
    }
  }

  void arrive(std::size_t index, bool drives, Pod& pod) {
    const Application& as = played_[index].as;
    const ClusterSnapshot& cluster = with_.state.snapshot();
    JobArrived arrived = job(cluster, {.maps = 1, .cpu = tick * as.ticks, .shuffle = 1000});
    arrived.job.arrival = cluster.now;
    arrived.job.coordinates = drives;
    WholeJob& whole = arrived.job.whole;
    whole.id = WholeJobId(static_cast<std::uint32_t>(index));
    whole.peers = true;
    const bool unsaid = as.kind == Kind::unsaid || as.kind == Kind::headless;
    whole.expected = unsaid ? 0 : static_cast<std::uint32_t>(as.size);
    whole.lacks_driver = as.kind == Kind::headless && !drives && played_[index].pods[0].state == State::absent;
    whole.gang = as.kind == Kind::gang ? static_cast<std::uint32_t>(as.size) : 0;
    whole.each = {Cores(1), Mebibytes(100), 1};
    whole.arrived = cluster.now;
    with_.state.apply(arrived);
    pod.task = TaskId(static_cast<std::uint32_t>(cluster.tasks.size() - 1));
    pod.state = State::waits;
  }

  void start(const std::vector<Assignment>& assignments, int now) {
    for (const Assignment& assignment : assignments)
      for (Played& played : played_)
        for (std::size_t i = 0; i < played.pods.size(); ++i) {
          Pod& pod = played.pods[i];
          if (pod.state != State::waits || pod.task != assignment.task) continue;
          with_.state.apply(TaskStarted{assignment.task, assignment.node});
          pod.state = State::runs;
          const bool headless = played.as.kind == Kind::headless;
          if (!headless || played.pods[0].state == State::runs) pod.ends = now + played.as.ticks;
          for (std::size_t worker = 1; i == 0 && has_driver(played.as.kind) && worker < played.pods.size(); ++worker)
            if (headless)  // those that run begin to work
              played.pods[worker].ends = now + played.as.ticks;
            else
              played.pods[worker].comes = now + 1 + late(played.as, static_cast<int>(worker));
        }
  }

  static void expect_whole(const Played& played) {
    if (played.as.kind != Kind::gang) return;
    int started = 0;
    for (const Pod& pod : played.pods) started += pod.state == State::runs || pod.state == State::ended;
    EXPECT_TRUE(started == 0 || started == played.as.size) << started << " of a gang have started";
  }

  Case with_;
  std::vector<Played> played_;
};

// A gang of each kind, size and length; late pods; the second begins with the first or a tick later.
template <class Visit>
void each_pair(const std::vector<int>& sizes, const Visit& visit) {
  for (const Kind first : kinds)
    for (const Kind second : kinds)
      for (const int one : sizes)
        for (const int other : sizes)
          for (const int ticks : {1, 3})
            for (const int begins : {0, 1})
              for (unsigned late = 0; late < 1U << (one + other); ++late)
                visit(std::array{Application{first, one, 2, 0, late},
                                 Application{second, other, ticks, begins, late >> one}});
}

void expect_all_end(const Room& room, const std::array<Application, 2>& applications, int& plays) {
  const std::optional<int> end = Play(room, applications).end();
  ++plays;
  if (end && *end < limit / 2) return;
  ADD_FAILURE() << "ended at " << end.value_or(-1) << ": " << room.cores.size() << " zones, the first with room for "
                << room.cores[0] << ", of which the pool may use " << room.most;
  for (const Application& each : applications)
    ADD_FAILURE() << "kind " << static_cast<int>(each.kind) << ", size " << each.size << ", runs for " << each.ticks
                  << ", begins at " << each.begins << ", late " << each.late;
}

TEST(GangStates, TwoApplicationsNeverWaitForEachOther) {
  int plays = 0;
  for (const Room& room : {Room{{3}}, {{2, 1}}, {{2, 2}}, {{3, 2}}, {{1, 1, 1}}, {{8}, 3}, {{2, 2}, 3}})
    each_pair({2, 3}, [&](const auto& applications) {
      if (!::testing::Test::HasFailure()) expect_all_end(room, applications, plays);
    });
  EXPECT_EQ(plays, 7 * 25 * (16 + 32 + 32 + 64) * 4);
}

TEST(GangStates, NorDoApplicationsThatAreLargerThanTheCluster) {
  int plays = 0;
  for (const Room& room : {Room{{2}}, {{1, 1}}, {{3}}, {{2, 1}}, {{8}, 2}})
    each_pair({2, 4}, [&](const auto& applications) {
      const auto never = [](const Application& each) { return each.kind == Kind::gang && each.size == 4; };
      if (never(applications[0]) || never(applications[1]) || ::testing::Test::HasFailure()) return;
      expect_all_end(room, applications, plays);
    });
  EXPECT_GT(plays, 40'000);
}

}  // namespace
}  // namespace lips::testing

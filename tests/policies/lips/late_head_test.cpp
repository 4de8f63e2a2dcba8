// Workers that are created before the head that they need, as those of Ray and Dask can be.
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

// A pod of one core of an application; so many workers, or the head.
JobId add_pods(Case& with, int pods, double at, bool head) {
  with.at(at);
  JobArrived arrived = job(with.state.snapshot(), {.arrival = at, .maps = pods, .cpu = 3600, .shuffle = 1000});
  arrived.job.coordinates = head;
  WholeJob& whole = arrived.job.whole;
  whole.id = WholeJobId(0);
  whole.peers = true;
  whole.each = {Cores(1), Mebibytes(100), 1};
  whole.arrived = with.state.snapshot().now;
  whole.lacks_driver = !head;
  with.state.apply(arrived);
  return JobId(static_cast<std::uint32_t>(with.state.snapshot().jobs.size() - 1));
}

struct Headless {
  Case with;
  Headless() : with("lips", four_cores()) { add_pods(with, 4, 0, false); }
  static ClusterBuilder four_cores() {
    ClusterBuilder builder;
    builder.node({.price = 1e-5, .slots = 10, .cpu = 4});
    return builder;
  }
  // The number of workers that start until then.
  std::size_t started_until(double last) {
    std::size_t started = 0;
    for (const double second : {0.0, 10.0, 60.0, 200.0, 400.0, 600.0}) {
      if (second > last) break;
      with.at(second);
      started += with.step().size();
    }
    return started;
  }
};

TEST(Peers, LeaveRoomForTheHeadThatTheyNeed) {
  Headless workers;
  EXPECT_LE(workers.started_until(400), 3u) << "no room is left for the head";
  const JobId head = add_pods(workers.with, 1, 450, true);
  workers.with.at(460);
  const std::vector<Assignment> assigned = workers.with.step();
  EXPECT_TRUE(std::any_of(assigned.begin(), assigned.end(),
                          [&](const Assignment& assignment) { return assignment.task == workers.with.task(head, 0); }));
}

// After four times the two minutes for which room is kept for others.
TEST(Peers, LeaveNoRoomForAHeadThatDoesNotCome) { EXPECT_EQ(Headless().started_until(600), 4u); }

}  // namespace
}  // namespace lips::testing

#include "simulation/event_queue.h"

#include <gtest/gtest.h>

#include "simulation/heartbeats.h"

namespace lips::simulation {
namespace {

TEST(EventQueue, BreaksTiesByTheOrderOfAdding) {
  EventQueue<int> queue;
  queue.add(TimePoint(seconds(2)), 1);
  queue.add(TimePoint(seconds(1)), 2);
  queue.add(TimePoint(seconds(2)), 3);
  queue.add(TimePoint(seconds(1)), 4);
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.take());
  EXPECT_EQ(order, (std::vector<int>{2, 4, 1, 3}));
  EXPECT_EQ(queue.next_time(), TimePoint::max());
}

TEST(Heartbeats, AreEvenlyStaggeredOverTheInterval) {
  Heartbeats beats(3, seconds(3), TimePoint{});
  for (std::uint32_t node = 0; node < 3; ++node) beats.set_open(NodeId(node), true);
  for (int i = 0; i < 7; ++i) {
    const Heartbeats::Beat beat = beats.next(TimePoint{});
    EXPECT_EQ(beat.at, TimePoint(seconds(i)));
    EXPECT_EQ(beat.node, NodeId(static_cast<std::uint32_t>(i % 3)));
    beats.take(beat);
  }
}

TEST(Heartbeats, GoOnAfterACenturyWithAMillionNodes) {
  constexpr std::size_t nodes = 1'000'000;
  const Duration interval = std::chrono::seconds(3), century = std::chrono::hours(24) * 36525;
  Heartbeats beats(nodes, interval, TimePoint{});
  beats.set_open(NodeId(17), true);
  const TimePoint now = TimePoint(century + std::chrono::microseconds(1));
  const Heartbeats::Beat beat = beats.next(now);
  EXPECT_EQ(beat.node, NodeId(17));
  EXPECT_GE(beat.at, now);
  EXPECT_LE(beat.at, now + interval);
}

TEST(Heartbeats, SkipNodesThatAreNotOpen) {
  Heartbeats beats(200, seconds(20), TimePoint{});
  EXPECT_EQ(beats.next(TimePoint{}).at, TimePoint::max());
  beats.set_open(NodeId(150), true);
  EXPECT_EQ(beats.next(TimePoint{}).at, TimePoint(seconds(15)));
  EXPECT_EQ(beats.next(TimePoint(seconds(15.05))).at, TimePoint(seconds(35)));
  beats.set_open(NodeId(10), true);
  const Heartbeats::Beat beat = beats.next(TimePoint(seconds(100.5)));
  EXPECT_EQ(beat.node, NodeId(10));
  EXPECT_EQ(beat.at, TimePoint(seconds(101)));
  beats.take(beat);
  EXPECT_EQ(beats.next(TimePoint(seconds(101))).node, NodeId(150));
}

}  // namespace
}  // namespace lips::simulation

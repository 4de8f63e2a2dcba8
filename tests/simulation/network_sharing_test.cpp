#include "simulation/network_sharing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace lips::simulation {
namespace {

TimePoint at(double count) { return TimePoint(seconds(count)); }

Path over(std::initializer_list<LinkId> links, double limit = 0) {
  Path path;
  for (LinkId link : links) path.cross(link);
  path.limit = MebibytesPerSecond(limit);
  return path;
}

std::vector<FlowId> ended_by(SharedNetwork& network, TimePoint now) {
  std::vector<FlowId> ended;
  network.take_ended(now, ended);
  return ended;
}

TEST(MaxMinShare, SharesOneLinkEvenly) {
  SharedNetwork network;
  const LinkId link = network.add_link(MebibytesPerSecond(10));
  const FlowId a = network.start(over({link}), Mebibytes(100), at(0));
  EXPECT_DOUBLE_EQ(network.rate(a).value(), 10);
  const FlowId b = network.start(over({link}), Mebibytes(100), at(5));
  EXPECT_DOUBLE_EQ(network.rate(a).value(), 5);
  EXPECT_DOUBLE_EQ(network.rate(b).value(), 5);
  // a: 50 MiB by 5 s, the other 50 at 5 MiB/s. b: 50 by 15 s, the other 50 alone at 10 MiB/s.
  EXPECT_EQ(network.next_end(), at(15));
  EXPECT_EQ(ended_by(network, at(15)), std::vector<FlowId>{a});
  EXPECT_EQ(network.next_end(), at(20));
  EXPECT_EQ(ended_by(network, at(20)), std::vector<FlowId>{b});
  EXPECT_EQ(network.next_end(), TimePoint::max());
}

// Bertsekas & Gallager's kind of example: a long flow over two links, one short flow on each.
TEST(MaxMinShare, GivesTheRestToTheUnsatisfied) {
  SharedNetwork network;
  const LinkId narrow = network.add_link(MebibytesPerSecond(10));
  const LinkId wide = network.add_link(MebibytesPerSecond(20));
  const FlowId both = network.start(over({narrow, wide}), Mebibytes(1000), at(0));
  const FlowId on_narrow = network.start(over({narrow}), Mebibytes(1000), at(0));
  const FlowId on_wide = network.start(over({wide}), Mebibytes(1000), at(0));
  EXPECT_DOUBLE_EQ(network.rate(both).value(), 5);
  EXPECT_DOUBLE_EQ(network.rate(on_narrow).value(), 5);
  EXPECT_DOUBLE_EQ(network.rate(on_wide).value(), 15);
  EXPECT_DOUBLE_EQ(network.stop(on_narrow, at(2)).value(), 990);
  EXPECT_DOUBLE_EQ(network.rate(both).value(), 10);
  EXPECT_DOUBLE_EQ(network.rate(on_wide).value(), 10);
}

TEST(MaxMinShare, LimitsAStreamByItsOwnRate) {
  SharedNetwork network;
  const LinkId link = network.add_link(MebibytesPerSecond(10));
  const FlowId slow = network.start(over({link}, 2), Mebibytes(100), at(0));
  const FlowId fast = network.start(over({link}), Mebibytes(100), at(0));
  EXPECT_DOUBLE_EQ(network.rate(slow).value(), 2);
  EXPECT_DOUBLE_EQ(network.rate(fast).value(), 8);
}

TEST(MaxMinShare, CountsEveryFlowOfOnePath) {
  SharedNetwork network;
  const LinkId link = network.add_link(MebibytesPerSecond(12));
  std::vector<FlowId> flows;
  for (int i = 0; i < 3; ++i) flows.push_back(network.start(over({link}), Mebibytes(40 * (i + 1)), at(0)));
  for (FlowId flow : flows) EXPECT_DOUBLE_EQ(network.rate(flow).value(), 4);
  EXPECT_EQ(network.next_end(), at(10));
  ended_by(network, at(10));
  EXPECT_DOUBLE_EQ(network.rate(flows[1]).value(), 6);
  // 40 of 80 MiB are left at 6 MiB/s.
  EXPECT_EQ(network.next_end(), at(10) + seconds(40.0 / 6));
}

struct Reference {
  std::vector<Path> paths;
  std::vector<double> capacity;

  // Progressive filling, every flow by itself, all links.
  std::vector<double> rates() const {
    std::vector<double> rate(paths.size(), 0), left = capacity;
    std::vector<bool> done(paths.size(), false);
    for (std::size_t round = 0; round <= paths.size() + capacity.size(); ++round) {
      double step = 1e300;
      for (std::size_t l = 0; l < left.size(); ++l) {
        double active = 0;
        for (std::size_t f = 0; f < paths.size(); ++f) active += !done[f] && crosses(paths[f], l);
        if (active > 0) step = std::min(step, left[l] / active);
      }
      for (std::size_t f = 0; f < paths.size(); ++f)
        if (!done[f] && paths[f].limit.value() > 0) step = std::min(step, paths[f].limit.value() - rate[f]);
      if (step > 1e299) break;
      for (std::size_t f = 0; f < paths.size(); ++f) {
        if (done[f]) continue;
        rate[f] += step;
        for (std::size_t l = 0; l < left.size(); ++l) left[l] -= crosses(paths[f], l) ? step : 0;
      }
      for (std::size_t f = 0; f < paths.size(); ++f) {
        done[f] = done[f] || (paths[f].limit.value() > 0 && rate[f] >= paths[f].limit.value() - 1e-9);
        for (std::size_t l = 0; l < left.size(); ++l) done[f] = done[f] || (crosses(paths[f], l) && left[l] < 1e-9);
      }
    }
    return rate;
  }
  static bool crosses(const Path& path, std::size_t link) {
    return std::any_of(path.links.begin(), path.links.begin() + path.count,
                       [&](LinkId id) { return id.index() == link; });
  }
};

TEST(MaxMinShare, AgreesWithPlainProgressiveFillingWhateverComesAndGoes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SharedNetwork network;
    Reference reference;
    const std::size_t links = 2 + random.below(8);
    for (std::size_t i = 0; i < links; ++i) {
      reference.capacity.push_back(random.uniform(5, 50));
      network.add_link(MebibytesPerSecond(reference.capacity.back()));
    }
    std::vector<FlowId> flows;
    for (int step = 0; step < 60; ++step) {
      const TimePoint now = at(step * 0.001);
      if (!flows.empty() && random.uniform() < 0.4) {
        const std::size_t gone = random.below(flows.size());
        network.stop(flows[gone], now);
        flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(gone));
        reference.paths.erase(reference.paths.begin() + static_cast<std::ptrdiff_t>(gone));
      } else {
        Path path = over({}, random.uniform() < 0.5 ? random.uniform(1, 20) : 0);
        const std::size_t first = random.below(links);
        for (std::size_t i = 0; i < 1 + random.below(std::min<std::size_t>(links, 3)); ++i)
          path.cross(LinkId(static_cast<std::uint32_t>((first + i) % links)));
        flows.push_back(network.start(path, Mebibytes(1e6), now));
        reference.paths.push_back(path);
      }
      const std::vector<double> expected = reference.rates();
      for (std::size_t i = 0; i < flows.size(); ++i)
        ASSERT_NEAR(network.rate(flows[i]).value(), expected[i], 1e-6) << step;
    }
  }
}

// So much has been served that a small flow's end is lost in rounding.
TEST(MaxMinShare, ComesToAnEndWhateverWasServedBefore) {
  SharedNetwork network;
  Path path;
  path.cross(network.add_link(MebibytesPerSecond(1e9)));
  TimePoint now{};
  std::vector<FlowId> ended;
  network.start(path, Mebibytes(1e18), now);
  network.start(path, Mebibytes(0.5e18), now);
  bool added = false;
  int steps = 0;
  for (; network.next_end() < TimePoint::max() && steps < 1000; ++steps) {
    now = std::max(now, network.next_end());
    network.take_ended(now, ended);
    if (!added && ended.size() == 1) {
      for (const double size : {1e-6, 1.0, 100.0}) network.start(path, Mebibytes(size), now);
      added = true;
    }
  }
  EXPECT_EQ(ended.size(), 5u);
  EXPECT_LT(steps, 1000);
  network.take_ended(TimePoint::max(), ended);
  EXPECT_EQ(ended.size(), 5u) << "nothing is left";
}

TEST(MaxMinShare, DeliversEveryByteOnce) {
  Random random(7);
  SharedNetwork network;
  std::vector<LinkId> links;
  for (int i = 0; i < 4; ++i) links.push_back(network.add_link(MebibytesPerSecond(10 + i)));
  TimePoint now{};
  double sizes = 0, work = 0;
  std::size_t running = 0, ended = 0;
  for (int i = 0; i < 300; ++i) {
    const double size = random.uniform(1, 50);
    network.start(over({links[random.below(4)]}), Mebibytes(size), now);
    sizes += size;
    ++running;
    const TimePoint next = network.next_end();
    if (random.uniform() < 0.5 || next > now + seconds(100)) continue;
    now = next;
    ended += ended_by(network, now).size();
  }
  while (network.next_end() != TimePoint::max()) {
    now = network.next_end();
    ended += ended_by(network, now).size();
  }
  EXPECT_EQ(ended, running);
  work = to_seconds(now) * (10 + 11 + 12 + 13);
  EXPECT_LE(sizes, work * (1 + 1e-6));  // links carry no more than they can
}

}  // namespace
}  // namespace lips::simulation

#include "tests/virtual/storms/weather.h"

namespace lips::virtual_cluster::storms {

std::optional<Restore> restore_of(const StormCase& storm, TimePoint start) {
  if (!storm.has[Trouble::restore]) return std::nullopt;
  Random random = storm.random(Trouble::restore);
  const double longest = buys_nodes(scene_of(storm.seed)) ? 1'200 : 300;
  Restore restore;
  restore.saved = start + seconds(random.uniform(1, longest));
  restore.back = restore.saved + seconds(random.uniform(10, longest));
  restore.gap = random.uniform() < 0.5 ? 1'000'000 : 0;
  return restore;
}

Storm weather_of(const StormCase& storm, TimePoint start) {
  using enum Trouble;
  Storm weather;
  weather.seed = storm.seed;
  const auto share = [&](Trouble trouble, double most) {
    Random random = storm.random(trouble);
    return storm.has[trouble] ? random.uniform(0, most) : 0;
  };
  const auto every = [&](Trouble trouble, double least, double most) {
    Random random = storm.random(trouble);
    return storm.has[trouble] ? seconds(random.uniform(least, most)) : Duration(0);
  };
  // A process that lives for seconds has to get all of its lists.
  const bool ends_soon = storm.has[restarts] || storm.has[kills];
  weather.lost_request = share(lost_requests, ends_soon ? 0.05 : 0.1);
  weather.lost_answer = share(lost_answers, ends_soon ? 0.05 : 0.2);
  weather.busy = share(busy, 0.2), weather.slow = share(slow, 0.1);
  weather.cut_watch = share(cut_watches, 0.1), weather.late_event = share(late_events, 0.1);
  weather.restart_every = every(restarts, 20, 200), weather.compact_every = every(compactions, 5, 100);
  if (const auto restore = restore_of(storm, start)) {
    weather.outage = {restore->back - std::chrono::seconds(1), restore->back + std::chrono::seconds(15), false};
  } else if (storm.has[outage]) {
    Random random = storm.random(outage);
    weather.outage.begin = start + seconds(random.uniform(1, buys_nodes(scene_of(storm.seed)) ? 1'500 : 400));
    weather.outage.end = weather.outage.begin + seconds(random.uniform(30, 1'200));
    weather.outage.hangs = random.uniform() < 0.5;
  }
  return weather;
}

Processes::Processes(const StormCase& storm)
    : killed_(storm.has[Trouble::kills]),
      clocks_(storm.has[Trouble::clocks]),
      deaths_(storm.random(Trouble::kills)),
      clock_(storm.random(Trouble::clocks)) {}

void Processes::begin(VirtualKubernetes& cluster) {
  Duration ahead{};
  if (clocks_ && clock_.uniform() < 0.7)
    ahead = seconds(clock_.uniform(-1, 1) * (clock_.uniform() < 0.5 ? 86'400 : 1'200));
  loop_ = std::make_shared<drills::OperatorLoop>(cluster.loop(), ahead);
  left_ = killed_ && deaths_.uniform() < 0.8 ? 1 + deaths_.below(200) : 0;
}

void Processes::prepare(ThroughOptions& options) {
  if (!killed_ && !clocks_) return;
  options.link = [this](VirtualKubernetes& cluster, const Storm& storm) {
    begin(cluster);
    return drills::link_on(loop_, cluster, storm);
  };
  options.ends = [this] { return !loop_->alive(); };
}

}  // namespace lips::virtual_cluster::storms

// The cost of watching pods of other schedulers (docs/watching.md): for each event of a pod, for each look at all of
// them, for its record in the journal; and the memory of it. Times are of CPU.
//   bench_watching [NODES [PODS [LOOKS]]]
// Other schedulers bind all pods before the first look that counts; from look to look a hundredth of them ends, and as
// many arrive. A tenth of the jobs are applications.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "config/frameworks.h"
#include "kubernetes/adapter/watched_pods.h"
#include "kubernetes/pods/volume_cache.h"
#include "records/watched_records.h"
#include "telemetry/metrics/process_usage.h"

namespace {

using namespace lips;
using namespace lips::kubernetes;
using lips::kubernetes::Node;

constexpr unsigned pods_of_a_job = 100, cores_of_a_node = 16;
constexpr std::chrono::seconds between_looks{30};

// A stopwatch of CPU time.
class Stopwatch {
 public:
  double milliseconds() const { return 1e3 * static_cast<double>(std::clock() - began_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t began_ = std::clock();
};

Node node_of(unsigned number) {
  Node node;
  node.meta = {"", fmt::format("node-{}", number), fmt::format("n-{}", number), "1"};
  node.ready = true;
  node.labels = {{"karpenter.sh/nodepool", "batch"},
                 {"node.kubernetes.io/instance-type", fmt::format("type-{}", number % 5)},
                 {"topology.kubernetes.io/zone", fmt::format("zone-{}", number % 3)}};
  node.allocatable = {{"cpu", cores_of_a_node * 1000}, {"memory", std::int64_t{64} << 30}, {"pods", 110}};
  return node;
}

Pod pod_of(unsigned number, TimePoint now) {
  const unsigned job = number / pods_of_a_job;
  Pod pod;
  pod.meta = {fmt::format("team-{}", job % 20), fmt::format("job-{}-{}", job, number % pods_of_a_job),
              fmt::format("2f1c7a80-0000-4000-8000-{:012}", number), "1"};
  pod.scheduler = "default-scheduler";
  pod.created = now;
  pod.owner = Owner{"Job", fmt::format("job-{}", job), fmt::format("j-{}", job), "batch/v1"};
  pod.requests = {{"cpu", 1000}, {"memory", std::int64_t{2} << 30}};
  pod.annotations = {{"lips.dev/run-time", "3000s"}};
  if (job % 10 == 0) pod.labels = {{"spark-app-selector", fmt::format("spark-{}", job)}, {"spark-role", "executor"}};
  return pod;
}

class Cluster {
 public:
  Cluster(unsigned nodes, unsigned pods) : nodes_(nodes), watched_(rules(), claims_, groups_, jobs_) {
    for (unsigned i = 0; i < nodes; ++i) watched_.update(node_of(i));
    watched_.resume();
    bound_.reserve(std::size_t{2} * pods);
  }
  // Three events of a pod: it is there, is bound, and runs.
  void start(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      tell(pod_of(static_cast<unsigned>(bound_.size()), now_));
      bound_.push_back({7 * static_cast<unsigned>(bound_.size()) % nodes_, now_});
      Pod pod = running(bound_.size() - 1);
      tell(pod);
      pod.phase = PodPhase::running;
      tell(pod);
    }
  }
  // Those that came first.
  void end(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      Pod pod = running(ended_++);
      pod.phase = PodPhase::succeeded, pod.finished = now_;
      tell(pod);
      ++events_;
      watched_.forget(pod.meta, now_);
    }
  }
  std::optional<WatchedCluster> look() {
    now_ += between_looks;
    const DataView none;
    ModelSettings settings;
    settings.node_price = [](const PriceQuestion& question) {
      return NodePrice{UsdPerHour(0.6 + 0.05 * static_cast<double>(question.instance_type.back() - '0')), 1, true};
    };
    settings.transfer_price = [](const TransferEnd& from, const TransferEnd& to) {
      return from.zone == to.zone ? UsdPerMebibyte(0) : usd_per_gigabyte(0.02);
    };
    return watched_.look(
        {settings, none, [](const PodRecord& pod) { return Result<std::string>(pod.meta.name_space); }, {}, {}}, now_);
  }
  std::uint64_t events() const { return events_; }

 private:
  struct Bound {
    unsigned node = 0;
    TimePoint since{};
  };
  static WatchedPods::Rules rules() { return {"lips", default_frameworks()}; }
  Pod running(std::size_t number) const {
    Pod pod = pod_of(static_cast<unsigned>(number), bound_[number].since);
    pod.node = fmt::format("node-{}", bound_[number].node);
    pod.started = bound_[number].since;
    return pod;
  }
  void tell(const Pod& pod) {
    watched_.update(pod, now_);
    ++events_;
  }

  const unsigned nodes_;
  VolumeCache claims_;
  PodGroups groups_;
  std::map<std::string, BatchJob> jobs_;
  WatchedPods watched_;
  std::vector<Bound> bound_;
  std::size_t ended_ = 0;
  std::uint64_t events_ = 0;
  TimePoint now_{std::chrono::hours(1'000)};
};

double mebibytes(double bytes) { return bytes / bytes_per_mebibyte; }

}  // namespace

int main(int count, char** words) {
  const auto number = [&](int at, unsigned fallback) {
    return at < count ? static_cast<unsigned>(std::max(1, std::atoi(words[at]))) : fallback;
  };
  const unsigned nodes = number(1, 5'000), pods = number(2, 50'000), looks = number(3, 10);
  Cluster cluster(nodes, pods);
  const double before = resident_bytes();
  WatchedRecords records;
  std::size_t ended = 0, bytes = 0;
  double event_time = 0, look_time = 0, record_time = 0;
  const auto turn = [&](bool counts) {
    Stopwatch watch;
    std::optional<WatchedCluster> seen = cluster.look();
    std::optional<EpochRecord> record = seen ? records.add(*std::move(seen)) : std::nullopt;
    if (counts) look_time += watch.milliseconds();
    if (!record || !counts) return;
    ended += record->ended->tasks.size();
    watch = {};
    bytes += write_epoch(*record).size();
    record_time += watch.milliseconds();
  };
  const unsigned batch = 10'000, few = std::max(1u, pods / 100);
  for (unsigned there = 0; there < pods; there += batch) {
    const Stopwatch watch;
    cluster.start(std::min(batch, pods - there));
    event_time += watch.milliseconds();
    turn(false);
  }
  const double kept = resident_bytes() - before;
  for (unsigned i = 0; i < looks; ++i) {
    const Stopwatch watch;
    cluster.end(few);
    cluster.start(few);
    event_time += watch.milliseconds();
    turn(true);
  }
  fmt::print(
      "{} nodes, {} pods: {:.1f} us an event of a pod; every look {:.0f} ms, with {} new pods; its record {:.0f} ms, "
      "{:.1f} "
      "MiB of text; {:.0f} MiB; {} ends recorded\n",
      nodes, pods, 1e3 * event_time / static_cast<double>(cluster.events()), look_time / looks, few,
      record_time / looks, mebibytes(static_cast<double>(bytes) / looks), mebibytes(kept), ended);
}

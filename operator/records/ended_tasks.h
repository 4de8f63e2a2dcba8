// The tasks that ended between two records of a journal, and how much work each turned out to be. A snapshot alone says
// neither: it is made when there is something to plan. Knows no policy, no file and no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/fields.h"
#include "model/cluster_event.h"
#include "model/snapshot.h"

namespace lips {

// By names: ids are void after a resync.
struct RecordedEnd {
  std::string job;
  TimePoint arrival{};      // of the job
  std::uint32_t place = 0;  // among the tasks of the job, as they were then
  TaskKind kind = TaskKind::map;
  std::string data_set;     // that it read; empty: none
  std::uint32_t block = 0;  // of the data set
  CpuSeconds expected;      // work
  // Time on its node times the node's speed and the task's cores; `expected` where it took as long as was expected.
  CpuSeconds work;
  bool waited_for_data = false;  // perhaps: it read over links that others used too, and its time may not all be work
  TimePoint at{};
  Duration ran{};
  static constexpr auto fields = field_names("job", "arrival", "place", "kind", "dataSet", "block", "expected", "work",
                                             "waitedForData", "at", "ran");
  friend bool operator==(const RecordedEnd&, const RecordedEnd&) = default;
};

struct RecordedEnds {
  static constexpr std::size_t most = 200'000;  // tasks; of others nobody knows when they began
  TimePoint since{};  // when the program began to look; another value than in the record before: it was started anew
  std::vector<RecordedEnd> tasks;
  std::uint64_t without_time = 0;  // tasks that ended, and nobody knows when they had begun
  std::uint64_t lost = 0;          // attempts that ended without the task's end: evicted, failed, their node gone
  void add_before(RecordedEnds earlier);  // of more than `most` tasks the latest stay
  friend bool operator==(const RecordedEnds&, const RecordedEnds&) = default;
};

// Collects them from the events of a cluster.
class EndsCollector {
 public:
  static constexpr std::size_t most_remembered = 100'000;  // of the tasks that ended
  // After the state has applied the event.
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event);
  // Those since the last call.
  RecordedEnds take(TimePoint now);
  std::size_t remembered() const { return done_.size() + done_before_.size(); }

 private:
  bool ends_first(TaskId task);
  void ended(const ClusterSnapshot& cluster, TaskId task, NodeId node, std::optional<Duration> ran);

  bool began_ = false;
  RecordedEnds ended_;
  std::unordered_map<TaskId, TimePoint> started_;
  std::unordered_set<TaskId> done_, done_before_;  // a cluster may report an end twice, the second time soon
};

}  // namespace lips

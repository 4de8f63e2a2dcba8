// Records every decision of a running operator, and what other schedulers did while it watched: counts it, and keeps it
// in the journal, on a thread of its own, so that binding does not wait for the disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cmd/service/live_policy.h"
#include "config/live_config.h"
#include "controller/observer.h"
#include "model/service_pods.h"
#include "model/watched_cluster.h"
#include "records/ended_tasks.h"
#include "records/epoch_journal.h"
#include "records/epoch_record.h"
#include "records/watched_records.h"
#include "telemetry/metrics/operator_metrics.h"

namespace lips::cmd {

// The folder of the work of other schedulers, in that of the journal.
inline std::filesystem::path watched_folder(const OperatorConfig& config) {
  return std::filesystem::path(config.journal.directory) / "watched";
}

class EpochRecorder : public Observer {
 public:
  enum class Work : std::uint8_t { at_once, beside };  // beside: on its own thread, and within journal.timeShare

  // Told after each record why it could not be written; empty: it was. From the thread that writes.
  using Tell = std::function<void(const std::string& why)>;
  // All arguments outlive this.
  EpochRecorder(OperatorMetrics& metrics, const LiveConfig& live, Log& log, Work work, Tell tell);
  // Finishes queued work.
  ~EpochRecorder() override;

  // Pods beside the tasks, for the records from here on; empty: nobody counts them.
  void count_services_by(std::function<std::vector<ServicePods>()> count) { services_ = std::move(count); }
  // Opens the journal of the configuration, before the first record; with `watched` also that of other schedulers.
  Result<void> open(bool watched);
  // The controller's thread calls all that follow.
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override;
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
  void record(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took);
  // Adds a last record to the journal, so that it has what ended since the last plan. Nobody carries its plan out.
  void close(const NamedPolicy& by, const PolicyInput& input);
  // Says whether there is time for a look at the work of other schedulers; it misses nothing until the next one.
  bool takes_watched();
  // Records a look in which something has changed.
  void watched(const NamedPolicy& by, WatchedCluster seen);

 private:
  struct Kept {
    std::optional<EpochJournal> journal;
    RecordedEnds unwritten;  // of records that could not be written
  };
  void add_unwritten(Kept& kept, RecordedEnds& ended);
  bool has_time();
  Mebibytes size_of_each() const;
  void fill(EpochRecord& record, const NamedPolicy& by, const PolicyInput& input, const Plan& plan) const;
  static void fill(EpochRecord& record, const Plan& plan);
  static void fill_watched(EpochRecord& record);
  void hand_over(std::shared_ptr<EpochRecord> record);
  bool journal_due(TimePoint now, const OperatorConfig& config);
  void work_off(const std::stop_token& stop);
  void write(EpochRecord& record);

  OperatorMetrics& metrics_;
  const LiveConfig& live_;
  Log& log_;
  const Work work_;
  const Tell tell_;
  std::function<std::vector<ServicePods>()> services_;
  Kept decided_, watched_;
  EndsCollector ended_;
  WatchedRecords looks_;
  std::optional<TimePoint> last_kept_;
  bool journal_fails_ = false;
  double began_, writing_ = 0;  // seconds

  std::mutex mutex_;
  std::uint64_t journal_bytes_ = 0;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<EpochRecord>> queue_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace lips::cmd

// Records every decision of a running operator: counts it, and keeps it in the journal, on a thread of its own, so that
// binding does not wait for the disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/log.h"
#include "cmd/service/live_policy.h"
#include "config/live_config.h"
#include "controller/observer.h"
#include "records/ended_tasks.h"
#include "records/epoch_journal.h"
#include "records/epoch_record.h"
#include "telemetry/metrics/operator_metrics.h"

namespace lips::cmd {

class EpochRecorder : public Observer {
 public:
  enum class Work : std::uint8_t { at_once, beside };  // beside: on its own thread, and within journal.timeShare

  // All arguments outlive this.
  EpochRecorder(OperatorMetrics& metrics, const LiveConfig& live, Log& log, Work work);
  // Finishes queued work.
  ~EpochRecorder() override;

  void keep_in(EpochJournal journal) { journal_ = std::move(journal); }  // before the first record
  // The controller's thread calls these and record().
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override;
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
  void record(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took);
  // Adds a last record to the journal, so that it has what ended since the last plan. Nobody carries its plan out.
  void close(const NamedPolicy& by, const PolicyInput& input);

 private:
  RecordedEnds take_ended(TimePoint now);
  void fill(EpochRecord& record, const NamedPolicy& by, const PolicyInput& input, const Plan& plan);
  void hand_over(std::shared_ptr<EpochRecord> record);
  bool journal_due(TimePoint now, const OperatorConfig& config);
  void work_off(const std::stop_token& stop);
  void write(EpochRecord& record);

  OperatorMetrics& metrics_;
  const LiveConfig& live_;
  Log& log_;
  const Work work_;
  std::optional<EpochJournal> journal_;
  EndsCollector ended_;
  std::optional<TimePoint> last_kept_;
  bool journal_fails_ = false;
  double began_, writing_ = 0;  // seconds

  std::mutex mutex_;
  std::uint64_t journal_bytes_ = 0;
  RecordedEnds unwritten_;  // of records that could not be written
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<EpochRecord>> queue_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace lips::cmd

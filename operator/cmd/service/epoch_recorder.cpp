#include "cmd/service/epoch_recorder.h"

#include <utility>

#include "cmd/cli/command.h"
#include "controller/checked_policy.h"
#include "records/digest.h"
#include "version.h"

namespace lips::cmd {

namespace {
constexpr std::size_t most_queued = 2;  // a snapshot each
constexpr double time_at_start = 10;    // seconds that count as passed, so that the first plans are recorded
}  // namespace

EpochRecorder::EpochRecorder(OperatorMetrics& metrics, const LiveConfig& live, Log& log, Work work)
    : metrics_(metrics), live_(live), log_(log), work_(work), began_(WallStopwatch().seconds()) {
  if (work_ == Work::beside) thread_ = std::jthread([this](const std::stop_token& stop) { work_off(stop); });
}

EpochRecorder::~EpochRecorder() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void EpochRecorder::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  if (journal_) ended_.on_event(cluster, event);
}

RecordedEnds EpochRecorder::take_ended(TimePoint now) {
  RecordedEnds ended = ended_.take(now);
  const std::lock_guard lock(mutex_);
  ended.add_before(std::exchange(unwritten_, {}));
  return ended;
}

void EpochRecorder::record(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took) {
  const InvoiceSoFar invoice = metrics_.decided({by.name, input.cluster, input.costs, plan, took});
  if (!journal_due(input.cluster.now, *live_.config())) return;
  auto record = std::make_shared<EpochRecord>();
  fill(*record, by, input, plan);
  record->invoice = invoice;
  record->ended = take_ended(input.cluster.now);
  hand_over(std::move(record));
}

void EpochRecorder::hand_over(std::shared_ptr<EpochRecord> record) {
  if (work_ == Work::at_once) return write(*record);
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(record));
  changed_.notify_one();
}

void EpochRecorder::fill(EpochRecord& record, const NamedPolicy& by, const PolicyInput& input, const Plan& plan) {
  record.version = version;
  record.policy = by.name, record.settings = by.settings, record.seed = input.seed;
  record.reporting.assign(input.reporting.begin(), input.reporting.end());
  record.digest = plan_digest(plan);
  record.assignments = plan.assignments.size(), record.moves = plan.moves.size();
  record.dollars = plan.account.dollars().value();
  record.snapshot = {input.cluster, input.costs};
}

void EpochRecorder::close(const NamedPolicy& by, const PolicyInput& input) {
  if (!journal_) return;
  const Result<Plan> plan = CheckedPolicy(*by.policy, [](const PlanFault&) {}).decide(input);
  if (!plan) return;
  auto record = std::make_shared<EpochRecord>();
  fill(*record, by, input, *plan);
  record->invoice = metrics_.figures().invoice.so_far;
  record->ended = take_ended(input.cluster.now);
  hand_over(std::move(record));
}

bool EpochRecorder::journal_due(TimePoint now, const OperatorConfig& config) {
  if (!journal_) return false;
  if (last_kept_ && now < *last_kept_ + config.journal.least_interval) return false;
  const std::lock_guard lock(mutex_);
  const double share = config.journal.time_share * (WallStopwatch().seconds() - began_ + time_at_start);
  if (work_ == Work::beside && (queue_.size() >= most_queued || writing_ > share)) {
    metrics_.journalled(JournalOutcome::skipped, journal_bytes_);
    return false;
  }
  last_kept_ = now;
  return true;
}

void EpochRecorder::work_off(const std::stop_token& stop) {
  for (;;) {
    std::shared_ptr<EpochRecord> next;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
      next = queue_.front();
    }
    write(*next);
    const std::lock_guard lock(mutex_);
    queue_.pop_front();
  }
}

void EpochRecorder::write(EpochRecord& record) {
  record.epoch = journal_->next_epoch();
  journal_->set_size(live_.config()->journal.size);
  const double began = WallStopwatch().seconds();
  const Result<void> written = journal_->add(write_epoch(record));
  {
    const std::lock_guard lock(mutex_);
    writing_ += WallStopwatch().seconds() - began;
    journal_bytes_ = journal_->bytes();
    if (!written && record.ended) unwritten_.add_before(*std::move(record.ended));
  }
  metrics_.journalled(written ? JournalOutcome::written : JournalOutcome::failed, journal_->bytes());
  if (!written && !journal_fails_) log_.error("cannot write the journal", {{"error", written.error().message}});
  journal_fails_ = !written;
}

}  // namespace lips::cmd

#include "cmd/service/epoch_recorder.h"

#include <utility>

#include "cmd/cli/command.h"
#include "controller/checked_policy.h"
#include "records/digest.h"
#include "twin/plan_again.h"
#include "version.h"

namespace lips::cmd {

namespace {
constexpr std::size_t most_queued = 2;           // a snapshot each
constexpr double time_at_start = 10;             // seconds that count as passed, so that the first plans are recorded
constexpr const char* watched_stack = "spread";  // the policy that stands for kube-scheduler
}  // namespace

EpochRecorder::EpochRecorder(OperatorMetrics& metrics, const LiveConfig& live, Log& log, Work work, Tell tell)
    : metrics_(metrics),
      live_(live),
      log_(log),
      work_(work),
      tell_(std::move(tell)),
      began_(WallStopwatch().seconds()) {
  if (work_ == Work::beside) thread_ = std::jthread([this](const std::stop_token& stop) { work_off(stop); });
}

EpochRecorder::~EpochRecorder() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

// Both journals together have the size that the configuration says.
Mebibytes EpochRecorder::size_of_each() const {
  const OperatorConfig::Journal journal = live_.config()->journal;
  return std::filesystem::exists(watched_folder(*live_.config())) ? journal.size / 2 : journal.size;
}

Result<void> EpochRecorder::open(bool watched) {
  const std::shared_ptr<const OperatorConfig> config = live_.config();
  if (config->journal.directory.empty()) return {};
  const auto open = [this](const std::string& folder, Kept& kept) -> Result<void> {
    Result<EpochJournal> opened = EpochJournal::open(folder, size_of_each());
    if (!opened) return tl::unexpected(opened.error());
    kept.journal = *std::move(opened);
    return {};
  };
  if (watched)
    if (Result<void> opened = open(watched_folder(*config).string(), watched_); !opened) return opened;
  return open(config->journal.directory, decided_);
}

void EpochRecorder::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  if (decided_.journal) ended_.on_event(cluster, event);
}

void EpochRecorder::add_unwritten(Kept& kept, RecordedEnds& ended) {
  const std::lock_guard lock(mutex_);
  ended.add_before(std::exchange(kept.unwritten, {}));
}

void EpochRecorder::record(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took) {
  const InvoiceSoFar invoice = metrics_.decided({by.name, input.cluster, input.costs, plan, took});
  if (!journal_due(input.cluster.now, *live_.config())) return;
  auto record = std::make_shared<EpochRecord>();
  fill(*record, by, input, plan);
  record->invoice = invoice;
  add_unwritten(decided_, record->ended.emplace(ended_.take(input.cluster.now)));
  hand_over(std::move(record));
}

void EpochRecorder::hand_over(std::shared_ptr<EpochRecord> record) {
  if (work_ == Work::at_once) return write(*record);
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(record));
  changed_.notify_one();
}

void EpochRecorder::fill(EpochRecord& record, const NamedPolicy& by, const PolicyInput& input, const Plan& plan) const {
  record.policy = by.name, record.settings = by.settings, record.seed = input.seed;
  record.reporting.assign(input.reporting.begin(), input.reporting.end());
  record.snapshot = {input.cluster, input.costs};
  if (services_) record.services = services_();
  fill(record, plan);
}

void EpochRecorder::fill(EpochRecord& record, const Plan& plan) {
  record.version = version;
  record.digest = plan_digest(plan);
  record.assignments = plan.assignments.size(), record.moves = plan.moves.size();
  record.dollars = plan.account.dollars().value();
}

void EpochRecorder::fill_watched(EpochRecord& record) {
  if (const Result<Plan> plan = twin::plan_again(record, record.policy)) fill(record, *plan);
}

void EpochRecorder::close(const NamedPolicy& by, const PolicyInput& input) {
  if (!decided_.journal) return;
  const Result<Plan> plan = CheckedPolicy(*by.policy, [](const PlanFault&) {}).decide(input);
  if (!plan) return;
  auto record = std::make_shared<EpochRecord>();
  fill(*record, by, input, *plan);
  record->invoice = metrics_.figures().invoice.so_far;
  add_unwritten(decided_, record->ended.emplace(ended_.take(input.cluster.now)));
  hand_over(std::move(record));
}

bool EpochRecorder::has_time() {
  const std::lock_guard lock(mutex_);
  const double share = live_.config()->journal.time_share * (WallStopwatch().seconds() - began_ + time_at_start);
  return work_ == Work::at_once || (queue_.size() < most_queued && writing_ <= share);
}

bool EpochRecorder::journal_due(TimePoint now, const OperatorConfig& config) {
  if (!decided_.journal) return false;
  if (last_kept_ && now < *last_kept_ + config.journal.least_interval) return false;
  if (!has_time()) {
    const std::lock_guard lock(mutex_);
    metrics_.journalled(JournalOutcome::skipped, journal_bytes_);
    return false;
  }
  last_kept_ = now;
  return true;
}

bool EpochRecorder::takes_watched() { return watched_.journal && has_time(); }

void EpochRecorder::watched(const NamedPolicy& by, WatchedCluster seen) {
  std::optional<EpochRecord> look = looks_.add(std::move(seen));
  if (!look) return;
  auto record = std::make_shared<EpochRecord>(*std::move(look));
  record->policy = watched_stack, record->settings = by.settings, record->seed = live_.config()->policy.seed;
  record->invoice.emplace().nodes = metrics_.nodes_until(record->snapshot.cluster);
  add_unwritten(watched_, *record->ended);
  hand_over(std::move(record));
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

// Nobody waits for the plan that stands for other schedulers.
void EpochRecorder::write(EpochRecord& record) {
  const double began = WallStopwatch().seconds();
  Kept& kept = record.watched ? watched_ : decided_;
  if (record.watched) fill_watched(record);
  record.epoch = kept.journal->next_epoch();
  kept.journal->set_size(size_of_each());
  const Result<void> written = kept.journal->add(write_epoch(record));
  std::uint64_t bytes = 0;
  for (const Kept* each : {&decided_, &watched_})
    if (each->journal) bytes += each->journal->bytes();
  {
    const std::lock_guard lock(mutex_);
    writing_ += WallStopwatch().seconds() - began;
    journal_bytes_ = bytes;
    if (!written && record.ended) kept.unwritten.add_before(*std::move(record.ended));
  }
  metrics_.journalled(written ? JournalOutcome::written : JournalOutcome::failed, bytes);
  tell_(written ? "" : written.error().message);
  if (!written && !journal_fails_) log_.error("cannot write the journal", {{"error", written.error().message}});
  journal_fails_ = !written;
}

}  // namespace lips::cmd

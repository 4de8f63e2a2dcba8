#include "cmd/service/epoch_recorder.h"

#include <utility>

#include "cmd/cli/command.h"
#include "controller/checked_policy.h"
#include "policies/registry/registry.h"
#include "records/digest.h"
#include "telemetry/metrics/plan_comparison.h"
#include "version.h"

namespace lips::cmd {

namespace {
constexpr std::size_t most_queued = 2;  // a snapshot each
constexpr double time_at_start = 10;    // seconds that count as passed, so the first epochs are compared
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
  const OperatorMetrics::CountedPlan counted = metrics_.decided({by.name, input.cluster, input.costs, plan, took});
  const std::shared_ptr<const OperatorConfig> config = live_.config();
  auto decision = std::make_shared<Decision>();
  decision->plan_number = counted.plan;
  decision->journal = journal_due(input.cluster.now, *config);
  decision->compare = comparison_due(input, plan, *config);
  if (!decision->journal && !decision->compare) return;
  if (work_ == Work::beside) {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= most_queued) {
      if (decision->journal) metrics_.journalled(JournalOutcome::skipped, journal_bytes_);
      for (const std::string& baseline : config->baselines.policies)
        if (decision->compare) metrics_.not_compared(baseline, ComparisonOutcome::skipped);
      return;
    }
  }
  EpochRecord& record = decision->record;
  fill(record, by, input, plan);
  record.invoice = counted.invoice;
  if (decision->journal) record.ended = take_ended(input.cluster.now);
  if (decision->compare) decision->plan = plan;
  hand_over(std::move(decision));
}

void EpochRecorder::hand_over(std::shared_ptr<const Decision> decision) {
  if (work_ == Work::at_once) return handle(*decision);
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(decision));
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
  auto decision = std::make_shared<Decision>();
  decision->journal = true;
  fill(decision->record, by, input, *plan);
  decision->record.invoice = metrics_.figures().invoice.so_far;
  decision->record.ended = take_ended(input.cluster.now);
  hand_over(std::move(decision));
}

// Says whether work outside the loop that took `spent` seconds so far is within its share of the time.
bool EpochRecorder::affordable(double spent, double share) {
  return work_ == Work::at_once || spent <= (WallStopwatch().seconds() - began_ + time_at_start) * share;
}

bool EpochRecorder::journal_due(TimePoint now, const OperatorConfig& config) {
  if (!journal_) return false;
  if (last_kept_ && now < *last_kept_ + config.journal.least_interval) return false;
  const std::lock_guard lock(mutex_);
  if (!affordable(writing_, config.journal.time_share)) {
    metrics_.journalled(JournalOutcome::skipped, journal_bytes_);
    return false;
  }
  last_kept_ = now;
  return true;
}

bool EpochRecorder::comparison_due(const PolicyInput& input, const Plan& plan, const OperatorConfig& config) {
  const OperatorConfig::Baselines& baselines = config.baselines;
  if (baselines.policies.empty() || plan.assignments.empty()) return false;
  if (++plans_since_comparison_ < baselines.every) return false;
  plans_since_comparison_ = 0;
  const bool time = [&] {
    const std::lock_guard lock(mutex_);
    return affordable(comparing_, baselines.time_share);
  }();
  if (time && input.cluster.pending_tasks <= static_cast<std::uint64_t>(baselines.most_tasks)) return true;
  for (const std::string& baseline : baselines.policies) metrics_.not_compared(baseline, ComparisonOutcome::skipped);
  return false;
}

void EpochRecorder::work_off(const std::stop_token& stop) {
  for (;;) {
    std::shared_ptr<const Decision> next;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
      next = queue_.front();
    }
    handle(*next);
    const std::lock_guard lock(mutex_);
    queue_.pop_front();
  }
}

// Compares first: a task that ends before its comparison does not count.
void EpochRecorder::handle(const Decision& decision) {
  if (decision.compare) {
    const double began = WallStopwatch().seconds();
    for (const std::string& baseline : live_.config()->baselines.policies) compare(decision, baseline);
    const std::lock_guard lock(mutex_);
    comparing_ += WallStopwatch().seconds() - began;
  }
  if (decision.journal) write(decision);
}

void EpochRecorder::compare(const Decision& decision, const std::string& baseline) {
  const EpochRecord& record = decision.record;
  const WallStopwatch watch;
  const double began = watch.seconds();
  const Result<std::unique_ptr<Policy>> policy = make_policy(baseline, record.settings);
  if (!policy) return metrics_.not_compared(baseline, ComparisonOutcome::failed);
  // For policies that plan at heartbeats, every schedulable node reports.
  std::vector<NodeId> reporting;
  for (const NodeId node : record.snapshot.cluster.nodes.ids())
    if (record.snapshot.cluster.nodes[node].schedulable) reporting.push_back(node);
  const Result<Plan> plan =
      CheckedPolicy(**policy).decide({record.snapshot.cluster, record.snapshot.costs, record.seed, reporting, nullptr});
  if (!plan) return metrics_.not_compared(baseline, ComparisonOutcome::failed);
  const std::vector<ComparedTask> tasks =
      compare_plans(record.snapshot.cluster, record.snapshot.costs, decision.plan, *plan);
  metrics_.compared(decision.plan_number, baseline, tasks, watch.seconds() - began);
}

void EpochRecorder::write(const Decision& decision) {
  EpochRecord record = decision.record;
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

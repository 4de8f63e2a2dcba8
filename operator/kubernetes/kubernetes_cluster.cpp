#include "kubernetes/kubernetes_cluster.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/leadership.h"

namespace lips::kubernetes {
namespace {

constexpr Duration duty_every{200'000};     // events, heartbeats of policies, retries
constexpr Duration count_every{1'000'000};  // conditions and what is pending
constexpr Duration list_at_most_every{1'000'000};
constexpr Duration relearn_every{10'000'000};  // a listing because run times are known better
constexpr std::uint64_t many_over = 20'000;    // ended tasks, before they are forgotten by a listing
constexpr Duration ask_again{1'000'000};       // a binding that nobody answered
constexpr Duration longest_finish{6'000'000};  // a binding on the wire takes at most 5 s
constexpr Duration longest_pause{60'000'000};  // after bindings that were refused

// Times requests for telemetry, by the last word of the path that is a resource.
class RequestTelemetry : public RequestObserver {
 public:
  explicit RequestTelemetry(AdapterObserver& to) : to_(to) {}
  void tried(Verb verb, int http_code, std::chrono::microseconds took) override {
    to_.on_request(verb_name(verb), "", http_code, took);
  }

 private:
  AdapterObserver& to_;
};

ClientOptions client_options(int in_flight, RequestObserver& observer) {
  ClientOptions options;
  options.in_flight = in_flight;
  options.observer = &observer;
  return options;
}

ModelSettings checked(ModelSettings settings) {
  if (!settings.node_price) settings.node_price = [](const PriceQuestion&) { return NodePrice{}; };
  if (!settings.transfer_price) settings.transfer_price = [](const Place&, const Place&) { return UsdPerMebibyte(0); };
  return settings;
}

}  // namespace

KubernetesCluster::KubernetesCluster(const Connection& connection, ClusterSettings settings, AdapterObserver& telemetry,
                                     Log& log)
    : settings_(std::move(settings)),
      telemetry_(telemetry),
      log_(log),
      requests_(std::make_unique<RequestTelemetry>(telemetry)),
      pods_(settings_.scheduler_name, volumes_, nodes_),
      index_(checked(settings_.model)),
      follow_client_(std::make_unique<ApiClient>(connection, client_options(8, *requests_))),
      act_client_(std::make_unique<ApiClient>(connection, client_options(settings_.requests_in_flight, *requests_))) {
  const auto may_act = [this] { return !finishing_ && (!settings_.leads || settings_.leads()); };
  EventOptions events;
  events.instance = settings_.instance;
  events.per_second = settings_.events_per_second;
  binder_ = std::make_unique<Binder>(*act_client_, may_act);
  conditions_ = std::make_unique<PodConditions>(*act_client_, *binder_, std::move(events), may_act);
  followers_ = std::make_unique<Followers>(*follow_client_, inbox_, telemetry_);
}

KubernetesCluster::~KubernetesCluster() {
  inbox_.close();
  act_client_.reset();  // nothing calls back from here on
  followers_.reset();
  follow_client_.reset();
}

void KubernetesCluster::finish() {
  finishing_ = true;  // what is still queued is not sent
  const TimePoint deadline = now() + longest_finish;
  while (bindings_under_way_ > 0 && now() < deadline)
    for (Message& message : inbox_.take(duty_every)) std::visit([this](auto& content) { take(content); }, message);
}

void KubernetesCluster::start() { followers_->start(); }

TimePoint KubernetesCluster::now() const { return steady_now(); }

bool KubernetesCluster::in_charge() {
  const bool leads = !settings_.leads || settings_.leads();
  if (leads != led_) {
    led_ = leads;
    log_.info(leads ? "leads: schedules from now on" : "does not lead: follows only");
  }
  if (!leads) listed_ = false;
  return leads && std::all_of(listed_kinds_.begin(), listed_kinds_.end(), [](bool listed) { return listed; });
}

Duration KubernetesCluster::until_next_duty(TimePoint until) const {
  const TimePoint next = std::min(until, next_duty_);
  return std::clamp(next - now(), Duration(0), duty_every);
}

Result<std::vector<ClusterEvent>> KubernetesCluster::wait(TimePoint until) {
  for (;;) {
    if (settings_.stop && settings_.stop()) return fail(ErrorCode::cancelled, "asked to stop");
    for (Message& message : inbox_.take(until_next_duty(until)))
      std::visit([this](auto& content) { take(content); }, message);
    const bool in_charge = this->in_charge();
    if (in_charge) settle();
    if (now() >= next_duty_) keep_house();
    if (!in_charge) continue;
    if (!events_.empty() || now() >= until) return std::exchange(events_, {});
  }
}

// ---- what is told ----

void KubernetesCluster::take(Pod& pod) { take_pod_change(pods_.see(pod, now())); }

void KubernetesCluster::take(BatchJob& job) {
  if (const std::string* text = find_text(job.annotations, notes::memory); text && !listed_)
    stored_memories_["owner/" + job.meta.uid] = read_memory(*text);
  jobs_[job.meta.uid] = std::move(job);
}

void KubernetesCluster::take(Claim& claim) {
  volumes_.see(std::move(claim));
  for (PodRecord* pod : pods_.review_held()) arrive(*pod);
}

void KubernetesCluster::take(Volume& volume) {
  volumes_.see(std::move(volume));
  for (PodRecord* pod : pods_.review_held()) arrive(*pod);
}

void KubernetesCluster::take(const Gone& gone) {
  switch (gone.kind) {
    case Followed::nodes:
      return nodes_.forget(gone.meta.name);
    case Followed::jobs:
      jobs_.erase(gone.meta.uid);
      memories_.erase("owner/" + gone.meta.uid);
      stored_memories_.erase("owner/" + gone.meta.uid);
      return;
    case Followed::claims:
      return volumes_.forget_claim(gone.meta);
    case Followed::volumes:
      return volumes_.forget_volume(gone.meta);
    case Followed::pods:
      break;
  }
  arrived_.erase(full_name(gone.meta));
  if (const std::unique_ptr<PodRecord> record = pods_.forget(gone.meta)) {
    end_task(*record, record->state == PodState::over);
    if (!record->owner) memories_.erase(memory_key(*record));
  }
}

void KubernetesCluster::take(const Listed& listed) {
  bool& known = listed_kinds_[static_cast<std::size_t>(listed.kind)];
  if (std::exchange(known, true)) return;
  if (std::all_of(listed_kinds_.begin(), listed_kinds_.end(), [](bool all) { return all; })) {
    telemetry_.on_synced(true);
    log_.info("everything is listed", {{"nodes", nodes_.all().size()}, {"pods", pods_.ours().size()}});
  }
}

void KubernetesCluster::take(const NotUnderstood& refused) {
  telemetry_.on_rejected(resource_name(refused.kind), "malformed");
  log_.warning("an object is not understood", {{"why", refused.why}});
}

void KubernetesCluster::take_pod_change(const PodBook::Seen& seen) {
  switch (seen.change) {
    case PodBook::Change::none:
      return;
    case PodBook::Change::arrived:
      return arrive(*seen.record);
    case PodBook::Change::placed: {
      const NodeId node = index_.node(seen.record->node);
      if (!listed_ || !seen.record->task.valid()) return;
      if (node.valid())
        events_.emplace_back(TaskFound{seen.record->task, node, now()});
      else
        end_task(*seen.record, false);  // on a node that is not there
      return;
    }
    case PodBook::Change::ended:
      return end_task(*seen.record, true);
    case PodBook::Change::withdrawn:
      return end_task(*seen.record, false);
    case PodBook::Change::reworded:
      end_task(*seen.record, false);
      return arrive(*seen.record);
  }
}

void KubernetesCluster::arrive(PodRecord& record) {
  if (record.kind.valid()) arrived_[full_name(record.meta)] = record.meta;
}

// `finished`: it ran; else it will not.
void KubernetesCluster::end_task(PodRecord& record, bool finished) {
  arrived_.erase(full_name(record.meta));
  const TaskId task = std::exchange(record.task, TaskId::none());
  if (!listed_ || !task.valid()) return;
  ++tasks_over_;
  const NodeId node = index_.node(record.node);
  if (finished && node.valid()) events_.emplace_back(TaskFinished{task, node});
  events_.emplace_back(TaskWithdrawn{task});  // changes nothing where it has finished
}

// ---- bindings ----

void KubernetesCluster::bind(const Assignment& assignment) {
  const ObjectMeta& pod = task_pods_[assignment.task];
  PodRecord* record = pods_.find(pod);
  if (!record || record->state != PodState::waiting) {
    events_.emplace_back(TaskWithdrawn{assignment.task});
    return;
  }
  record->decided = now();
  record->read_from = assignment.read_from.valid() ? index_.store_name(assignment.read_from) : "";
  pods_.begin_binding(*record, index_.node_name(assignment.node));
  send_binding(*record);
}

void KubernetesCluster::send_binding(const PodRecord& record) {
  PodBinding binding;
  binding.pod = record.meta;
  binding.node = record.node;
  if (!record.read_from.empty()) {
    binding.annotations.emplace_back(notes::input, input_text(record));
    binding.annotations.emplace_back(notes::read_from, record.read_from);
  }
  const auto began = std::chrono::steady_clock::now();
  ++bindings_under_way_;
  binder_->bind(std::move(binding), [this, began](const PodBinding& done, BindOutcome outcome) {
    const auto took = std::chrono::steady_clock::now() - began;
    inbox_.put(BindReport{done.pod, done.node, std::move(outcome),
                          std::chrono::duration_cast<std::chrono::microseconds>(took)});
  });
}

void KubernetesCluster::take(const BindReport& report) {
  using Kind = BindOutcome::Kind;
  const Kind kind = report.outcome.kind;
  using Told = lips::BindOutcome;
  --bindings_under_way_;
  if (kind != Kind::deposed)
    telemetry_.on_bind_outcome(kind == Kind::bound                                 ? Told::bound
                               : kind == Kind::elsewhere || kind == Kind::pod_gone ? Told::conflict
                               : kind == Kind::refused                             ? Told::refused
                                                                                   : Told::failed,
                               report.took);
  PodRecord* record = pods_.find(report.pod);
  if (!record || record->state == PodState::over) return;
  if (kind == Kind::bound) {
    record->refusals = 0;
    telemetry_.on_pod_waited(now() - record->seen);
    conditions_->bound(*record, now());
  }
  if (record->state != PodState::binding || record->node != report.node) return;  // the watch was quicker
  const NodeId node = index_.node(kind == Kind::elsewhere ? report.outcome.node : record->node);
  switch (kind) {
    case Kind::bound:
      pods_.place(*record, report.node);
      if (listed_ && record->task.valid() && node.valid()) events_.emplace_back(TaskStarted{record->task, node});
      return;
    case Kind::elsewhere:
      log_.info("another scheduler was quicker", {{"pod", full_name(record->meta)}, {"node", report.outcome.node}});
      pods_.place(*record, report.outcome.node);
      if (listed_ && record->task.valid() && node.valid())
        events_.emplace_back(TaskFound{record->task, node, now()});
      else
        end_task(*record, false);
      return;
    case Kind::pod_gone:
      pods_.end_binding(*record, PodState::over);
      return end_task(*record, false);
    case Kind::unknown:  // its room stays taken: a second request for the same node settles it
      return retry_later(*record, ask_again);
    case Kind::deposed:
      pods_.end_binding(*record, PodState::waiting);
      if (listed_ && record->task.valid()) events_.emplace_back(TaskLost{record->task});
      return;
    case Kind::refused:
      break;
  }
  log_.warning("a binding was refused", {{"pod", full_name(record->meta)}, {"why", report.outcome.message}});
  conditions_->refused(*record, report.outcome.message, now());
  pods_.end_binding(*record, PodState::waiting);
  pods_.hold(*record, binding_refused, report.outcome.message);
  end_task(*record, false);
  const int doublings = std::min(record->refusals++, 6);
  retry_later(*record, std::min(longest_pause, Duration(1'000'000) * (1 << doublings)));
}

void KubernetesCluster::retry_later(const PodRecord& record, Duration after) {
  retries_.emplace(now() + after, record.meta);
}

void KubernetesCluster::retry_due() {
  while (!retries_.empty() && retries_.begin()->first <= now()) {
    const ObjectMeta meta = retries_.begin()->second;
    retries_.erase(retries_.begin());
    PodRecord* record = pods_.find(meta);
    if (!record) continue;
    if (record->state == PodState::binding) send_binding(*record);
    if (record->state == PodState::held && record->obstacle_reason == binding_refused && pods_.release(*record))
      arrive(*record);
  }
}

std::string KubernetesCluster::input_text(const PodRecord& record) const { return record.read_from; }

void KubernetesCluster::start_move(MoveId id, const DataMove&) { events_.emplace_back(MoveEnded{id, false}); }
void KubernetesCluster::drop(const ReplicaDrop&) {}

void KubernetesCluster::remember(const Remembered& remembered) {
  memories_[memory_keys_[remembered.job]] = remembered.memory;
}

// ---- to the model ----

// From what was taken in to events: a listing where events cannot say it.
void KubernetesCluster::settle() {
  const bool learned = pods_.run_times().moved() && now() - listed_at_ > relearn_every && !arrived_.empty();
  const std::uint64_t prices = settings_.prices_version ? settings_.prices_version() : 0;
  const bool repriced = std::exchange(prices_version_, prices) != prices;
  if (!index_.expresses(pods_.kinds()) || tasks_over_ > many_over || learned || repriced) must_list_ = true;
  if (!listed_) return list_everything();
  if (!must_list_) say_nodes();
  if (must_list_ && now() - listed_at_ >= list_at_most_every) return list_everything();
  if (arrived_.empty() || !index_.expresses(pods_.kinds())) return;
  std::vector<PodRecord*> pods;
  for (const auto& [key, meta] : std::exchange(arrived_, {}))
    if (PodRecord* record = pods_.find(meta); record && !record->task.valid()) pods.push_back(record);
  say_jobs(pods);
}

void KubernetesCluster::list_everything() {
  events_.clear();
  arrived_.clear();
  nodes_.take_changed();
  pods_.run_times().settle();
  events_.emplace_back(index_.list(nodes_, pods_.kinds(), {}));
  task_pods_ = {};
  memory_keys_ = {};
  tasks_over_ = 0;
  must_list_ = false;
  listed_ = true;
  listed_at_ = now();
  std::vector<PodRecord*> pods;
  for (const auto& [key, record] : pods_.ours()) {
    record->task = TaskId::none();
    if (record->held_for_data && pods_.release(*record)) record->held_for_data = false;
    if (record->kind.valid() && (record->state == PodState::waiting || record->on_node())) pods.push_back(record.get());
  }
  say_jobs(pods);
  for (const auto& [name, type] : index_.unknown_prices()) telemetry_.on_unknown_price(name, type, true);
  if (!index_.unknown_prices().empty())
    log_.warning("nodes without a known price get the stated default",
                 {{"nodes", index_.unknown_prices().size()}, {"first", index_.unknown_prices().front().first}});
  if (index_.left_out() > 0) log_.warning("nodes are left out: too many zones", {{"nodes", index_.left_out()}});
}

void KubernetesCluster::say_jobs(const std::vector<PodRecord*>& pods) {
  std::vector<PodRecord*> known;
  for (PodRecord* pod : pods)  // what is on a node that is not there takes no room of any other
    if (!pod->on_node() || index_.node(pod->node).valid()) known.push_back(pod);
  std::vector<Rejection> rejected;
  const JobContext context{index_, pods_.kinds(), pods_.run_times(), jobs_, settings_.default_run_time};
  for (GroupedJob& group : group_into_jobs(known, context, events_, rejected)) {
    group.job.memory = memory_of(group.memory_key);
    memory_keys_.push_back(group.memory_key);
    events_.emplace_back(JobArrived{std::move(group.job), std::move(group.tasks)});
    for (PodRecord* pod : group.pods) {
      pod->task = task_pods_.push_back(pod->meta);
      if (pod->on_node())
        events_.emplace_back(TaskFound{pod->task, index_.node(pod->node), pod->started.value_or(now())});
    }
  }
  for (const Rejection& rejection : rejected) {
    pods_.hold(*rejection.pod, rejection.reason, rejection.what);
    rejection.pod->held_for_data = true;
  }
}

JobMemory KubernetesCluster::memory_of(const std::string& key) {
  if (const auto known = memories_.find(key); known != memories_.end()) return known->second;
  const auto stored = stored_memories_.find(key);
  if (stored == stored_memories_.end()) return {};
  JobMemory memory = stored->second.memory;
  memory.home = index_.zone(stored->second.home);
  return memory;
}

void KubernetesCluster::say_nodes() {
  for (const std::string& name : nodes_.take_changed()) {
    const NodeId id = index_.node(name);
    const NodeRecord* record = nodes_.find(name);
    if (!record && !id.valid()) continue;
    const std::optional<lips::Node> node = record && id.valid() ? index_.node_now(*record) : std::nullopt;
    if (node)
      events_.emplace_back(NodeChanged{id, *node});
    else
      must_list_ = true;  // it came, went, or moved
  }
}

void KubernetesCluster::say_heartbeats() {
  if (!listed_ || !settings_.cadence) return;
  const Cadence cadence = settings_.cadence();
  if (cadence.trigger != Cadence::Trigger::heartbeats || now() < next_beat_) return;
  next_beat_ = now() + cadence.interval;
  for (const auto& [name, record] : nodes_.all())
    if (const NodeId id = index_.node(name); id.valid() && record.node && record.node->ready)
      events_.emplace_back(Heartbeat{id});
}

void KubernetesCluster::keep_house() {
  next_duty_ = now() + duty_every;
  telemetry_.on_loop();
  retry_due();
  if (!led_ && settings_.leads) return;
  say_heartbeats();
  conditions_->flush(now());
  if (now() < next_count_ || !listed_) return;
  next_count_ = now() + count_every;
  conditions_->review(pods_, nodes_, now());
  for (const auto& [reason, count] : conditions_->pending()) telemetry_.on_pending(reason, count);
}

}  // namespace lips::kubernetes

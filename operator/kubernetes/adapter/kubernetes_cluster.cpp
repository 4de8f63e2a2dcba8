#include "kubernetes/adapter/kubernetes_cluster.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/api/leadership.h"
#include "kubernetes/api/refused_writes.h"

namespace lips::kubernetes {
namespace {

constexpr Duration duty_every{200'000};     // events, heartbeats of policies, retries
constexpr Duration count_every{1'000'000};  // conditions and what is pending
constexpr std::size_t many_bindings = 16;   // on the wire: what comes is worked off in handfuls
constexpr Duration handful{2'000};
constexpr Duration forget_every{10'000'000};
constexpr Duration look_every{30'000'000};     // for custom resources that may be installed later
constexpr Duration longest_finish{6'000'000};  // a binding on the wire takes at most 5 s

class RequestTelemetry : public RequestObserver {
 public:
  RequestTelemetry(AdapterObserver& to, Log& log)
      : to_(to), refused_(log, [&to](std::string_view verb, std::string_view resource, int code) {
          to.on_refused_write(verb, resource, code);
        }) {}
  void tried(const Try& ended) override {
    to_.on_request(verb_name(ended.verb), resource_of_path(ended.path), ended.http_code, ended.took);
  }
  void refused(const Refusal& refusal) override { refused_.see(refusal); }

 private:
  AdapterObserver& to_;
  RefusedWrites refused_;
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
      requests_(std::make_unique<RequestTelemetry>(telemetry, log)),
      pods_(settings_.scheduler_name, volumes_, nodes_),
      index_(checked(settings_.model)),
      follow_client_(std::make_unique<ApiClient>(connection, client_options(8, *requests_))),
      act_client_(std::make_unique<ApiClient>(connection, client_options(settings_.requests_in_flight, *requests_))) {
  const auto may_act = [this] { return !finishing_ && (!settings_.leads || settings_.leads()); };
  EventOptions events;
  events.instance = settings_.instance;
  events.per_second = settings_.events_per_second;
  binder_ = std::make_unique<Binder>(*act_client_, may_act, settings_.bind_timeout);
  events_recorder_ = std::make_unique<EventRecorder>(*act_client_, std::move(events), may_act);
  conditions_ = std::make_unique<PodConditions>(*binder_, *events_recorder_);
  memories_ = std::make_unique<JobMemories>(*act_client_, may_act);
  followers_ = std::make_unique<Followers>(*follow_client_, inbox_, telemetry_);
}

KubernetesCluster::~KubernetesCluster() {
  inbox_.close();
  followers_.reset();
  data_.reset();
  act_client_.reset();  // nothing calls back from here on
  follow_client_.reset();
}

void KubernetesCluster::finish() {
  finishing_ = true;  // what is still queued is not sent
  const TimePoint deadline = now() + longest_finish;
  while (bindings_under_way_ > 0 && now() < deadline)
    for (Message& message : inbox_.take(duty_every)) std::visit([this](auto& content) { take(content); }, message);
}

void KubernetesCluster::start() {
  followers_->start();
  look_for_resources();
}

// Without our custom resources in the cluster pods are scheduled all the same; they may be installed later.
void KubernetesCluster::look_for_resources() {
  next_look_ = now() + look_every;
  ApiRequest request;
  request.path = "/apis/lips.dev/v1alpha1";
  follow_client_->start(std::move(request), [this](const Answer& answer) {
    if (answer)
      resources_ = Resources::present;
    else if (answer.error().code == ErrorCode::not_found)
      resources_ = Resources::absent;
    inbox_.put(WakeUp{});
  });
}

void KubernetesCluster::link_data() {
  const auto may_act = [this] { return !finishing_ && (!settings_.leads || settings_.leads()); };
  const auto is_read = [this](const std::string& data_set, std::uint32_t block, const std::string& store) {
    return this->is_read(data_set, block, store);
  };
  DataSettings settings = settings_.data;
  settings.mover.wake = [this] { inbox_.put(WakeUp{}); };
  data_ = std::make_unique<DataLink>(DataLink::Surroundings{*act_client_, *events_recorder_, may_act, is_read},
                                     std::move(settings));
  for (const DataCatalog::FollowedKind& kind : data_->kinds()) {
    ListWatchOptions options;
    options.path = kind.path;
    options.selector = kind.selector;
    followers_->follow(std::move(options), *kind.sink);
  }
}

bool KubernetesCluster::is_read(const std::string& data_set, std::uint32_t block, const std::string& store) const {
  const auto reads = [&](const auto& entry) {
    const PodRecord& pod = *entry.second;
    if (!pod.on_node() || pod.data_set != data_set) return false;
    const bool asks = block >= pod.first_block && block - pod.first_block < pod.block_count;
    return pod.degraded || (asks && (pod.read_from == store || pod.block_count > 1));
  };
  return std::any_of(pods_.ours().begin(), pods_.ours().end(), reads);
}

TimePoint KubernetesCluster::now() const { return steady_now(); }

bool KubernetesCluster::in_charge() {
  const bool leads = !settings_.leads || settings_.leads();
  if (leads != led_) {
    led_ = leads;
    log_.info(leads ? "leading: scheduling from now on" : "standby: another replica holds the lease");
  }
  if (!leads) listed_ = false;
  if (resources_ == Resources::present && !data_) link_data();
  if (data_ ? !data_->complete() : resources_ == Resources::unknown) return false;
  return leads && std::all_of(listed_kinds_.begin(), listed_kinds_.end(), [](bool listed) { return listed; });
}

Duration KubernetesCluster::until_next_duty(TimePoint until) const {
  // Who does not act has nothing to be on time for.
  const TimePoint next = listed_ ? std::min(until, next_duty_) : next_duty_;
  return std::clamp(next - now(), Duration(0), duty_every);
}

Result<std::vector<ClusterEvent>> KubernetesCluster::wait(TimePoint until) {
  for (;;) {
    if (settings_.stop && settings_.stop()) return fail(ErrorCode::cancelled, "asked to stop");
    const bool many = bindings_under_way_ >= many_bindings;
    for (Message& message : inbox_.take(until_next_duty(until), many ? handful : Duration(0)))
      std::visit([this](auto& content) { take(content); }, message);
    const bool in_charge = this->in_charge();
    if (data_ && data_->poll(index_, listed_ && led_, now(), events_)) must_list_ = true;
    if (in_charge) settle();
    if (now() >= next_duty_) keep_house();
    if (!in_charge) continue;
    if (!events_.empty() || now() >= until) return std::exchange(events_, {});
  }
}

// ---- what is told ----

void KubernetesCluster::take(Pod& pod) {
  memories_->found({false, pod.meta}, pod.annotations);
  const PodBook::Seen seen = pods_.see(pod, now());
  if (seen.record) job_pods_.see(*seen.record);
  take_pod_change(seen);
}

void KubernetesCluster::take(BatchJob& job) {
  memories_->found({true, job.meta}, job.annotations);
  jobs_[job.meta.uid] = std::move(job);
}

void KubernetesCluster::take(Claim& claim) {
  volumes_.see(std::move(claim));
  volumes_changed_ = true;
}

void KubernetesCluster::take(Volume& volume) {
  volumes_.see(std::move(volume));
  volumes_changed_ = true;
}

void KubernetesCluster::take(const Gone& gone) {
  switch (gone.kind) {
    case Followed::nodes:
      return nodes_.forget(gone.meta.name);
    case Followed::jobs:
      jobs_.erase(gone.meta.uid);
      return move_memory(gone.meta.uid);
    case Followed::claims:
      volumes_changed_ = true;
      return volumes_.forget_claim(gone.meta);
    case Followed::volumes:
      volumes_changed_ = true;
      return volumes_.forget_volume(gone.meta);
    case Followed::pods:
      break;
  }
  arrived_.erase(full_name(gone.meta));
  if (const std::unique_ptr<PodRecord> record = pods_.forget(gone.meta, now())) {
    end_task(*record, record->state == PodState::over);
    job_pods_.forget(*record);
  }
  move_memory(gone.meta.uid);
}

// The object is gone: if it carried the memory of a job that has other pods, another object is to carry it.
void KubernetesCluster::move_memory(const std::string& uid) {
  if (const std::optional<std::string> key = memories_->gone(uid))
    for (const PodRecord* other : job_pods_.of(*key)) keep_memory_of(*other);
}

void KubernetesCluster::keep_memory_of(const PodRecord& pod) {
  const MemoryPlace place = memory_place(pod);
  const std::string key = job_key(pod);
  if (!place.is_job || jobs_.contains(place.meta.uid)) memories_->keep_at(key, place);
  memories_->keep_at(key, {false, pod.meta});  // where the other will not do, or where it was written before
}

// Its output stays where it ran, though the pod and the node may go: reduces that come after a restart read it there.
void KubernetesCluster::note_end_of_map(const PodRecord& pod) {
  const std::string key = job_key(pod);
  if (!pod.succeeded || pod.work.stage != TaskKind::map || !job_pods_.shuffles(key)) return;
  if (const std::string zone = zone_of_node(pod.node); !zone.empty()) memories_->map_ended(key, zone);
}

void KubernetesCluster::take(const Listed& listed) {
  bool& known = listed_kinds_[static_cast<std::size_t>(listed.kind)];
  if (std::exchange(known, true)) return;
  if (std::all_of(listed_kinds_.begin(), listed_kinds_.end(), [](bool all) { return all; })) {
    telemetry_.on_synced(true);
    log_.info("full resync", {{"nodes", nodes_.all().size()}, {"pods", pods_.ours().size()}});
  }
}

void KubernetesCluster::take(const NotUnderstood& refused) {
  telemetry_.on_rejected(resource_name(refused.kind), "malformed");
  log_.warning("cannot decode an object", {{"why", refused.why}});
}

void KubernetesCluster::take_pod_change(const PodBook::Seen& seen) {
  if (!seen.record) return;  // not one of ours
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
      note_end_of_map(*seen.record);
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
  const std::optional<Duration> ran = record.ran(now());
  if (finished && node.valid()) events_.emplace_back(TaskFinished{task, node, ran, !record.succeeded});
  events_.emplace_back(TaskWithdrawn{task, ran});  // changes nothing where it has finished
}

// What an object leaves behind though nobody says so when it goes; also of who only follows.
void KubernetesCluster::forget_what_is_gone() {
  next_forgetting_ = now() + forget_every;
  if (!listed_) nodes_.take_changed();  // a listing says all nodes
  pods_.review_run_times(now(), settings_.default_run_time);
  if (pods_.forget_unused_kinds()) conditions_->forget_kinds();
  if (memories_->kept() == 0) return;
  std::set<std::string> keys;
  for (const auto& [name, pod] : pods_.ours()) keys.insert(job_key(*pod));
  for (const auto& [uid, job] : jobs_) keys.insert("owner/" + uid);
  memories_->keep_only(keys);
}

void KubernetesCluster::keep_house() {
  next_duty_ = now() + duty_every;
  telemetry_.on_loop();
  retry_due();
  if (now() >= next_forgetting_) forget_what_is_gone();
  if (!led_ && settings_.leads) return;
  say_heartbeats();
  events_recorder_->flush(now());
  memories_->flush(now());
  if (resources_ != Resources::present && now() >= next_look_) look_for_resources();
  if (now() < next_count_ || !listed_) return;
  next_count_ = now() + count_every;
  conditions_->review(pods_, nodes_, now());
  for (const auto& [reason, count] : conditions_->pending()) telemetry_.on_pending(reason, count);
  if (data_)
    for (const auto& [phase, count] : data_->moves_by_phase()) telemetry_.on_moves(phase, count);
  if (data_)
    for (const auto& [committed, size] : data_->take_ended()) telemetry_.on_move_ended(committed, size);
}

}  // namespace lips::kubernetes

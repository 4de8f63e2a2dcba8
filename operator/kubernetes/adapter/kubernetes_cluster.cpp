#include "kubernetes/adapter/kubernetes_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <utility>

#include "kubernetes/adapter/task_reading.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/missing_rights.h"
#include "kubernetes/api/real_loop.h"
#include "kubernetes/api/refused_writes.h"
#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

constexpr Duration longest_wait{200'000};
constexpr std::size_t many_bindings = 16;  // in flight: above this, messages are handled in batches
constexpr Duration handful{2'000};
constexpr int rest_after_watching = 20;        // times as long as a look at them took
constexpr Duration longest_finish{6'000'000};  // a binding in flight takes at most 5 s

class RequestTelemetry : public RequestObserver {
 public:
  RequestTelemetry(AdapterObserver& to, RequestBook& book, ServerClock& clock, const EventLoop& loop, Log& log)
      : to_(to),
        book_(book),
        clock_(clock),
        loop_(loop),
        refused_(log, [&to](std::string_view verb, std::string_view resource, int code) {
          to.on_refused_write(verb, resource, code);
        }) {}
  void tried(const Try& ended) override {
    const TimePoint now = loop_.now() - ended.ago;
    book_.tried(ended.http_code, now);
    // A watch ends long after its date; a failure may be that of a machine between.
    if (ended.date && ended.verb != Verb::watch && ended.http_code < 500)
      clock_.note({now - ended.since_sent, now, *ended.date});
    const bool success = ended.http_code >= 200 && ended.http_code < 300;
    if (success && book_.lacks_any()) book_.has_right(right_in_words(ended.verb, ended.path));
    to_.on_request(verb_name(ended.verb), resource_of_path(ended.path), ended.http_code, ended.took);
  }
  void refused(const Refusal& refusal) override {
    refused_.count(refusal);
    if (MissingRights::covers(refusal.verb) && says_no_right(refusal.http_code, refusal.message))
      book_.lacks_right(right_in_words(refusal.verb, refusal.path), std::string(refusal.message), loop_.now());
    if (refusal.http_code != 0) return;
    book_.stopped(fmt::format("{} {}", verb_name(refusal.verb), refusal.path.substr(0, refusal.path.find('?'))),
                  loop_.now());
  }

 private:
  AdapterObserver& to_;
  RequestBook& book_;
  ServerClock& clock_;
  const EventLoop& loop_;
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
  if (!settings.transfer_price)
    settings.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(0); };
  return settings;
}

// The consequence while a kind of the data cannot be listed.
std::string_view without(std::string_view path) {
  if (path.ends_with("/pools")) return "each namespace is a pool without limits, in the operator's mode";
  if (path.ends_with("/datasets") || path.ends_with("/datastores")) return "pods that read data sets wait";
  return "no data is moved";
}

}  // namespace

ClusterLink link_to(Connection connection) {
  auto loop = std::make_shared<RealLoop>();
  EventLoop& there = *loop;
  const auto connecting_to = [&there](Connection server) {
    return [&there, server = std::move(server)](ClientOptions options) {
      return std::make_unique<LoopClient>(there, std::move(options), [&server](ClientOptions own) {
        return std::make_unique<HttpClient>(server, std::move(own));
      });
    };
  };
  return {std::move(loop), connecting_to(std::move(connection)), connecting_to({})};
}

ModelSettings KubernetesCluster::model_settings() {
  ModelSettings settings = checked(settings_.model);
  if (settings_.pool_offers || settings.offers)
    settings.offers = [this](const NodeCache& nodes) { return fleet_->offered(nodes); };
  settings.sold_out = [this] { return fleet_->sold_out(now()); };
  settings.allocatable = [this](const OfferEntry& offer) { return fleet_->allocatable(offer); };
  settings.learned_speed = [this](const std::string& type) { return pods_.type_speeds().of(type); };
  return settings;
}

KubernetesCluster::KubernetesCluster(const Connection& connection, ClusterSettings settings, AdapterObserver& telemetry,
                                     Log& log)
    : KubernetesCluster(link_to(connection), std::move(settings), telemetry, log) {}

KubernetesCluster::KubernetesCluster(ClusterLink link, ClusterSettings settings, AdapterObserver& telemetry, Log& log)
    : settings_(std::move(settings)),
      telemetry_(telemetry),
      log_(log),
      loop_(std::move(link.loop)),
      request_book_(settings_.patience),
      watch_book_([this] { return loop_->now(); }, settings_.patience),
      requests_(std::make_unique<RequestTelemetry>(telemetry, request_book_, server_clock_, *loop_, log)),
      pods_(settings_.scheduler_name, volumes_, groups_, nodes_, settings_.applications.frameworks),
      model_(model_settings()),
      readiness_({settings_.leads, settings_.times_elected, [this] { return relist(); }}),
      state_(telemetry, log),
      resources_("/apis/lips.dev/v1alpha1", settings_.detect_every, [this] { wake(); }),
      workflow_apis_(settings_.detect_every, [this] { wake(); }),
      watch_client_(link.connect(client_options(8, *requests_))),
      act_client_(link.connect(client_options(settings_.requests_in_flight, *requests_))) {
  const auto may_act = [this] { return this->may_act(); };
  const auto wake = [this] { this->wake(); };
  EventOptions events;
  events.instance = settings_.instance;
  events.per_second = settings_.events_per_second;
  binder_ = std::make_unique<Binder>(*act_client_, may_act, settings_.bind_timeout);
  events_recorder_ = std::make_unique<EventRecorder>(*act_client_, std::move(events), may_act);
  conditions_ = std::make_unique<PodConditions>(*binder_, *events_recorder_);
  memories_ = std::make_unique<JobMemories>(*act_client_, may_act);
  divisions_ = std::make_unique<DataDivisions>(*act_client_, may_act);
  const auto refused = [this](const Error& error) {
    log_.warning("cannot store the memory of policies about pools", {{"why", error.message}});
  };
  shares_ =
      std::make_unique<KeptShares>(KeptShares::Surroundings{*act_client_, may_act, wake, refused}, settings_.shares);
  restore_guard_ =
      std::make_unique<RestoreGuard>(RestoreGuard::Surroundings{*act_client_, may_act, wake}, settings_.shares);
  sizes_ = std::make_unique<ApplicationSizes>(ApplicationSizes::Surroundings{pods_, *act_client_, may_act, wake, log_});
  const OperatorConfig::Applications& applications = settings_.applications;
  traffic_ = std::make_unique<ApplicationTraffic>(
      ApplicationTraffic::Surroundings{link.connect_to_others, may_act, *shares_, telemetry_, log_},
      ApplicationTraffic::Rules{applications.learn_traffic, applications.driver_port, applications.frameworks,
                                settings_.may_ask_driver});
  volume_binding_ = std::make_unique<VolumeBinding>(
      VolumeBinding::Surroundings{volumes_, nodes_, *act_client_, may_act, wake}, settings_.volume_wait);
  jobs_ = std::make_unique<KnownJobs>(*memories_, nodes_, quotas_);
  fleet_ = std::make_unique<FleetLink>(
      FleetLink::Surroundings{nodes_, pods_, quotas_, model_, *jobs_, *watch_client_, *act_client_, may_act, wake,
                              [this](PodRecord& record, const OfferEntry& offer) { send_ahead(record, offer); },
                              telemetry_, log_},
      FleetLink::Rules{settings_.model.offers,
                       settings_.pool_offers,
                       settings_.detect_every,
                       {settings_.self.name_space, settings_.scheduler_name + "-orders", settings_.self},
                       [this] { return prices_version(); },
                       settings_.node_patience,
                       settings_.patience});
  lifecycle_ = std::make_unique<PodLifecycle>(PodLifecycle::Surroundings{
      pods_, nodes_, *jobs_, model_, *binder_, *volume_binding_, *conditions_, inbox_, *loop_, telemetry_, log_,
      [this] { informers_->relist(); }, settings_.default_run_time});
  reclaims_ = std::make_unique<Reclaims>(Reclaims::Surroundings{*act_client_, may_act, wake, log_});
  resync_ = std::make_unique<Resync>(
      Resync::Surroundings{nodes_, pods_, *jobs_, model_, *lifecycle_, *conditions_, *shares_, traffic_->learned(),
                           *divisions_, *reclaims_, volumes_, telemetry_, log_},
      Resync::Rules{settings_.default_run_time, settings_.prices_version, settings_.cadence, settings_.mode,
                    settings_.left_alone, settings_.applications.shuffle_per_cpu_second, settings_.scheduler_name,
                    settings_.announced});
  if (settings_.watched)
    watched_ = std::make_unique<WatchedPods>(
        WatchedPods::Rules{settings_.scheduler_name, settings_.applications.frameworks, settings_.default_run_time},
        volumes_, groups_, jobs_->all());
  std::vector<std::string> annotations;
  for (const Framework& framework : settings_.applications.frameworks)
    annotations.insert(annotations.end(), {framework.group, framework.pods});
  informers_ = std::make_unique<Informers>(
      Informers::Surroundings{*watch_client_, *loop_, inbox_, telemetry_, watch_book_}, std::move(annotations));
  pod_group_api_ = std::make_unique<PodGroupApi>(
      PodGroupApi::Surroundings{*watch_client_, *informers_, watch_book_, groups_, log_}, settings_.detect_every);
}

KubernetesCluster::~KubernetesCluster() {
  informers_.reset();
  data_.reset();
  act_client_.reset();  // nothing calls back from here on
  watch_client_.reset();
}

void KubernetesCluster::finish() {
  finishing_ = true;  // queued requests are not sent
  tell_state();
  const TimePoint deadline = now() + longest_finish;
  while (lifecycle_->bindings_under_way() > 0 && now() < deadline) take_turn(longest_wait);
}

// Another replica may have written since.
std::uint64_t KubernetesCluster::relist() {
  shares_->read();
  return informers_->relist();
}

void KubernetesCluster::start() {
  informers_->start();
  shares_->read();
  detect_resources();
}

// Checked before each request that changes something, also on the thread of the connections.
bool KubernetesCluster::may_act() const { return !finishing_ && (!settings_.leads || settings_.leads()); }

// Pods are scheduled even if the cluster lacks our custom resources or those of others, which may be installed later.
void KubernetesCluster::detect_resources() {
  resources_.review(*watch_client_, now());
  fleet_->detect(now());
  workflow_apis_.review(*watch_client_, *informers_, now());
  pod_group_api_->review(now());
  if (jobs_->grants().asked()) informers_->watch(WatchedKind::resource_quotas);
}

// Moves are made only by what is in the cluster now.
void KubernetesCluster::review_data_is_known() {
  data_is_known_ =
      restore_guard_->known() && !watch_book_.refuses("/lips.dev/") && !watch_book_.refuses("/namespaces/");
}

void KubernetesCluster::link_data() {
  review_data_is_known();
  const auto may_act = [this] { return this->may_act() && data_is_known_; };
  const auto is_read = [this](const std::string& data_set, std::uint32_t block, const std::string& store) {
    return kubernetes::is_read(pods_, {data_set, block, store}, read_permission(data_.get()), now());
  };
  DataSettings settings = settings_.data;
  settings.mover.suspended = [this] { return restore_guard_->why(); };
  settings.mover.wake = [this] { wake(); };
  settings.mover.transfer_price = [this](const std::string& from, const std::string& to) {
    return model_.index().transfer_price(from, to);
  };
  const auto node = [this](const std::string& name) {
    const NodeRecord* record = nodes_.find(name);
    if (record && record->node) return NodeState{record->node->meta.uid, record->node->ready, false};
    return NodeState{"", false, readiness_.has_synced()};
  };
  const auto nodes_version = [this] { return 2 * nodes_.version() + (readiness_.has_synced() ? 1 : 0); };
  data_ = std::make_unique<DataLink>(
      DataLink::Surroundings{*act_client_, *events_recorder_, may_act, is_read, node, nodes_version},
      std::move(settings));
  for (const DataCatalog::Informer& informer : data_->informers()) {
    ListWatchOptions options;
    options.path = informer.path;
    options.selector = informer.selector;
    informers_->add(std::move(options), *informer.sink, {WatchNeed::awaited, without(informer.path)});
  }
}

std::vector<KnownPod> KubernetesCluster::pods() const {
  std::vector<KnownPod> result;
  if (!model_.listed()) return result;
  result.reserve(pods_.ours().size());
  for (const auto& [name, record] : pods_.ours()) {
    if (record->task.valid())
      result.push_back({name, record->task, ""});
    else if (record->state == PodState::held)
      result.push_back({name, TaskId::none(), record->unschedulable_message});
  }
  return result;
}

TimePoint KubernetesCluster::now() const { return loop_->now(); }

void KubernetesCluster::take_turn(Duration at_most, Duration handful) {
  loop_->run(at_most, handful);
  if (data_) review_data_is_known();
  for (Message& message : inbox_.take()) std::visit([this](auto& content) { handle(content); }, message);
}

Duration KubernetesCluster::until_next_duty(TimePoint until) const {
  // A standby has no deadlines.
  const TimePoint next = model_.listed() ? std::min(until, duty_.next()) : duty_.next();
  return std::clamp(next - now(), Duration(0), longest_wait);
}

Result<std::vector<ClusterEvent>> KubernetesCluster::wait(TimePoint until) {
  for (bool in_charge = model_.listed();;) {
    if (settings_.stop && settings_.stop()) return fail(ErrorCode::cancelled, "asked to stop");
    if (has_wrong_time()) return fail(ErrorCode::cancelled, "the API server's clock differs");
    const bool awaits = awaits_lists();  // first: all that has been listed by now is handled in this turn
    const bool many = lifecycle_->bindings_under_way() >= many_bindings;
    // Whoever is not in charge cannot answer at that time, and does not wait for it.
    take_turn(until_next_duty(in_charge ? until : TimePoint::max()), many ? handful : Duration(0));
    in_charge = this->in_charge(awaits);
    if (data_ && data_->poll(model_.index(), model_.listed() && readiness_.leads(), now(), model_.events()))
      model_.must_list();
    if (in_charge) traffic_->take_over_kept();
    if (in_charge) resync_->reconcile(data_.get(), now());
    if (watched_) in_charge ? watched_->resume() : watched_->interrupt();
    if (duty_.due(now())) run_periodic();
    if (!in_charge) continue;
    if (!model_.events().empty() || now() >= until) return model_.take_events();
  }
}

// ---- periodic work ----

// Drops the state of objects that went without an event; on standbys too.
void KubernetesCluster::forget_what_is_gone() {
  if (!model_.listed()) nodes_.take_changed();  // a resync reports all nodes
  pods_.review_run_times(now(), settings_.default_run_time);
  reclaims_->forget_gone([this](const ObjectMeta& pod) {
    const PodRecord* record = pods_.find(pod);
    return record && record->on_node();
  });
  if (pods_.forget_unused_classes()) conditions_->forget_classes();
  const auto is_there = [this](const std::string& key) { return jobs_->is_there(key); };
  memories_->keep_only(is_there);
  divisions_->keep_only(is_there);
}

// Takes the time from binding and planning, so it rests for long.
void KubernetesCluster::watch_others() {
  if (!watched_ || now() < next_watch_ || !settings_.wants_watched()) return;
  const TimePoint began = now();
  const DataView none;
  std::optional<WatchedCluster> seen =
      watched_->look({model_settings(), data_ ? data_->view() : none,
                      [this](const PodRecord& pod) { return Resync::pool_of(pod, data_.get()); },
                      read_permission(data_.get()), path_lookup(data_.get())},
                     began);
  next_watch_ = now() + std::max(settings_.watch_every, rest_after_watching * (now() - began));
  if (seen) settings_.watched(std::move(*seen));
}

void KubernetesCluster::run_periodic() {
  telemetry_.on_loop();
  restore_guard_->tick(now(), readiness_.may_act());
  look_at_machine_clock();
  tell_state();
  lifecycle_->retry_due(now(), model_.listed() && readiness_.leads() && readiness_.has_synced());
  if (nodes_.has_nominations())
    nodes_.count_nominations_from(pods_.least_waiting_priority().value_or(std::numeric_limits<std::int32_t>::min()));
  if (forgetting_.due(now())) forget_what_is_gone();
  jobs_->review_awaited(now());
  if (telling_.due(now())) telemetry_.on_status(status());
  if (!readiness_.may_act()) return;
  resync_->emit_heartbeats(now());
  events_recorder_->flush(now());
  memories_->flush(now());
  divisions_->flush();
  shares_->flush(now());
  fleet_->flush(now());
  reclaims_->report(model_.events(), model_.listings(), now());
  sizes_->flush(now());
  traffic_->flush(now());
  if (model_.listed()) lifecycle_->review_volumes(now());
  detect_resources();
  if (model_.listed()) watch_others();
  if (!model_.listed() || !counting_.due(now())) return;
  resync_->review_modes(data_.get());
  const auto offered = [this](const PodNeeds& needs) { return model_.index().fits_an_offer(needs); };
  const auto wait_of = [this](TaskId task) { return plan_words_.of(task, model_.listings()); };
  conditions_->review(pods_, nodes_, now(), {fleet_->selective(), offered, news_ + model_.listings()}, wait_of);
  lifecycle_->review_steered(now());
  lifecycle_->review_avoided(now());
  lifecycle_->review_evictions(now());
  tell_waits();
  if (data_) tell_data();
}

}  // namespace lips::kubernetes

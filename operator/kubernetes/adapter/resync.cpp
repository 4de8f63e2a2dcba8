#include "kubernetes/adapter/resync.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kubernetes/adapter/job_tables.h"

namespace lips::kubernetes {
namespace {

constexpr Duration list_at_most_every{1'000'000};
constexpr Duration expected_within = std::chrono::hours(4);  // policies look no further
constexpr Duration relearn_every{10'000'000};                // how often better run times and speeds are passed on

}  // namespace

void Resync::find_reasons_to_list(TimePoint now) {
  const bool learned = around_.pods.type_speeds().moved() && now - listed_at_ > relearn_every;
  const std::uint64_t prices = rules_.prices_version ? rules_.prices_version() : 0;
  const bool repriced = std::exchange(prices_version_, prices) != prices;
  if ((learned && around_.conditions.waiting() > 0) || repriced) around_.model.must_list();
}

void Resync::reconcile(DataLink* data, TimePoint now) {
  const bool claims_left = around_.pods.take_claims_left();
  if (volumes_version_ != around_.volumes.version()) around_.lifecycle.review_volumes(now);
  const std::uint64_t volumes = around_.volumes.version();
  if (std::exchange(volumes_version_, volumes) != volumes || claims_left || around_.pods.groups_changed())
    for (const PodCache::Update& update : around_.pods.review_dependencies()) around_.lifecycle.handle(update, now);
  if (around_.pods.take_regrouped()) around_.model.must_list();
  const std::set<std::string> complete = around_.jobs.take_complete();  // a listing says it of each job, and of maps
  const std::set<std::string> maps_changed = around_.jobs.take_maps_changed();
  for (PodRecord* pod : around_.pods.review_anti_affinity()) around_.lifecycle.report_again(*pod, now);
  for (PodRecord* pod : around_.pods.review_applications()) around_.lifecycle.report_again(*pod, now);
  find_reasons_to_list(now);
  if (!around_.model.listed()) return list_everything(data, now);
  if (around_.model.index().learn(around_.pods.classes(), around_.nodes, around_.model.events()))
    around_.model.must_list();
  emit_nodes();
  if (around_.model.has_to_list() && now - listed_at_ >= list_at_most_every) return list_everything(data, now);
  for (const std::string& key : complete)
    around_.model.events().emplace_back(NoMorePeers{around_.model.index().whole_job(key)});
  for (const std::string& key : maps_changed) miss_maps(key);
  emit_learned(now);
  emit_jobs(around_.lifecycle.take_arrived(), data, now);
  steps_have_moved_ |= around_.jobs.take_workflows_changed();
  const bool soon = steps_have_moved_ && review_of_steps_.due(now);
  if (!review_of_expected_.due(now) && !soon) return;
  steps_have_moved_ = false;
  std::vector<ExpectedWork> expected = find_expected(data, now);
  if (expected == expected_) return;
  expected_ = std::move(expected);
  around_.model.events().emplace_back(WorkExpected{expected_});
}

void Resync::emit_learned(TimePoint now) {
  RunTimes& run_times = around_.pods.run_times();
  if (!run_times.moved() || now - learned_at_ <= relearn_every || around_.conditions.waiting() == 0) return;
  learned_at_ = now;
  const std::set<std::string> moved = run_times.take_moved();
  const WorkHistory history{run_times, rules_.default_run_time};
  WorkLearned learned;
  for (const auto& [key, pod] : around_.pods.ours()) {
    if (!pod->task.valid() || !moved.contains(template_of(pod->meta.name_space, pod->owner, pod->meta.name))) continue;
    // The data that peers exchange is counted by their work.
    if (!pod->work.application.empty()) return around_.model.must_list();
    learned.tasks.emplace_back(pod->task, work_of_pod(*pod, around_.model.input_of(pod->task), history));
  }
  std::sort(learned.tasks.begin(), learned.tasks.end());
  if (!learned.tasks.empty()) around_.model.events().emplace_back(std::move(learned));
}

void Resync::list_everything(DataLink* data, TimePoint now) {
  around_.lifecycle.take_arrived();  // the resync reports them
  around_.nodes.take_changed();
  around_.pods.run_times().mark_reviewed();
  around_.pods.type_speeds().mark_reviewed();
  for (const auto& [type, speed] : around_.pods.type_speeds().reviewed()) around_.telemetry.on_type_speed(type, speed);
  const auto start = around_.model.list(around_.nodes, around_.pods.classes(), data ? data->view() : DataView{});
  job_keys_ = {};
  missing_maps_.clear();
  listed_at_ = learned_at_ = now;
  std::vector<PodRecord*> pods;
  for (const auto& [key, record] : around_.pods.ours()) {
    record->task = TaskId::none();
    if (record->held_for_data && around_.pods.release(*record)) record->held_for_data = false;
    if (record->pod_class.valid() && (record->state == PodState::waiting || record->on_node()) &&
        !around_.lifecycle.awaits_others(*record))
      pods.push_back(record.get());
  }
  emit_jobs(pods, data, now);
  start->expected = expected_ = find_expected(data, now);  // their pools too are those that shares are remembered of
  if (const std::optional<StoredShares> kept = around_.shares.of())
    start->shares = around_.model.index().remembered(*kept);
  start->target_debts = around_.shares.debts();
  report_unknown_prices();
  if (const std::size_t left_out = around_.model.index().left_out(); left_out > 0)
    around_.log.warning("leaving nodes out: too many zones", {{"nodes", left_out}});
}

std::vector<ExpectedWork> Resync::find_expected(const DataLink* data, TimePoint now) {
  const auto planned = [&](const Pod& pod, const PodAnnotations& task) {
    if (pod.scheduler == rules_.scheduler_name) return true;
    PodRecord record;
    record.meta = pod.meta;
    record.work = task;
    record.steered = true;
    set_mode(record, data);
    return record.mode == PodMode::steer;
  };
  const auto pool = [&](const std::string& name_space, const std::string& wanted) {
    const Result<std::string> found = data ? data->pool_for(name_space, wanted) : name_space;
    return around_.model.index().pool(found.value_or(name_space), around_.model.events());
  };
  const WorkHistory history{around_.pods.run_times(), rules_.default_run_time};
  static const std::vector<Announcement> nothing;
  look_at_announced();
  ExpectedJobs found = expected_jobs(
      {around_.jobs.all(), around_.jobs.cron_jobs(), around_.jobs.workflows(), announced_ ? *announced_ : nothing,
       arrivals_, [this](const std::string& uid) { return around_.jobs.has_released(uid); }},
      {around_.model.index(), history, planned, read_permission(data), pool}, now, expected_within);
  std::set<ExpectedJobs::Problem> problems(found.problems.begin(), found.problems.end());
  for (const ExpectedJobs::Problem& problem : problems)
    if (!misannounced_.contains(problem)) {
      around_.telemetry.on_rejected(problem.kind, "announcement");
      around_.log.warning("cannot count on a job to come", {{"why", problem.why}});
    }
  misannounced_ = std::move(problems);
  return std::move(found.work);
}

void Resync::look_at_announced() {
  const AnnouncedWork now = rules_.announced ? rules_.announced() : nullptr;
  if (now == announced_) return;
  announced_ = now;
  std::map<std::string, TimePoint> named;
  if (announced_)
    for (const Announcement& announced : *announced_) {
      const auto known = arrivals_.find(announced.job);
      named[announced.job] = known == arrivals_.end() ? TimePoint::min() : known->second;
    }
  arrivals_ = std::move(named);
}

void Resync::report_unknown_prices() {
  std::set<std::string> before = std::exchange(unpriced_, {});
  std::string fresh;
  for (const auto& [name, type] : around_.model.index().unknown_prices()) {
    around_.telemetry.on_unknown_price(name, type, true);
    if (before.erase(name) == 0 && fresh.empty()) fresh = name;
    unpriced_.insert(name);
  }
  for (const std::string& name : before) around_.telemetry.on_unknown_price(name, "", false);
  if (!fresh.empty())
    around_.log.warning("nodes have no known price: using the default",
                        {{"nodes", unpriced_.size()}, {"first", fresh}});
}

// Without our custom resources each namespace is a pool.
Result<std::string> Resync::pool_of(const PodRecord& pod, const DataLink* data) {
  const std::string& name_space = pod.meta.name_space;
  if (data) return data->pool_for(name_space, pod.work.pool);
  if (pod.work.pool.empty() || pod.work.pool == name_space) return name_space;
  return fail(ErrorCode::not_found, no_such_pool(pod.work.pool));
}

void Resync::set_mode(PodRecord& pod, const DataLink* data) const {
  const Result<std::string> pool = pool_of(pod, data);
  pod.pool = pool.value_or(pod.meta.name_space);
  pod.mode = (data && pool ? data->mode_of(*pool) : std::nullopt).value_or(rules_.mode);
  pod.left_alone = pod.mode == PodMode::steer && rules_.left_alone && rules_.left_alone(pod.pool);
  if (pod.left_alone) pod.mode = PodMode::bind;
}

void Resync::review_modes(const DataLink* data) {
  for (const auto& [key, pod] : around_.pods.steered()) set_mode(*pod, data);
}

// A pod of another scheduler is planned if the mode of its pool is steer. Checked again with every resync.
bool Resync::is_planned(PodRecord& pod, const DataLink* data) {
  if (!pod.steered) {
    pod.pool = pool_of(pod, data).value_or(pod.meta.name_space);
    return true;
  }
  set_mode(pod, data);
  if (pod.state != PodState::waiting || pod.mode == PodMode::steer) return true;
  around_.pods.hold(pod, UnschedulableReason::scheduling_gated,
                    "the mode of its pool is " + std::string(to_string(pod.mode)));
  pod.held_for_data = true;
  return false;
}

void Resync::emit_jobs(const std::vector<PodRecord*>& pods, const DataLink* data, TimePoint now) {
  ModelFeed& model = around_.model;
  look_at_announced();
  if (pods.empty()) return;
  std::vector<PodRecord*> known;
  for (PodRecord* pod : pods) {
    // Pods on a missing node take no room on others. A size comes soon, and the cache then reports its driver again.
    const bool counts = pod->on_node() ? model.index().node(pod->node).valid() : !awaits_size(*pod);
    if (is_planned(*pod, data) && counts) known.push_back(pod);
  }
  around_.jobs.keep_memories_of(known);
  std::vector<Rejection> rejected;
  const JobContext context{model.index(),
                           around_.pods.classes(),
                           around_.pods.run_times(),
                           around_.jobs.all(),
                           [data](const PodRecord& pod) { return pool_of(pod, data); },
                           [this](const std::string& key) { return around_.jobs.known(key); },
                           rules_.default_run_time,
                           read_permission(data),
                           rules_.shuffle_per_cpu_second,
                           path_lookup(data),
                           &around_.traffic,
                           &around_.divisions,
                           contents_lookup(data, model.index()),
                           loss_lookup(data, model.index()),
                           &around_.jobs.cron_jobs(),
                           &around_.jobs.grants()};
  std::set<std::string> arrived;
  for (GroupedJob& group : group_into_jobs(known, context, model.events(), rejected)) {
    group.job.memory = around_.jobs.memory_of(group.key, model.index());
    job_keys_.push_back(group.key);
    arrived.insert(group.key);
    if (const auto named = arrivals_.find(group.job.name); named != arrivals_.end()) named->second = now;
    for (std::size_t i = 0; i < group.pods.size(); ++i) model.add_task(*group.pods[i], group.tasks[i].input);
    model.events().emplace_back(JobArrived{std::move(group.job), std::move(group.tasks), std::move(group.maps_before)});
    for (PodRecord* pod : group.pods) {
      if (!pod->on_node()) continue;
      const std::string* leaves_for = around_.reclaims.pool_of(pod->meta);
      const PoolId pool = leaves_for ? model.index().pool(*leaves_for, model.events()) : PoolId::none();
      model.events().emplace_back(
          TaskFound{pod->task, model.index().node(pod->node), pod->started.value_or(now), pod->degraded, pool});
    }
  }
  for (const std::string& key : arrived) {
    missing_maps_.try_emplace(key, 0);
    miss_maps(key);
  }
  for (const Rejection& rejection : rejected) {
    around_.pods.hold(*rejection.pod, rejection.reason, rejection.what);
    rejection.pod->held_for_data = true;
  }
}

// Says nothing that the model knows, and nothing of a job of which it knows no part.
void Resync::miss_maps(const std::string& key) {
  const auto told = missing_maps_.find(key);
  if (told == missing_maps_.end()) return;
  const std::uint32_t maps = around_.jobs.missing_maps(key);
  if (std::exchange(told->second, maps) != maps)
    around_.model.events().emplace_back(MapsMissing{around_.model.index().whole_job(key), maps});
  if (!around_.jobs.is_there(key)) missing_maps_.erase(told);
}

void Resync::emit_nodes() {
  ModelIndex& index = around_.model.index();
  for (const std::string& name : around_.nodes.take_changed()) {
    const NodeId id = index.node(name);
    const NodeRecord* record = around_.nodes.find(name);
    if (!record && !id.valid()) continue;
    const std::optional<lips::Node> node =
        record && id.valid() ? index.node_now(*record, around_.model.events()) : std::nullopt;
    if (node && !index.store_moved(*record))
      around_.model.events().emplace_back(NodeChanged{id, *node});
    else
      around_.model.must_list();  // it appeared, went or moved
  }
}

void Resync::emit_heartbeats(TimePoint now) {
  if (!around_.model.listed() || !rules_.cadence) return;
  const Cadence cadence = rules_.cadence();
  if (cadence.trigger != Cadence::Trigger::heartbeats || now < next_beat_) return;
  next_beat_ = now + cadence.interval;
  for (const auto& [name, record] : around_.nodes.all())
    if (const NodeId id = around_.model.index().node(name); id.valid() && record.node && record.node->ready)
      around_.model.events().emplace_back(Heartbeat{id});
}

}  // namespace lips::kubernetes

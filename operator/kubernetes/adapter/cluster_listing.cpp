// From what was taken in to events of the model.
#include <set>
#include <string>
#include <utility>

#include "kubernetes/adapter/kubernetes_cluster.h"

namespace lips::kubernetes {
namespace {

constexpr Duration list_at_most_every{1'000'000};
constexpr Duration relearn_every{10'000'000};  // a listing because run times are known better
constexpr std::uint64_t many_over = 20'000;    // ended tasks, before they are forgotten by a listing

}  // namespace

// From what was taken in to events: a listing where events cannot say it.
void KubernetesCluster::settle() {
  if (std::exchange(volumes_changed_, false))
    for (PodRecord* pod : pods_.review_held()) arrive(*pod);
  const bool learned = pods_.run_times().moved() && now() - listed_at_ > relearn_every && conditions_->waiting() > 0;
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
  // What is still to be told of before names the ids of before, and comes first.
  arrived_.clear();
  nodes_.take_changed();
  pods_.run_times().settle();
  events_.emplace_back(index_.list(nodes_, pods_.kinds(), data_ ? data_->view() : DataView{}));
  task_pods_ = {};
  job_keys_ = {};
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
  say_unknown_prices();
  if (index_.left_out() > 0) log_.warning("leaving nodes out: too many zones", {{"nodes", index_.left_out()}});
}

void KubernetesCluster::say_unknown_prices() {
  std::set<std::string> before = std::exchange(unpriced_, {});
  std::string fresh;
  for (const auto& [name, type] : index_.unknown_prices()) {
    telemetry_.on_unknown_price(name, type, true);
    if (before.erase(name) == 0 && fresh.empty()) fresh = name;
    unpriced_.insert(name);
  }
  for (const std::string& name : before) telemetry_.on_unknown_price(name, "", false);
  if (!fresh.empty())
    log_.warning("nodes have no known price: using the default", {{"nodes", unpriced_.size()}, {"first", fresh}});
}

void KubernetesCluster::say_jobs(const std::vector<PodRecord*>& pods) {
  std::vector<PodRecord*> known;
  for (PodRecord* pod : pods)  // what is on a node that is not there takes no room of any other
    if (!pod->on_node() || index_.node(pod->node).valid()) known.push_back(pod);
  std::set<std::string> keys;
  for (const PodRecord* pod : known) keys.insert(job_key(*pod));
  for (const std::string& key : keys)  // whatever carries a memory, a finished map's Job too
    for (const PodRecord* pod : job_pods_.of(key)) {
      keep_memory_of(*pod);
      if (!memories_->something_found()) break;  // the first will do
    }
  std::vector<Rejection> rejected;
  const JobContext context{index_,
                           pods_.kinds(),
                           pods_.run_times(),
                           jobs_,
                           [this](const PodRecord& pod) { return pool_of(pod); },
                           [this](const std::string& key) { return known_job(key); },
                           settings_.default_run_time};
  for (GroupedJob& group : group_into_jobs(known, context, events_, rejected)) {
    group.job.memory = memory_of(group.key);
    job_keys_.push_back(group.key);
    events_.emplace_back(JobArrived{std::move(group.job), std::move(group.tasks), std::move(group.maps_before)});
    for (PodRecord* pod : group.pods) {
      pod->task = task_pods_.push_back(pod->meta);
      if (pod->on_node())
        events_.emplace_back(TaskFound{pod->task, index_.node(pod->node), pod->started.value_or(now()), pod->degraded});
    }
  }
  for (const Rejection& rejection : rejected) {
    pods_.hold(*rejection.pod, rejection.reason, rejection.what);
    rejection.pod->held_for_data = true;
  }
}

std::string KubernetesCluster::zone_of_node(const std::string& node) const {
  const NodeRecord* record = nodes_.find(node);
  return record && record->node ? place_of(*record->node).zone : "";
}

KnownJob KubernetesCluster::known_job(const std::string& key) {
  const auto zone_of = [this](const std::string& node) { return zone_of_node(node); };
  KnownJob known = job_pods_.known(key, {jobs_, zone_of, memories_->maps_of(key)});
  if (job_pods_.shuffles(key)) memories_->maps_ended(key, known.maps_in);
  return known;
}

// Without our custom resources nobody can make a pool: each namespace is one.
Result<std::string> KubernetesCluster::pool_of(const PodRecord& pod) const {
  const std::string& name_space = pod.meta.name_space;
  if (data_) return data_->pool_for(name_space, pod.work.pool);
  if (pod.work.pool.empty() || pod.work.pool == name_space) return name_space;
  return fail(ErrorCode::not_found, no_such_pool(pod.work.pool));
}

JobMemory KubernetesCluster::memory_of(const std::string& key) const {
  const StoredMemory stored = memories_->of(key);
  JobMemory memory = stored.memory;
  memory.home = index_.zone(stored.home);
  return memory;
}

void KubernetesCluster::say_nodes() {
  for (const std::string& name : nodes_.take_changed()) {
    const NodeId id = index_.node(name);
    const NodeRecord* record = nodes_.find(name);
    if (!record && !id.valid()) continue;
    const std::optional<lips::Node> node = record && id.valid() ? index_.node_now(*record) : std::nullopt;
    if (node && !index_.store_moved(*record))
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

}  // namespace lips::kubernetes

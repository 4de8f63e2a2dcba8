// From what was taken in to events of the model.
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
  events_.clear();
  arrived_.clear();
  nodes_.take_changed();
  pods_.run_times().settle();
  events_.emplace_back(index_.list(nodes_, pods_.kinds(), data_ ? data_->view() : DataView{}));
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
  say_unknown_prices();
  if (index_.left_out() > 0) log_.warning("nodes are left out: too many zones", {{"nodes", index_.left_out()}});
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
    log_.warning("nodes without a known price get the stated default", {{"nodes", unpriced_.size()}, {"first", fresh}});
}

void KubernetesCluster::say_jobs(const std::vector<PodRecord*>& pods) {
  std::vector<PodRecord*> known;
  for (PodRecord* pod : pods)  // what is on a node that is not there takes no room of any other
    if (!pod->on_node() || index_.node(pod->node).valid()) known.push_back(pod);
  std::vector<Rejection> rejected;
  const JobContext context{
      index_,
      pods_.kinds(),
      pods_.run_times(),
      jobs_,
      [this](const std::string& name_space) { return data_ ? data_->pool_of(name_space) : name_space; },
      [this](const PodRecord& reduce) { return map_nodes(reduce); },
      settings_.default_run_time};
  for (GroupedJob& group : group_into_jobs(known, context, events_, rejected)) {
    group.job.memory = memory_of(group.memory_key);
    memory_keys_.push_back(group.memory_key);
    const PodRecord& first = *group.pods.front();
    const bool of_job = first.owner && first.owner->kind == "Job";
    memories_->keep_at(
        group.memory_key, of_job,
        of_job ? ObjectMeta{first.meta.name_space, first.owner->name, first.owner->uid, ""} : first.meta);
    events_.emplace_back(JobArrived{std::move(group.job), std::move(group.tasks)});
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

std::vector<std::string> KubernetesCluster::map_nodes(const PodRecord& reduce) const {
  std::vector<std::string> nodes;
  const std::string key = memory_key(reduce);
  for (const auto& [name, pod] : pods_.ours())
    if (!pod->node.empty() && pod->work.stage == TaskKind::map && memory_key(*pod) == key) nodes.push_back(pod->node);
  return nodes;
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

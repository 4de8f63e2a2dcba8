// The part of KubernetesCluster that carries out a plan: bindings with their inputs, requests for nodes, moves,
// memories.
#include <fmt/format.h>

#include <utility>

#include "kubernetes/adapter/job_tables.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "kubernetes/adapter/nominations.h"
#include "kubernetes/adapter/task_reading.h"
#include "kubernetes/data/task_input.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

constexpr std::uint32_t most_blocks = 50'000;  // of a task: each is looked up when the task starts

bool reads_too_many(const PodRecord& record) {
  return !record.reads.empty() && !shares_reading(record) && record.reads.front().count > most_blocks;
}

std::string words_of_too_long(const PodRecord& record) {
  return fmt::format(
      "{} would have over {} bytes, or more than {} blocks: it is for {} blocks. What helps: more tasks, of fewer "
      "blocks each ({}, or the Job's completions), or larger files or blocks",
      annotation::input, longest_input, most_blocks, record.reads.front().count, annotation::tasks);
}

}  // namespace

// A node may have been tainted, cordoned or filled since the last resync; the next one tells the model.
Result<void> KubernetesCluster::ask_filters(const PodRecord& record, const std::string& node_name) {
  const NodeRecord* node = nodes_.find(node_name);
  if (!node || !node->node) return fail(ErrorCode::not_found, "the node no longer exists");
  std::string why = why_rejected(pods_.classes()[record.pod_class], *node->node, node->taken());
  if (why.empty()) return {};
  model_.must_list();
  return fail(ErrorCode::conflict, std::move(why));
}

Result<PreparedBinding> KubernetesCluster::prepare(const Assignment& assignment) {
  PodRecord* record = pods_.find(model_.pod_of(assignment.task));
  if (!record || record->state != PodState::waiting) {
    model_.events().emplace_back(TaskWithdrawn{assignment.task});
    return fail(ErrorCode::gone, "the pod is no longer waiting");
  }
  if (Result<void> allowed = ask_filters(*record, model_.index().node_name(assignment.node)); !allowed)
    return tl::unexpected(std::move(allowed.error()));
  if (Result<void> there = ask_for_volumes(*record, model_.index().node_name(assignment.node)); !there)
    return tl::unexpected(std::move(there.error()));
  Result<std::string> input = input_for(*record, assignment);
  if (!input) return tl::unexpected(std::move(input.error()));
  return PreparedBinding{assignment, *std::move(input)};
}

// The needs of a pod with one claim follow what is left; of several, each alone may find a volume that another takes.
Result<void> KubernetesCluster::ask_for_volumes(PodRecord& record, const std::string& node_name) {
  if (record.steered) return {};
  const Result<void> there = volume_binding_->ask(record, node_name);
  if (there) return {};
  if (there.error().code == ErrorCode::not_found && record.claims.size() > 1)
    lifecycle_->refuse_volumes(record, node_name, there.error().message, now());
  return fail(ErrorCode::conflict, there.error().message);
}

// A pod that cannot be told where to read waits.
Result<std::string> KubernetesCluster::input_for(PodRecord& record, const Assignment& assignment) {
  const Result<void> divided = divisions_->fix(record, contents_lookup(data_.get(), model_.index()));
  const auto refuse = [&]() -> Result<std::string> {
    std::string why = words_of_too_long(record);
    lifecycle_->refuse_input(record, why, now());
    return fail(ErrorCode::invalid_input, std::move(why));
  };
  if (divided && reads_too_many(record)) return refuse();
  Result<std::string> input = tl::unexpected(divided ? Error{} : divided.error());
  if (divided)
    input = input_text({model_.index(), data_.get(), settings_.data.mover.work.name_space}, record, assignment);
  if (!input) {
    lifecycle_->wait_for_input(record, input.error().message, now());
    return input;
  }
  return input->size() <= longest_input ? input : refuse();
}

void KubernetesCluster::bind(const PreparedBinding& binding) {
  const Assignment& assignment = binding.assignment;
  PodRecord* record = pods_.find(model_.pod_of(assignment.task));
  record->read_from = assignment.read_from.valid() ? model_.index().store_name(assignment.read_from) : "";
  record->degraded = !assignment.sources.empty();
  record->input = binding.input;
  const NodeRecord* node = nodes_.find(model_.index().node_name(assignment.node));
  if (record->steered && node) record->selector = zone_selector(node->node->labels);
  lifecycle_->bind(*record, model_.index().node_name(assignment.node), now());
  // If the plan says so, blocks that are read remotely stay in the zone of the reader.
  if (data_ && data_->complete() && assignment.keep_in.valid() && assignment.read_from.valid())
    data_->keep_copy(*record, model_.index().store_name(assignment.keep_in));
}

void KubernetesCluster::request_nodes(const std::optional<std::vector<NodeRequest>>& requests) {
  const bool selective = fleet_->selective(), asked = std::exchange(asks_for_nodes_, requests && !requests->empty());
  fleet_->request(requests, now());
  if (asked || asks_for_nodes_ || selective != fleet_->selective()) ++news_;
}

void KubernetesCluster::note_plan(const Plan& plan, const ClusterSnapshot& cluster) {
  const PlanWords::News news = plan_words_.take(plan, model_.listings(), model_.tasks());
  if (news.of_all) ++news_;
  for (const TaskId task : news.tasks) pods_.unplaced().wake(full_name(model_.pod_of(task)));
  nominate(places_of_leaving(plan), pods_, *binder_);
  if (settings_.keep_budget) lifecycle_->note_debts(cluster, settings_.keep_budget());
}

// The nodes of tasks that the plan sends to where others leave, by the name of the pod.
std::map<std::string, std::string> KubernetesCluster::places_of_leaving(const Plan& plan) const {
  std::map<std::string, std::string> places;
  if (!reclaims_->any()) return places;
  const std::set<std::string> nodes = reclaims_->nodes();
  for (const Assignment& assignment : plan.assignments)
    if (const std::string& node = model_.index().node_name(assignment.node); nodes.contains(node))
      places.emplace(full_name(model_.pod_of(assignment.task)), node);
  return places;
}

// Says where the pod is to go, and where it reads there. It stays if it cannot be told.
void KubernetesCluster::send_ahead(PodRecord& record, const OfferEntry& offer) {
  Assignment assignment;
  if (!record.reads.empty() && data_) {
    const BlockRun& first = record.reads.front();
    assignment.read_from =
        model_.index().nearest(data_->holders(first.data_set, first.first), model_.index().zone(offer.zone));
    if (!assignment.read_from.valid()) return;
  }
  Result<std::string> input = input_for(record, assignment);
  if (!input) return;
  record.input = *std::move(input);
  record.read_from = assignment.read_from.valid() ? model_.index().store_name(assignment.read_from) : "";
  record.degraded = false;
  record.selector = place_selector(offer.zone, offer.capacity_type);
  lifecycle_->send_ahead(record, now());
}

void KubernetesCluster::start_move(MoveId id, const DataMove& move) {
  if (data_ && data_->complete())
    data_->start(id, move, model_.index());
  else
    model_.events().emplace_back(MoveEnded{id, false});
}

void KubernetesCluster::drop(const ReplicaDrop& drop) {
  if (data_ && data_->complete()) data_->drop(drop, model_.index(), model_.events());
}

// A pod without a controller would not come back. One whose binding is on its way may not run at all, although a
// listing counts it as running: the server would delete it while it waits.
void KubernetesCluster::reclaim(const Reclaim& reclaim) {
  const ObjectMeta& pod = model_.pod_of(reclaim.task);
  const std::string name = pod.name_space + "/" + pod.name;
  const PodRecord* record = pods_.find(pod);
  if (!record || !record->owner || record->state != PodState::placed) {
    const bool waits = record && record->owner;
    log_.warning("a pod is not taken back",
                 {{"pod", name}, {"why", waits ? "its binding is under way" : "nobody would create it anew"}});
    model_.events().emplace_back(TaskStays{reclaim.task, now() + reclaim_again});
    return;
  }
  log_.info("a pod is taken back for one that waits",
            {{"pod", name}, {"usd", fmt::format("{:.4f}", reclaim.lost.value())}});
  reclaims_->evict(pod, {reclaim.task, model_.listings(), model_.index().pool_name(reclaim.pool), record->node});
}

void KubernetesCluster::remember_shares(const ShareMemory& shares) { shares_->remember(model_.index().stored(shares)); }

void KubernetesCluster::remember_targets(const std::vector<TargetDebt>& debts) { shares_->remember(debts); }

void KubernetesCluster::remember(const Remembered& remembered) {
  const ZoneId home = remembered.memory.home;
  memories_->remember(resync_->job_key(remembered.job), remembered.memory,
                      home.valid() ? model_.index().zone_name(home) : "");
}

}  // namespace lips::kubernetes

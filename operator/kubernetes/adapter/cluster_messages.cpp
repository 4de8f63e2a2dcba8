// The part of KubernetesCluster that takes in what informers report and what became of bindings.
#include <utility>

#include "kubernetes/adapter/kubernetes_cluster.h"

namespace lips::kubernetes {

void KubernetesCluster::handle(Node& node) {
  if (watched_) watched_->update(node);
  if (const std::string wrong = wrong_notes_.fresh(node); !wrong.empty()) {
    telemetry_.on_rejected("nodes", "annotation");
    log_.warning("ignoring what is written on a node", {{"node", node.meta.name}, {"why", wrong}});
  }
  nodes_.update(std::move(node));
}

void KubernetesCluster::handle(Pod& pod) {
  if (fleet_->found(pod)) return;
  if (!pod.group.empty()) pod_group_api_->needed(now());
  if (selects_namespaces(pod)) informers_->watch(WatchedKind::namespaces);
  if (watched_) watched_->update(pod, now());
  memories_->found({false, pod.meta}, pod.annotations);
  traffic_->found(pod, now());
  if (pods_.has_left(pod)) lifecycle_->handle_left(pod.meta, now());
  const PodCache::Update update = pods_.update(pod, now());
  if (update.record) jobs_->update(*update.record);
  if (pod.deleting || has_ended(pod.phase)) jobs_->creator_ended(pod.meta.uid);
  if (update.record) sizes_->found(*update.record);
  if (update.record) divisions_->found(*update.record, pod.annotations);
  lifecycle_->handle(update, now());
}

void KubernetesCluster::handle(BatchJob& job) {
  memories_->found({true, job.meta}, job.annotations);
  divisions_->found(job);
  const std::optional<std::int32_t> tasks = job.spec.completions;
  const std::string uid = job.meta.uid;
  const auto known = jobs_->all().find(uid);
  const bool same = known != jobs_->all().end() && known->second.spec.completions == tasks;
  if (const auto note = same ? std::nullopt : divisions_->why_divided_otherwise(job))
    events_recorder_->record(*note, now());
  jobs_->update(std::move(job));
  if (!same && jobs_->has_waiting_reader(uid)) model_.must_list();
}

void KubernetesCluster::dependencies_changed() {
  if (watched_) watched_->dependencies_changed();
}

void KubernetesCluster::limit_volumes(const std::string& node, const ResourceAmounts& limits) {
  nodes_.limit_volumes(node, limits);
  if (watched_) watched_->limit_volumes(node, limits);
}

void KubernetesCluster::handle(PodGroup& group) {
  groups_.update(std::move(group));
  dependencies_changed();
}

void KubernetesCluster::handle(Namespace& changed) {
  if (watched_) watched_->update(changed);
  pods_.update(changed);
}

void KubernetesCluster::handle(CsiNode& node) { limit_volumes(node.meta.name, volume_limits(node)); }

void KubernetesCluster::handle(const Gone& gone) {
  switch (gone.kind) {
    case WatchedKind::nodes:
      if (watched_) watched_->forget_node(gone.meta.name);
      wrong_notes_.forget(gone.meta.name);
      return nodes_.forget(gone.meta.name);
    case WatchedKind::jobs:
      return jobs_->forget_job(gone.meta.uid);
    case WatchedKind::cron_jobs:
      return jobs_->forget_cron_job(gone.meta.uid);
    case WatchedKind::job_sets:
    case WatchedKind::argo_workflows:
      return jobs_->forget_workflow(gone.meta.uid);
    case WatchedKind::claims:
      dependencies_changed();
      return volumes_.forget_claim(gone.meta);
    case WatchedKind::volumes:
      dependencies_changed();
      return volumes_.forget_volume(gone.meta);
    case WatchedKind::storage_classes:
      dependencies_changed();
      return volumes_.forget_class(gone.meta);
    case WatchedKind::csi_drivers:
      dependencies_changed();
      return volumes_.forget_driver(gone.meta);
    case WatchedKind::storage_rooms:
      dependencies_changed();
      return volumes_.forget_room(gone.meta);
    case WatchedKind::pod_groups:
      dependencies_changed();
      return groups_.forget(gone.meta);
    case WatchedKind::resource_quotas:
      return quotas_.forget(gone.meta);
    case WatchedKind::namespaces:
      if (watched_) watched_->forget_namespace(gone.meta.name);
      return pods_.forget_namespace(gone.meta.name);
    case WatchedKind::csi_nodes:
      return limit_volumes(gone.meta.name, {});
    case WatchedKind::pods:
      fleet_->gone(gone.meta);
      traffic_->gone(gone.meta, now());
      if (watched_) watched_->forget(gone.meta, now());
      lifecycle_->handle_deleted(gone.meta, now());
      return jobs_->creator_ended(gone.meta.uid);
  }
}

void KubernetesCluster::handle(const Listed& listed) {
  const bool everything = readiness_.handle(listed);
  if (listed.kind == WatchedKind::pods) {
    pods_.listed();
    lifecycle_->handle_list(listed.request);
  }
  if (listed.kind == WatchedKind::pod_groups) groups_.set_trouble("");
  if (listed.kind == WatchedKind::resource_quotas) settle_quotas();
  if (!everything) return;
  log_.info("full resync", {{"nodes", nodes_.all().size()}, {"pods", pods_.ours().size()}});
}

void KubernetesCluster::handle(const WentBack& news) {
  if (news.kind == WatchedKind::pods) pods_.store_went_back();
}

void KubernetesCluster::handle(const BindReport& report) {
  lifecycle_->handle(report, informers_->last_request(), now());
}

void KubernetesCluster::handle(const NotListed& failed) {
  if (failed.kind == WatchedKind::pod_groups) groups_.set_trouble(failed.why);
  if (failed.kind == WatchedKind::resource_quotas) settle_quotas();
}

void KubernetesCluster::settle_quotas() {
  if (jobs_->grants().awaits_quotas()) model_.must_list();
  quotas_.settle();
}

void KubernetesCluster::handle(const NotUnderstood& refused) {
  if (refused.kind == WatchedKind::pod_groups) groups_.update({refused.meta, std::nullopt, {refused.why}});
  jobs_->forget_workflow(refused.meta.uid);
  telemetry_.on_rejected(resource_name(refused.kind), "malformed");
  log_.warning("cannot decode an object", {{"why", refused.why}});
}

}  // namespace lips::kubernetes

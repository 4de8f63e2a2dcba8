#include "kubernetes/data/work_index.h"

#include <algorithm>

#include "kubernetes/data/move_jobs.h"

namespace lips::kubernetes {
namespace {

std::string label(const TextMap& labels, const char* key) {
  const std::string* found = find_text(labels, key);
  return found ? *found : std::string();
}

}  // namespace

WorkIndex::WorkIndex(const DataCatalog& catalog) {
  for (const auto& [name, job] : catalog.jobs()) {
    const std::string uid = label(job.labels, move_label);
    if (!uid.empty()) by_move_[uid].jobs.push_back(&job);
  }
  for (const auto& [name, pod] : catalog.pods()) {
    const std::string uid = label(pod.labels, move_label);
    if (!uid.empty()) by_move_[uid].pods.push_back(&pod);
  }
}

const WorkOfMove& WorkIndex::of(const std::string& move_uid) const {
  static const WorkOfMove none;
  const auto place = by_move_.find(move_uid);
  return place == by_move_.end() ? none : place->second;
}

WorkState WorkIndex::state(const WorkOfMove& work, const std::string& name, std::string& why) const {
  bool pod_at_work = false;
  std::string message;
  for (const WorkPod* pod : work.pods) {
    if (pod->job != name) continue;
    pod_at_work = pod_at_work || !has_ended(pod->phase);
    if (!pod->message.empty()) message = pod->message;
  }
  for (const WorkJob* job : work.jobs) {
    if (job->meta.name != name) continue;
    if (job->deleting) return WorkState::ending;
    if (job->state == WorkJob::State::succeeded) return WorkState::succeeded;
    if (job->state == WorkJob::State::running) return WorkState::running;
    why = message.empty() ? job->why : message;
    return WorkState::failed;
  }
  return pod_at_work ? WorkState::ending : WorkState::absent;
}

void WorkIndex::fill(const DataMoveResource& move, MoveView& view) const {
  const WorkOfMove& work = of(move.meta.object.uid);
  const std::string copy = copy_job_name(move, move.status.attempt);
  view.copy = state(work, copy, view.why);
  const bool clean = move.status.phase == MovePhase::failed;
  view.drop = state(work, delete_job_name(move, clean, move.status.drop_attempt), view.why);
  for (const WorkPod* pod : work.pods) {
    if (pod->role == WorkRole::copy || pod->role == WorkRole::source) view.copies_left = true;
    if (pod->job == copy && pod->prepared && pod->phase == PodPhase::running) view.verifying = true;
    if (pod->job == copy && pod->phase == PodPhase::pending && !pod->prepared) view.waiting = pod->message;
    if (pod->role != WorkRole::source) continue;
    view.source_message = pod->message;
    view.source = pod->deleting           ? WorkState::ending
                  : has_ended(pod->phase) ? WorkState::failed
                  : pod->ready            ? WorkState::running
                                          : WorkState::starting;
  }
  for (const WorkJob* job : work.jobs)
    if (job->role == WorkRole::copy) view.copies_left = true;
}

std::vector<std::string> paths_of(const WorkOfMove& work, const std::vector<WorkRole>& roles) {
  std::vector<std::string> paths;
  const auto has_role = [&](const auto& object) {
    return object.role && std::find(roles.begin(), roles.end(), *object.role) != roles.end();
  };
  for (const WorkJob* job : work.jobs)
    if (has_role(*job) && !job->deleting)
      paths.push_back(jobs_path(job->meta.name_space) + '/' + percent_encoded(job->meta.name));
  for (const WorkPod* pod : work.pods)
    if (has_role(*pod) && !pod->deleting)
      paths.push_back(pods_path_of(pod->meta.name_space) + '/' + percent_encoded(pod->meta.name));
  return paths;
}

}  // namespace lips::kubernetes

#include "kubernetes/adapter/declared_maps.h"

#include <algorithm>
#include <limits>

#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/pods/pod_annotations.h"

namespace lips::kubernetes {
namespace {

// A pod as the Job makes it, as far as it is annotated.
Pod pod_of(const BatchJob& job) {
  Pod pod;
  pod.meta.name_space = job.meta.name_space;
  pod.annotations = job.spec.pod_notes.annotations;
  pod.labels = job.spec.pod_notes.labels;
  return pod;
}

}  // namespace

void DeclaredMaps::update(const BatchJob& job) {
  forget(job.meta.uid);
  const bool goes_on = !job.ended && !job.deleting;
  if (!goes_on || !job.spec.completions) return;
  const Result<PodAnnotations> work = read_pod_annotations(pod_of(job));
  if (!work || work->job.empty() || work->stage != TaskKind::map) return;
  const std::string key = shared_job_key(job.meta.name_space, work->job);
  const auto maps = static_cast<std::uint64_t>(std::max(0, *job.spec.completions));
  if (maps == 0) return;
  parts_[job.meta.uid] = {key, maps};
  sums_[key] += maps;
  changed_.insert(key);
}

void DeclaredMaps::forget(const std::string& uid) {
  const auto known = parts_.extract(uid);
  if (known.empty()) return;
  const auto& [key, maps] = known.mapped();
  const auto sum = sums_.find(key);
  if ((sum->second -= maps) == 0) sums_.erase(sum);
  changed_.insert(key);
}

std::uint32_t DeclaredMaps::of(const std::string& key) const {
  const auto sum = sums_.find(key);
  if (sum == sums_.end()) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum->second, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace lips::kubernetes

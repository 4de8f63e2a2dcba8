// Reviews of many pods at once, after something that they depend on has changed.
#include <algorithm>
#include <utility>

#include "kubernetes/pods/pod_cache.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t spare_classes = 256;  // of gone pods: not worth collecting

}  // namespace

void PodCache::review_run_times(TimePoint now, Duration assumed) {
  std::map<std::string, std::vector<RunTime>> running;
  for (const auto& [key, record] : placed_)
    if (record->started && now > *record->started)
      running[template_of(record->meta.name_space, record->owner, record->meta.name)].push_back(
          {seconds(to_seconds(now - *record->started) * type_speeds_.of(type_under(*record))), record->declared});
  run_times_.review(running, assumed);
}

bool PodCache::forget_unused_classes() {
  if (classes_.size() <= 2 * ours_.size() + spare_classes) return false;
  PodClasses used = classes_.successor();
  for (const auto& [name, record] : ours_)
    if (record->pod_class.valid()) record->pod_class = used.intern(classes_[record->pod_class]);
  classes_ = std::move(used);
  for (const auto& [name, record] : unplaced_.all()) unplaced_.note(name, *record);
  return true;
}

std::vector<PodRecord*> PodCache::review_anti_affinity() {
  std::vector<PodRecord*> moved;
  if (anti_affinity_.counted_for() > 2 * unplaced_.all().size() + spare_classes) anti_affinity_.forget_counts();
  const AntiAffinity::Changes changed = anti_affinity_.take_changed();
  if (changed.empty()) return moved;
  for (const auto& [name, place] : unplaced_.all()) {
    PodRecord& record = *place;
    if (record.state != PodState::waiting && record.state != PodState::held) continue;
    if (!anti_affinity_.may_concern(changed, record.meta.name_space, record.labels)) continue;
    std::vector<LabelRequirement> excluded = excluded_for(record);
    if (excluded == classes_[record.pod_class].excluded) continue;
    PodNeeds needs = classes_[record.pod_class];
    needs.excluded = std::move(excluded);
    set_class(record, needs);
    if (record.state == PodState::waiting) moved.push_back(&record);
  }
  return moved;
}

std::optional<std::int32_t> PodCache::least_waiting_priority() const {
  std::optional<std::int32_t> least;
  for (const auto& [pod_class, alike] : unplaced_.waiting())
    for (const auto& [name, record] : alike) least = std::min(least.value_or(record->priority), record->priority);
  return least;
}

std::vector<PodCache::Update> PodCache::review_dependencies() {
  count_volumes_again();
  services_.review_claims(claims_);
  review_groups();
  std::vector<Update> updates;
  for (auto place = depends_on_others_.begin(); place != depends_on_others_.end();) {
    const auto& [key, known] = *place++;  // review() may remove it
    PodRecord* record = find(known.meta);
    if (!record || (record->state != PodState::held && record->state != PodState::waiting)) continue;
    const Pod pod = known;
    if (const Change change = review(*record, pod); change != Change::none) updates.push_back({change, record, ""});
  }
  return updates;
}

}  // namespace lips::kubernetes

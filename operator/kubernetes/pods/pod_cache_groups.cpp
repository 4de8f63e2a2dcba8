// Pods that belong together: the workers of a driver, and the members of a PodGroup.
#include <utility>

#include "kubernetes/pods/pod_cache.h"

namespace lips::kubernetes {
namespace {

// True: it says something else than before.
bool follow(const PodGroup& group, PodAnnotations& own) {
  const std::int32_t before = std::exchange(own.gang, group.gang.value_or(0));
  own.peers |= own.gang > 0;
  return own.gang != before;
}

}  // namespace

// A framework's marks say who belongs to its application, a PodGroup who starts with whom.
void PodCache::join_group(PodRecord& record) {
  PodAnnotations& own = record.own;
  if (own.group.empty()) return;
  if (!own.in_application && own.job.empty()) own.job = own.group;
  own.in_application = true;
  const PodGroup* group = groups_.find(record.meta.name_space, own.group);
  if (!group) return add_cause(record, UnschedulableReason::group_not_ready, groups_.why_missing(own.group));
  for (const std::string& field : group->not_understood)
    add_cause(record, UnschedulableReason::not_honoured,
              "PodGroup '" + own.group + "': this scheduler does not honour " + field + " yet");
  follow(*group, own);
  if (own.gang > 0 && own.stage == TaskKind::reduce)
    add_cause(record, UnschedulableReason::bad_annotation,
              std::string(annotation::stage) + ": found 'reduce'; allowed: none, as all pods of PodGroup '" +
                  own.group + "' start together");
}

void PodCache::add_size(PodRecord& record) {
  if (!record.size) return;
  if (!record.own.tasks) record.own.tasks = record.size->count;
  record.own.each = record.size->each;
}

void PodCache::set_size(PodRecord& driver, const SparkExecutors& size) {
  driver.size = size;
  add_size(driver);
  join_application(driver);
  rejoined_.insert(full_name(driver.meta));
}

// A driver may become known after its workers.
void PodCache::join_application(PodRecord& record) {
  record.work = record.own;
  if (!record.own.in_application) return;
  const auto application = [](const PodRecord& pod) { return pod.meta.name_space + '/' + pod.own.job; };
  const std::string key = application(record);
  if (!record.own.driver) {
    if (const auto driver = drivers_.find(key); driver != drivers_.end())
      record.work = with_defaults_of(record.own, driver->second.says);
    return;
  }
  PodAnnotations says = record.own;  // the day on which it is due is that of the driver, whenever its workers come
  says.complete_by = due_of(says, record.created, record.created).complete_by;
  says.complete_by_time_of_day.reset();
  Driver& driver = drivers_[key];
  if (driver.uid == record.meta.uid && driver.says == says) return;
  driver = {record.meta.uid, std::move(says)};
  for (const auto& [name, place] : ours_) {
    PodRecord& other = *place;
    if (!other.own.in_application || other.own.driver || application(other) != key) continue;
    PodAnnotations now = with_defaults_of(other.own, driver.says);
    if (now == other.work) continue;
    other.work = std::move(now);
    rejoined_.insert(name);
  }
}

std::vector<PodRecord*> PodCache::review_applications() {
  std::vector<PodRecord*> changed;
  for (const std::string& name : std::exchange(rejoined_, {}))
    if (const auto place = ours_.find(name); place != ours_.end() && place->second->state == PodState::waiting)
      changed.push_back(place->second.get());
  return changed;
}

// A PodGroup may become known after its pods, or be made anew.
void PodCache::review_groups() {
  if (!groups_changed()) return;
  groups_seen_ = groups_.version();
  for (const auto& [name, place] : ours_) {
    PodRecord& record = *place;
    if (record.own.group.empty() || depends_on_others_.contains(name)) continue;
    const PodGroup* group = groups_.find(record.meta.name_space, record.own.group);
    if (!group || !follow(*group, record.own)) continue;
    join_application(record);
    rejoined_.insert(name);
    regrouped_ |= record.on_node();
  }
}

}  // namespace lips::kubernetes

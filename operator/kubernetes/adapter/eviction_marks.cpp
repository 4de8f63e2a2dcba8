#include "kubernetes/adapter/eviction_marks.h"

#include <optional>

namespace lips::kubernetes {
namespace {

constexpr int most_marked = 200;  // per review

}  // namespace

void EvictionMarks::note_debts(const ClusterSnapshot& cluster, Duration budget, const ModelFeed& model) {
  owing_.look(cluster, budget);
  to_end_.clear();
  for (const TaskId task : marks_to_end(cluster, owing_)) to_end_.insert(full_name(model.pod_of(task)));
}

void EvictionMarks::review(const PodCache& pods, const EvictionContext& context, Binder& binder, ModelFeed& model,
                           TimePoint now) {
  if (!review_.due(now)) return;
  tell(pods, model);
  int changed = 0;
  for (const auto& [key, record] : pods.placed()) {
    const std::optional<Duration> ran = record->ran(now);
    if (record->kept_for && ran && (*ran >= *record->kept_for || to_end_.contains(full_name(record->meta))))
      binder.let_evict(record->meta);
    else if (!owes(record->pool) && is_kept_by_now(*record, context, now))
      binder.keep(record->meta, kept_for(*record, context));
    else
      continue;
    if (++changed == most_marked) return;
  }
}

void EvictionMarks::tell(const PodCache& pods, ModelFeed& model) {
  if (!model.listed()) return;
  std::vector<std::pair<TaskId, TimePoint>> marked;
  for (const auto& [key, record] : pods.placed())
    if (record->kept_for && record->started && record->task.valid())
      marked.emplace_back(record->task, *record->started + *record->kept_for);
  const std::uint64_t listing = model.listings();
  if (marked == told_ && (marked.empty() || listing == told_of_)) return;
  told_ = std::move(marked), told_of_ = listing;
  model.events().emplace_back(TasksMarked{told_});
}

}  // namespace lips::kubernetes

#include "kubernetes/adapter/data_divisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kubernetes/adapter/job_pods.h"

namespace lips::kubernetes {
namespace {

constexpr int writes_a_flush = 10;

bool of_batch_job(const PodRecord& pod) { return pod.owner && pod.owner->is_batch_job(); }

// The number of a pod counts among those that its Job makes, else among those of its job.
std::string job_of(const PodRecord& pod) {
  return of_batch_job(pod) ? std::string(owned_job) + pod.owner->uid : job_key(pod);
}

std::string name_of_job(const PodRecord& pod) { return of_batch_job(pod) ? pod.owner->uid : job_key(pod); }

// The namespace comes first: a pod speaks for no other, whatever owner it names.
std::string key_of(const std::string& name_space, const std::string& job, const std::string& data_set,
                   std::int32_t tasks) {
  return fmt::format("{}\n{}\n{}\n{}", name_space, job, data_set, tasks);
}

std::string key_of(const PodRecord& pod) {
  const std::int32_t tasks = of_batch_job(pod) ? 0 : pod.work.tasks.value_or(0);
  return key_of(pod.meta.name_space, job_of(pod), pod.work.data_set, tasks);
}

bool has_begun(const PodRecord& pod) {
  return pod.state == PodState::placed || pod.state == PodState::ungated || pod.state == PodState::terminated;
}

}  // namespace

std::string division_text_of(const PodRecord& pod) {
  return pod.division ? division_text({name_of_job(pod), pod.work.data_set, *pod.division}) : "";
}

void DataDivisions::found(const std::string& key, const std::string& job, const SaidDivision& said) {
  const auto [entry, added] = entries_.try_emplace(key, Entry{said.division, job, true});
  if (added || entry->second.seen) return;
  entry->second = {said.division, job, true};
}

void DataDivisions::found(const PodRecord& pod, const TextMap& annotations) {
  const std::string* text = has_begun(pod) ? find_text(annotations, annotation::division) : nullptr;
  if (!text) return;
  const std::optional<SaidDivision> said = read_division(*text);
  if (said && said->job == name_of_job(pod) && said->data_set == pod.work.data_set)
    found(key_of(pod), job_of(pod), *said);
}

void DataDivisions::found(const BatchJob& job) {
  const std::string* text = find_text(job.annotations, annotation::division);
  const std::optional<SaidDivision> said = text ? read_division(*text) : std::nullopt;
  if (!said || said->job != job.meta.uid) return;
  written_.insert(job.meta.uid);
  const std::string owner = std::string(owned_job) + job.meta.uid;
  found(key_of(job.meta.name_space, owner, said->data_set, 0), owner, *said);
}

const DataDivision* DataDivisions::of(const PodRecord& pod) const {
  const auto entry = entries_.find(key_of(pod));
  return entry == entries_.end() ? nullptr : &entry->second.division;
}

Result<void> DataDivisions::fix(const PodRecord& pod, const ContentsOf& contents) {
  if (!pod.division || pod.reads.empty()) return {};
  const BlockRun all{pod.reads.front().data_set, pod.division->first, pod.division->blocks};
  if (contents(all) != pod.division->contents)
    return fail(ErrorCode::conflict, fmt::format("data set '{}' has just changed", all.data_set));
  const std::string key = key_of(pod);
  const auto [entry, added] = entries_.try_emplace(key, Entry{*pod.division, job_of(pod), false});
  if (added && of_batch_job(pod) && !written_.contains(pod.owner->uid))
    to_write_[key] = {{pod.meta.name_space, pod.owner->name, pod.owner->uid, ""}, division_text_of(pod)};
  if (entry->second.division == *pod.division) return {};
  return fail(ErrorCode::conflict, "its job has just been divided otherwise");
}

std::optional<EventNote> DataDivisions::why_divided_otherwise(const BatchJob& job) const {
  const std::string prefix = job.meta.name_space + "\nowner/" + job.meta.uid + '\n';
  const auto entry = entries_.lower_bound(prefix);
  if (entry == entries_.end() || !entry->first.starts_with(prefix)) return std::nullopt;
  if (!job.spec.completions || !job.makes_pods()) return std::nullopt;
  const std::uint32_t before = entry->second.division.tasks, now = static_cast<std::uint32_t>(*job.spec.completions);
  if (before == now) return std::nullopt;
  return EventNote{{"batch/v1", "Job", job.meta},
                   true,
                   std::string(to_string(UnschedulableReason::data_changed)),
                   "Scheduling",
                   fmt::format("its data were divided among {} tasks when it began, and it has {} now: {}", before, now,
                               now < before ? "nobody reads the parts of those that it has no more"
                                            : "nothing is left to read for those that are new")};
}

void DataDivisions::forget_unseen() {
  std::erase_if(entries_, [](const auto& entry) { return !entry.second.seen; });
  to_write_.clear();
}

void DataDivisions::keep_only(const std::function<bool(const std::string& job)>& is_there) {
  std::erase_if(entries_, [&](const auto& entry) { return !is_there(entry.second.job); });
  std::erase_if(to_write_, [&](const auto& entry) { return !entries_.contains(entry.first); });
  std::erase_if(written_, [&](const std::string& uid) { return !is_there(std::string(owned_job) + uid); });
}

void DataDivisions::flush() {
  for (int writes = 0; writes < writes_a_flush && !to_write_.empty(); ++writes) {
    const auto [job, text] = std::move(to_write_.extract(to_write_.begin()).mapped());
    const nlohmann::json annotations{{annotation::division, text}};
    ApiRequest request;
    request.verb = Verb::patch;
    request.path =
        fmt::format("/apis/batch/v1/namespaces/{}/jobs/{}", percent_encoded(job.name_space), percent_encoded(job.name));
    request.content_type = merge_patch;
    request.body = nlohmann::json{{"metadata", {{"uid", job.uid}, {"annotations", annotations}}}}.dump();
    request.repeatable = true;
    request.still_wanted = may_act_;
    // Refused writes are counted and logged in one place for all writers; its pods carry it too.
    client_.start(std::move(request), [](const Answer&) {});
  }
}

}  // namespace lips::kubernetes

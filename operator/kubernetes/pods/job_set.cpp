#include "kubernetes/pods/job_set.h"

#include <algorithm>
#include <utility>

#include "kubernetes/api/object_fields_json.h"
#include "kubernetes/pods/job_spec_json.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

constexpr std::int64_t most_jobs = 1'000'000'000;

std::int64_t job_count(value json) {
  return json.is_null() ? 0 : std::clamp<std::int64_t>(json.get_int64(), 0, most_jobs);
}

JobSet::Dependency job_set_dependency(value json) {
  JobSet::Dependency result;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") result.name = json::text(content);
    if (key == "status") result.ready = json::text(content) == "Ready";
  });
  return result;
}

JobSet::ReplicatedJob replicated_job(value json) {
  JobSet::ReplicatedJob result;
  JobSpec spec;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") result.name = json::text(content);
    if (key == "replicas" && !content.is_null()) result.replicas = static_cast<std::int32_t>(job_count(content));
    if (key == "dependsOn")
      json::each_item(content, [&](value each) { result.depends_on.push_back(job_set_dependency(each)); });
    if (key != "template") return;
    json::each_field(content, [&](std::string_view part, value inner) {
      if (part == "spec") json::read_job_spec(inner, spec);
    });
  });
  result.spec = std::make_shared<const JobSpec>(std::move(spec));
  return result;
}

void read_job_set_spec(value json, JobSet& set) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "suspend") set.suspended = !content.is_null() && content.get_bool();
    if (key == "replicatedJobs")
      json::each_item(content, [&](value each) { set.replicated_jobs.push_back(replicated_job(each)); });
    if (key != "startupPolicy") return;
    json::each_field(content, [&](std::string_view part, value inner) {
      if (part == "startupPolicyOrder") set.in_order = json::text(inner) == "InOrder";
    });
  });
}

void read_replicated_status(value json, JobSet& set) {
  std::string name;
  JobSet::Counts counts;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") name = json::text(content);
    std::int64_t* const count = key == "ready"       ? &counts.ready
                                : key == "succeeded" ? &counts.succeeded
                                : key == "failed"    ? &counts.failed
                                : key == "active"    ? &counts.active
                                : key == "suspended" ? &counts.suspended
                                                     : nullptr;
    if (count) *count = job_count(content);
  });
  set.status[name] = counts;
}

bool is_end_of_job_set(value condition) {
  bool end = false, yes = false;
  json::each_field(condition, [&](std::string_view key, value content) {
    if (key == "type") {
      const std::string_view type = json::text(content);
      end = type == "Completed" || type == "Failed";
    }
    if (key == "status") yes = json::text(content) == "True";
  });
  return end && yes;
}

void read_job_set_status(value json, JobSet& set) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "terminalState") set.ended |= !json::text(content).empty();
    if (key == "conditions") json::each_item(content, [&](value each) { set.ended |= is_end_of_job_set(each); });
    if (key == "replicatedJobsStatus") json::each_item(content, [&](value each) { read_replicated_status(each, set); });
  });
}

StepState state_of(const JobSet::Counts& jobs, std::int32_t replicas) {
  const std::int64_t ended = jobs.succeeded + jobs.failed;
  if (ended >= replicas) return StepState::ended;
  if (jobs.ready + ended >= replicas) return StepState::running;
  return jobs.ready + ended + jobs.active + jobs.suspended > 0 ? StepState::waiting : StepState::to_come;
}

}  // namespace

Workflow workflow_of(const JobSet& set) {
  Workflow result;
  result.meta = set.meta;
  result.kind = Workflow::Kind::job_set;
  result.suspended = set.suspended, result.deleting = set.deleting, result.ended = set.ended;
  if (!result.goes_on()) return result;
  if (set.replicated_jobs.size() > most_steps) {
    result.problem = "spec.replicatedJobs: found more than " + std::to_string(most_steps);
    return result;
  }
  std::map<std::string_view, StepIndex> named;
  for (const JobSet::ReplicatedJob& job : set.replicated_jobs) {
    Step step;
    step.name = set.meta.name + '-' + job.name + "-0";
    step.spec = job.spec;
    step.copies = job.replicas;
    const auto status = set.status.find(job.name);
    step.state = state_of(status == set.status.end() ? JobSet::Counts{} : status->second, job.replicas);
    named.emplace(job.name, result.steps.push_back(std::move(step)));
  }
  for (const StepIndex index : result.steps.ids()) {
    Step& step = result.steps[index];
    if (set.in_order && index.index() > 0) step.after.push_back({StepIndex(index.index() - 1), true});
    for (const JobSet::Dependency& on : set.replicated_jobs[index.index()].depends_on)
      if (const auto other = named.find(on.name); other != named.end()) step.after.push_back({other->second, on.ready});
  }
  return result;
}

template <>
struct ObjectFields<JobSet> {
  static constexpr std::string_view kind = "JobSet";
  static void read(std::string_view key, value content, JobSet& set) {
    TextMap annotations;
    if (key == "metadata") json::read_metadata(content, set.meta, annotations, &set.deleting);
    if (key == "spec") read_job_set_spec(content, set);
    if (key == "status") read_job_set_status(content, set);
  }
};
template class ObjectDecoder<JobSet>;

}  // namespace lips::kubernetes

#include "kubernetes/pods/job_codec.h"

#include <algorithm>
#include <chrono>

#include "kubernetes/api/object_fields_json.h"
#include "kubernetes/pods/job_spec_json.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

bool is_gate_of_others(value gate) {
  bool others = false;
  json::each_field(gate, [&](std::string_view key, value content) {
    if (key == "name") others = json::text(content) != zone_gate;
  });
  return others;
}

void read_pod_template(value json, JobSpec& spec) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "metadata") spec.pod_notes = json::pod_notes(content);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view field, value inner) {
      if (field == "schedulerName") spec.scheduler = json::text(inner);
      if (field == "schedulingGates")
        json::each_item(inner, [&](value each) { spec.gated |= is_gate_of_others(each); });
      if (field == "containers") json::each_item(inner, [&](value each) { spec.cpu += json::requested_cpu(each); });
    });
  });
}

// Conditions that hold from the moment on at which its controller makes no more pods.
bool is_end(std::string_view type) {
  return type == "Complete" || type == "SuccessCriteriaMet" || type == "Failed" || type == "FailureTarget";
}

// At most a century, so that no sum of it and a time overflows.
std::optional<Duration> some_seconds(value json) {
  if (json.is_null()) return std::nullopt;
  const std::int64_t count = json.get_int64();
  constexpr std::int64_t most = std::int64_t{100} * 366 * 86'400;
  return count >= 0 ? std::optional<Duration>(std::chrono::seconds(std::min(count, most))) : std::nullopt;
}

bool is_one_at_a_time(std::string_view concurrency_policy) {
  return concurrency_policy == "Forbid" || concurrency_policy == "Replace";
}

// Its uid, if it is a CronJob that controls the object.
std::string controlling_cron_job(value owner) {
  std::string kind, uid;
  bool controls = false;
  json::each_field(owner, [&](std::string_view key, value content) {
    if (key == "kind") kind = json::text(content);
    if (key == "uid") uid = json::text(content);
    if (key == "controller") controls = !content.is_null() && content.get_bool();
  });
  return controls && kind == "CronJob" ? uid : "";
}

void read_job_status(value json, BatchJob& job) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "startTime" && !content.is_null()) job.started = json::time(content, "status.startTime");
    if (key != "conditions") return;
    json::each_item(content, [&](value condition) {
      bool end = false, yes = false;
      json::each_field(condition, [&](std::string_view field, value inner) {
        if (field == "type") end = is_end(json::text(inner));
        if (field == "status") yes = json::text(inner) == "True";
      });
      job.ended |= end && yes;
    });
  });
}

}  // namespace

namespace json {

void read_metadata(value json, ObjectMeta& meta, TextMap& annotations, bool* deleting, TimePoint* created,
                   std::string* cron_job) {
  each_field(json, [&](std::string_view key, value content) {
    if (names_object(key, content, meta)) return;
    if (key == "annotations") annotations = text_map(content, "lips.dev/");
    if (key == "deletionTimestamp" && deleting) *deleting = !content.is_null();
    if (key == "creationTimestamp" && created) *created = json::time(content, "metadata.creationTimestamp");
    if (key == "ownerReferences" && cron_job)
      each_item(content, [&](value owner) {
        if (std::string uid = controlling_cron_job(owner); !uid.empty()) *cron_job = std::move(uid);
      });
  });
}

PodNotes pod_notes(value metadata) {
  PodNotes result;
  each_field(metadata, [&](std::string_view key, value content) {
    if (key == "annotations") result.annotations = text_map(content, "lips.dev/");
    if (key == "labels") result.labels = text_map(content, "lips.dev/");
  });
  return result;
}

std::int64_t requested_cpu(value container) {
  ResourceAmounts requests, limits;
  each_field(container, [&](std::string_view key, value content) {
    if (key != "resources") return;
    each_field(content, [&](std::string_view field, value of_it) {
      if (field == "requests") requests = amounts(of_it, "resources.requests");
      if (field == "limits") limits = amounts(of_it, "resources.limits");
    });
  });
  // The server fills in a pod that is made of the template in this way.
  const auto of_cpu = [](const auto& amount) { return amount.first == "cpu"; };
  const bool requested = std::any_of(requests.begin(), requests.end(), of_cpu);
  return amount_of(requested ? requests : limits, "cpu");
}

void read_job_spec(value json, JobSpec& spec) {
  const auto count = [](value content) -> std::optional<std::int32_t> {
    if (content.is_null()) return std::nullopt;
    return static_cast<std::int32_t>(std::int64_t(content.get_int64()));
  };
  each_field(json, [&](std::string_view key, value content) {
    if (key == "completions") spec.completions = count(content);
    if (key == "parallelism") spec.parallelism = count(content);
    if (key == "suspend") spec.suspended = !content.is_null() && content.get_bool();
    if (key == "activeDeadlineSeconds") spec.active_deadline = some_seconds(content);
    if (key == "template") read_pod_template(content, spec);
  });
}

}  // namespace json

template <>
struct ObjectFields<BatchJob> {
  static constexpr std::string_view kind = "job";
  static void read(std::string_view key, value content, BatchJob& job) {
    if (key == "metadata")
      json::read_metadata(content, job.meta, job.annotations, &job.deleting, nullptr, &job.cron_job);
    if (key == "spec") json::read_job_spec(content, job.spec);
    if (key == "status") read_job_status(content, job);
  }
};
template class ObjectDecoder<BatchJob>;

template <>
struct ObjectFields<CronJob> {
  static constexpr std::string_view kind = "cron job";
  static void read(std::string_view key, value content, CronJob& job) {
    TimePoint created{};
    if (key == "metadata") json::read_metadata(content, job.meta, job.annotations, nullptr, &created);
    if (key == "status")
      json::each_field(content, [&](std::string_view field, value inner) {
        if (field == "lastScheduleTime") created = json::time(inner, "status.lastScheduleTime");
      });
    job.last_start = std::max(job.last_start, created);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view field, value inner) {
      if (field == "schedule") job.schedule = json::text(inner);
      if (field == "timeZone") job.time_zone = json::text(inner);
      if (field == "suspend") job.suspended = !inner.is_null() && inner.get_bool();
      if (field == "concurrencyPolicy") job.one_at_a_time = is_one_at_a_time(json::text(inner));
      if (field == "startingDeadlineSeconds") job.starting_deadline = some_seconds(inner);
      if (field != "jobTemplate") return;
      json::each_field(inner, [&](std::string_view part, value spec) {
        if (part == "spec") json::read_job_spec(spec, job.job);
      });
    });
  }
};
template class ObjectDecoder<CronJob>;

}  // namespace lips::kubernetes

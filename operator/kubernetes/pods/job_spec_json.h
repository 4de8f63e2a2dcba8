// Reads what several kinds of objects have in common with a Job. Include it in .cpp files only: it throws failures, and
// the decoder catches them.
#pragma once

#include <simdjson.h>

#include <cstdint>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/job_spec.h"

namespace lips::kubernetes::json {

// `annotations`: those under lips.dev/. `cron_job`: the uid of the CronJob that controls the object.
void read_metadata(simdjson::ondemand::value json, ObjectMeta& meta, TextMap& annotations, bool* deleting = nullptr,
                   TimePoint* created = nullptr, std::string* cron_job = nullptr);
// metadata of a template of pods.
PodNotes pod_notes(simdjson::ondemand::value metadata);
// spec of a Job, or of a template of one.
void read_job_spec(simdjson::ondemand::value json, JobSpec& spec);
// In thousandths of a core.
std::int64_t requested_cpu(simdjson::ondemand::value container);

}  // namespace lips::kubernetes::json

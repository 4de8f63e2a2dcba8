#include "kubernetes/data/mover_objects.h"

#include <simdjson.h>

#include "kubernetes/data/object_reader.h"

namespace lips::kubernetes {
namespace {

using json::ObjectReader;
using simdjson::ondemand::value;

std::optional<WorkRole> role_of(const TextMap& labels) {
  const std::string* label = find_text(labels, role_label);
  for (const WorkRole role : enumerators<WorkRole>)
    if (label && *label == to_string(role)) return role;
  return std::nullopt;
}

template <class Object>
void read_meta(ObjectReader& reader, value json, Object& object) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "namespace") object.meta.name_space = reader.text(content);
    if (key == "name") object.meta.name = reader.text(content);
    if (key == "uid") object.meta.uid = reader.text(content);
    if (key == "resourceVersion") object.meta.resource_version = reader.text(content);
    if (key == "deletionTimestamp") object.deleting = !content.is_null();
    if (key == "labels") {
      object.labels = json::text_map(content, "lips.dev/");
      object.role = role_of(object.labels);
    }
    if constexpr (std::is_same_v<Object, WorkPod>)
      if (key == "ownerReferences")
        reader.items(content, [&](value owner) {
          std::string kind, name;
          reader.fields(owner, [&](std::string_view field, value text) {
            if (field == "kind") kind = reader.text(text);
            if (field == "name") name = reader.text(text);
          });
          if (kind == "Job") object.job = name;
        });
  });
}

void read_job_status(ObjectReader& reader, value json, WorkJob& job) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key != "conditions") return;
    std::vector<ObjectCondition> conditions;
    reader.conditions(content, conditions);
    for (const ObjectCondition& condition : conditions) {
      if (condition.status != ConditionStatus::yes) continue;
      if (condition.type == "Complete") job.state = WorkJob::State::succeeded;
      if (condition.type != "Failed") continue;
      job.state = WorkJob::State::failed;
      job.why = condition.reason + (condition.message.empty() ? "" : ": " + condition.message);
    }
  });
}

struct ContainerEnd {
  bool ended = false;
  std::int64_t exit_code = 0;
  std::string message;
};

ContainerEnd read_container(ObjectReader& reader, value json) {
  ContainerEnd end;
  reader.fields(json, [&](std::string_view key, value state) {
    if (key != "state") return;
    reader.fields(state, [&](std::string_view kind, value content) {
      std::string reason;
      reader.fields(content, [&](std::string_view name, value field) {
        if (name == "message") end.message = reader.text(field);
        if (name == "reason") reason = reader.text(field);
        if (name == "exitCode") end.exit_code = field.get_int64();
      });
      end.ended = kind == "terminated";
      const bool told =
          kind != "running" && reason != "PodInitializing" && reason != "ContainerCreating" && reason != "Completed";
      if (told && end.message.empty()) end.message = reason;
    });
  });
  return end;
}

void read_pod_status(ObjectReader& reader, value json, WorkPod& pod) {
  std::string pod_message, unschedulable;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "phase") {
      const std::string phase = reader.text(content);
      pod.phase = phase == "Running"     ? PodPhase::running
                  : phase == "Succeeded" ? PodPhase::succeeded
                  : phase == "Failed"    ? PodPhase::failed
                                         : PodPhase::pending;
    }
    if (key == "podIP") pod.address = reader.text(content);
    if (key == "message") pod_message = reader.text(content);
    if (key == "conditions") {
      std::vector<ObjectCondition> conditions;
      reader.conditions(content, conditions);
      if (const auto* ready = find_condition(conditions, "Ready")) pod.ready = ready->status == ConditionStatus::yes;
      if (const auto* scheduled = find_condition(conditions, "PodScheduled"))
        if (scheduled->status == ConditionStatus::no) unschedulable = scheduled->message;
    }
    if (key == "initContainerStatuses" || key == "containerStatuses") {
      bool all = true;
      reader.items(content, [&](value item) {
        const ContainerEnd end = read_container(reader, item);
        all = all && end.ended && end.exit_code == 0;
        if (!end.message.empty() && (pod.message.empty() || end.exit_code != 0)) pod.message = end.message;
      });
      if (key == "initContainerStatuses") pod.prepared = all;
    }
  });
  if (pod.message.empty()) pod.message = pod_message.empty() ? unschedulable : pod_message;
}

template <class Object, class Status>
Result<Object> decoded(std::string_view kind, std::string_view json, Status read_status) {
  Object object;
  ObjectReader reader;
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::invalid_input, std::string(kind) + ' ' + full_name(object.meta) + ": " + std::string(what));
  };
  try {
    json::PaddedText<simdjson::ondemand::parser> text;
    auto document = text.document(json, simdjson::SIMDJSON_PADDING);
    reader.fields(document, [&](std::string_view key, value content) {
      if (key == "metadata") read_meta(reader, content, object);
      if (key == "status") read_status(reader, content, object);
      if constexpr (std::is_same_v<Object, WorkPod>)
        if (key == "spec")
          reader.fields(content, [&](std::string_view name, value field) {
            if (name == "nodeName") object.node = reader.text(field);
          });
    });
    return object;
  } catch (const simdjson::simdjson_error& error) {
    return refuse(reader.place() + ": " + error.what());
  } catch (const json::Rejected& rejected) {
    return refuse(rejected.what);
  }
}

}  // namespace

Result<WorkJob> decode_work_job(std::string_view json) { return decoded<WorkJob>("Job", json, read_job_status); }
Result<WorkPod> decode_work_pod(std::string_view json) { return decoded<WorkPod>("Pod", json, read_pod_status); }

}  // namespace lips::kubernetes

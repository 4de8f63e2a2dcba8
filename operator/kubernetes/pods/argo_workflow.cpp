#include "kubernetes/pods/argo_workflow.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kubernetes/api/object_fields_json.h"
#include "kubernetes/pods/job_spec_json.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;
using Task = ArgoTemplate::Task;

constexpr std::int32_t most_copies = 1'000'000;
constexpr std::size_t longest_argo_name = 128;  // as Argo allows them; the names of nodes are made of several
constexpr std::size_t largest_notes = 4'096;    // of all pods: each template has them

bool is_filled_in(std::string_view text) { return text.find("{{") != std::string_view::npos; }

PodNotes known_notes(value metadata) {
  PodNotes result = json::pod_notes(metadata);
  for (TextMap* notes : {&result.annotations, &result.labels})
    std::erase_if(*notes, [](const auto& entry) { return is_filled_in(entry.second); });
  return result;
}

std::size_t size_of(const TextMap& notes) {
  std::size_t size = 0;
  for (const auto& [name, text] : notes) size += name.size() + text.size();
  return size;
}

std::string argo_name(value json) {
  const std::string_view name = json::text(json);
  if (name.size() > longest_argo_name)
    throw json::Rejected{"spec.templates: found a name of " + std::to_string(name.size()) +
                         " bytes; allowed: " + std::to_string(longest_argo_name)};
  return std::string(name);
}

// A number, or a text that may hold one.
std::int32_t number_of_copies(value json) {
  std::string_view text = json.raw_json_token();
  if (text.starts_with('"')) text = json.get_string();
  std::int32_t count = 1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = read.ec == std::errc() && text.find_last_not_of(" \t\r\n", std::string_view::npos) + 1 ==
                                                   static_cast<std::size_t>(read.ptr - text.data());
  return whole ? std::clamp(count, 0, most_copies) : 1;
}

void keep_each_once(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// "A && (B.Succeeded || C)": all that it mentions.
void read_depends(std::string_view expression, std::vector<std::string>& names) {
  constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  for (std::size_t at = expression.find_first_of(of_names); at != std::string_view::npos;) {
    const std::size_t end = std::min(expression.find_first_not_of(of_names, at), expression.size());
    if (at == 0 || expression[at - 1] != '.') names.emplace_back(expression.substr(at, end - at));
    at = expression.find_first_of(of_names, end);
  }
}

Task argo_task(value json) {
  Task task;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") task.name = argo_name(content);
    if (key == "template") task.of = json::text(content);
    if (key == "dependencies") json::each_item(content, [&](value each) { task.after.emplace_back(json::text(each)); });
    if (key == "depends") read_depends(json::text(content), task.after);
    if (key == "withItems" && !content.is_null()) {
      task.copies = 0;
      json::each_item(content, [&](value) { task.copies = std::min(task.copies + 1, most_copies); });
    }
    if (key != "withSequence") return;
    json::each_field(content, [&](std::string_view part, value inner) {
      if (part == "count" && !inner.is_null()) task.copies = number_of_copies(inner);
    });
  });
  keep_each_once(task.after);
  return task;
}

std::vector<Task> argo_tasks(value json) {
  std::vector<Task> tasks;
  json::each_item(json, [&](value each) { tasks.push_back(argo_task(each)); });
  return tasks;
}

void read_dag(value json, ArgoTemplate& of) {
  of.kind = ArgoTemplate::Kind::dag;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "tasks") of.tasks.push_back(argo_tasks(content));
  });
}

void read_suspend(value json, ArgoTemplate& of) {
  of.kind = ArgoTemplate::Kind::suspend;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "duration") of.ends_by_itself = !json::text(content).empty();
  });
}

ArgoTemplate argo_template(value json) {
  ArgoTemplate result;
  json::each_field(json, [&](std::string_view key, value content) {
    if (content.is_null()) return;
    if (key == "name") result.name = argo_name(content);
    if (key == "schedulerName") result.pod.scheduler = json::text(content);
    if (key == "metadata") result.pod.pod_notes = known_notes(content);
    if (key == "dag") read_dag(content, result);
    if (key == "suspend") read_suspend(content, result);
    if (key == "container" || key == "script") {
      result.kind = ArgoTemplate::Kind::pod;
      result.pod.cpu = json::requested_cpu(content);
    }
    if (key != "steps") return;
    result.kind = ArgoTemplate::Kind::steps;
    json::each_item(content, [&](value group) { result.tasks.push_back(argo_tasks(group)); });
  });
  return result;
}

void read_argo_spec(value json, ArgoSpec& spec) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "entrypoint") spec.entrypoint = json::text(content);
    if (key == "schedulerName") spec.scheduler = json::text(content);
    if (key == "suspend") spec.suspended = !content.is_null() && content.get_bool();
    if (key == "templates")
      json::each_item(content, [&](value each) { spec.templates.push_back(argo_template(each)); });
    if (key == "podMetadata") spec.pod_notes = known_notes(content);
  });
  const std::size_t size = size_of(spec.pod_notes.annotations) + size_of(spec.pod_notes.labels);
  if (size > largest_notes)
    throw json::Rejected{"spec.podMetadata: found " + std::to_string(size) +
                         " bytes of annotations and labels under lips.dev/; allowed: " + std::to_string(largest_notes)};
}

bool is_end_of_argo(std::string_view phase) { return phase == "Succeeded" || phase == "Failed" || phase == "Error"; }

StepState state_of_argo(std::string_view phase) {
  if (phase.empty() || phase == "Pending") return StepState::waiting;
  return is_end_of_argo(phase) || phase == "Skipped" || phase == "Omitted" ? StepState::ended : StepState::running;
}

ArgoNode argo_node(value json) {
  ArgoNode node;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") node.name = json::text(content);
    if (key == "phase") node.state = state_of_argo(json::text(content));
    if (key == "startedAt" && !content.is_null()) node.since = json::time(content, "status.nodes.startedAt");
  });
  return node;
}

void read_argo_status(value json, ArgoWorkflow& workflow) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "phase") workflow.ended = is_end_of_argo(json::text(content));
    if (key == "nodes")
      json::each_field(content, [&](std::string_view, value node) { workflow.nodes.push_back(argo_node(node)); });
    if (key == "compressedNodes" || key == "offloadNodeStatusVersion")
      workflow.nodes_elsewhere |= !json::text(content).empty();
    if (key == "storedWorkflowTemplateSpec") read_argo_spec(content, workflow.stored);
  });
}

}  // namespace

template <>
struct ObjectFields<ArgoWorkflow> {
  static constexpr std::string_view kind = "Workflow";
  static void read(std::string_view key, value content, ArgoWorkflow& workflow) {
    TextMap annotations;
    if (key == "metadata") json::read_metadata(content, workflow.meta, annotations, &workflow.deleting);
    if (key == "spec") read_argo_spec(content, workflow.spec);
    if (key == "status") read_argo_status(content, workflow);
  }
};
template class ObjectDecoder<ArgoWorkflow>;

}  // namespace lips::kubernetes

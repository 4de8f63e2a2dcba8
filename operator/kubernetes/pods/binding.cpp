#include "kubernetes/pods/binding.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "kubernetes/api/requests.h"
#include "kubernetes/api/time_text.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string pod_path(const ObjectMeta& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", percent_encoded(pod.name_space), percent_encoded(pod.name));
}

std::string pod_path(const ObjectMeta& pod, std::string_view part) { return fmt::format("{}/{}", pod_path(pod), part); }

std::string binding_body(const PodBinding& binding) {
  Json metadata{{"name", binding.pod.name}, {"namespace", binding.pod.name_space}, {"uid", binding.pod.uid}};
  for (const auto& [key, value] : binding.annotations) metadata["annotations"][key] = value;
  return written(Json{{"apiVersion", "v1"},
                      {"kind", "Binding"},
                      {"metadata", std::move(metadata)},
                      {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", binding.node}}}});
}

// The server merges gates by name, so gates of others stay.
std::string steering_body(const PodSteering& steering) {
  Json metadata{{"uid", steering.pod.uid}};
  for (const auto& [key, value] : steering.annotations) metadata["annotations"][key] = value;
  Json spec{{"schedulingGates", Json::array({{{"$patch", "delete"}, {"name", zone_gate}}})}};
  for (const auto& [key, value] : steering.selector) spec["nodeSelector"][key] = value;
  Json terms = Json::array();
  int weight = 100;
  // Labels, no matchFields: Karpenter before 1.5 ignores pods that have these, and never launches a node for them.
  for (const auto& [key, value] : steering.preferred) {
    const Json rule{{"key", key}, {"operator", "In"}, {"values", Json::array({value})}};
    terms.push_back({{"weight", weight}, {"preference", {{"matchExpressions", Json::array({rule})}}}});
    weight /= 2;
  }
  if (!terms.empty())
    spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = std::move(terms);
  return written(Json{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}});
}

// The node of: pod x is already assigned to node "y"
std::string assigned_node(const std::string& message) {
  constexpr std::string_view before = "already assigned to node \"";
  const std::size_t at = message.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return message.substr(begin, message.find('"', begin) - begin);
}

bool says(const std::string& message, std::string_view what) { return message.find(what) != std::string::npos; }

BindAnswer outcome_of_conflict(const std::string& wanted, const std::string& message) {
  const std::string node = assigned_node(message);
  if (!node.empty()) return {node == wanted ? BindAnswer::Kind::bound : BindAnswer::Kind::elsewhere, node, message};
  if (says(message, "UID in precondition") || says(message, "is being deleted"))
    return {BindAnswer::Kind::pod_gone, "", message};
  return {BindAnswer::Kind::refused, "", message};
}

BindAnswer outcome_of_request(const std::string& node, const Answer& answer) {
  if (answer) return {BindAnswer::Kind::bound, node, ""};
  const std::string& message = answer.error().message;
  switch (answer.error().code) {
    case ErrorCode::conflict:
      return outcome_of_conflict(node, message);
    case ErrorCode::not_found:
    case ErrorCode::gone:
      return {BindAnswer::Kind::pod_gone, "", message};
    case ErrorCode::invalid_input:
      return {BindAnswer::Kind::refused, "", message};
    case ErrorCode::unavailable:
    case ErrorCode::cancelled:
    case ErrorCode::internal:
      break;
  }
  return {BindAnswer::Kind::unknown, "", message};
}

}  // namespace

std::string kept_for_text(Duration kept_for) {
  return fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(kept_for).count());
}

BindAnswer outcome_of(const PodBinding& binding, const Answer& answer) {
  return outcome_of_request(binding.node, answer);
}

BindAnswer outcome_of(const PodSteering& steering, const Answer& answer) {
  return outcome_of_request(steering.node, answer);
}

Binder::Binder(ApiClient& client, std::function<bool()> may_act, std::chrono::milliseconds timeout)
    : client_(client), may_act_(std::move(may_act)), timeout_(timeout) {}

// `deposed` only if nothing was sent. After a try without a conclusive answer the pod may be bound, whatever the server
// or a proxy says to the next one.
template <class Wish>
void Binder::send(ApiRequest request, Wish wish, std::function<void(const Wish&, BindAnswer)> done) {
  using Kind = BindAnswer::Kind;
  auto tries = std::make_shared<int>(0);
  request.timeout = timeout_;
  request.still_wanted = [this, tries] {
    const bool may = may_act_();
    *tries += may;
    return may;
  };
  client_.start(std::move(request), [wish = std::move(wish), done = std::move(done), tries](const Answer& answer) {
    BindAnswer outcome = outcome_of(wish, answer);
    const bool refused = outcome.kind == Kind::pod_gone || outcome.kind == Kind::refused;
    if (*tries == 0) outcome.kind = Kind::deposed;
    if (*tries > 1 && refused) outcome.kind = Kind::unknown;
    done(wish, std::move(outcome));
  });
}

void Binder::bind(PodBinding binding, std::function<void(const PodBinding&, BindAnswer)> done) {
  ApiRequest request;
  request.verb = Verb::create;
  request.path = pod_path(binding.pod, "binding");
  request.body = binding_body(binding);
  request.repeatable = true;  // the server refuses a second one for the same pod and names the node of the first
  send(std::move(request), std::move(binding), std::move(done));
}

void Binder::steer(PodSteering steering, std::function<void(const PodSteering&, BindAnswer)> done) {
  ApiRequest request = patch_of(pod_path(steering.pod), steering_body(steering), strategic_merge_patch);
  send(std::move(request), std::move(steering), std::move(done));
}

void Binder::mark_unschedulable(const ObjectMeta& pod, const std::string& message, TimePoint since,
                                std::function<void(Answer)> done) {
  mark_waiting(pod, {"Unschedulable", message, since, 0}, std::move(done));
}

void Binder::keep(const ObjectMeta& pod, Duration kept_for) {
  annotate(pod, {{annotation::do_not_disrupt, "true"}, {annotation::kept_for, kept_for_text(kept_for)}});
}

void Binder::let_evict(const ObjectMeta& pod) {
  annotate(pod, {{annotation::do_not_disrupt, ""}, {annotation::kept_for, ""}});
}

// An empty text takes the annotation away.
void Binder::annotate(const ObjectMeta& pod, const TextMap& annotations) {
  Json metadata{{"uid", pod.uid}};
  for (const auto& [key, value] : annotations) metadata["annotations"][key] = value.empty() ? Json() : Json(value);
  ApiRequest request = patch_of(pod_path(pod), written(Json{{"metadata", std::move(metadata)}}));
  request.still_wanted = may_act_;
  // Refused writes are counted and logged in one place for all writers.
  client_.start(std::move(request), [](const Answer&) {});
}

void Binder::nominate(const ObjectMeta& pod, const std::string& node) {
  const Json name = node.empty() ? Json() : Json(node);
  ApiRequest request = patch_of(pod_path(pod, "status"), written(Json{{"metadata", {{"uid", pod.uid}}},
                                                                      {"status", {{"nominatedNodeName", name}}}}));
  request.still_wanted = may_act_;
  client_.start(std::move(request), [](const Answer&) {});
}

void Binder::mark_waiting(const ObjectMeta& pod, const Wait& wait, std::function<void(Answer)> done) {
  Json condition{{"type", "PodScheduled"},
                 {"status", "False"},
                 {"reason", wait.reason},
                 {"message", wait.message},
                 {"lastTransitionTime", time_text(wait.since)}};
  if (wait.generation > 0) condition["observedGeneration"] = wait.generation;
  // Merges conditions by type; a JSON merge patch would replace them all.
  ApiRequest request =
      patch_of(pod_path(pod, "status"),
               written(Json{{"metadata", {{"uid", pod.uid}}}, {"status", {{"conditions", Json::array({condition})}}}}),
               strategic_merge_patch);
  request.still_wanted = may_act_;
  client_.start(std::move(request), std::move(done));
}

}  // namespace lips::kubernetes

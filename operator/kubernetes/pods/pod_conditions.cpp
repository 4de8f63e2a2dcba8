#include "kubernetes/pods/pod_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "kubernetes/api/time_text.h"
#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

constexpr double conditions_per_second = 50, conditions_at_once = 100;
constexpr Duration judge_every{2'000'000};     // what nodes say about kinds of pods
constexpr Duration patience{30'000'000};       // before a pod that only waits for room is marked for autoscalers
constexpr Duration repeat_after{300'000'000};  // a sentence whose numbers alone changed
constexpr int crowd = 20;                      // bindings a second above which their events are counted on the owner

constexpr const char* unschedulable = "Unschedulable";

// Two sentences that differ in numbers alone say the same.
std::string without_numbers(const std::string& sentence) {
  std::string result;
  for (char c : sentence)
    if (c < '0' || c > '9') result += c;
  return result;
}

std::string list_of(const std::map<std::string, std::size_t>& reasons) {
  std::vector<std::pair<std::string, std::size_t>> order(reasons.begin(), reasons.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", order[i].second, order[i].first);
  if (order.size() > most) text += fmt::format(", and {} more reasons", order.size() - most);
  return text;
}

}  // namespace

Diagnosis diagnose(const PodNeeds& needs, const NodeBook& nodes, bool with_ours) {
  std::map<std::string, std::size_t> reasons;
  std::map<std::string_view, std::size_t> advice;
  std::size_t count = 0;
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node) continue;
    ++count;
    ResourceAmounts taken = record.others;
    if (with_ours) add(taken, record.ours);
    std::string why;
    for (const Filter& filter : filters()) {
      why = filter.rejects(needs, {*record.node, taken});
      if (why.empty()) continue;
      ++advice[filter.advice];
      break;
    }
    if (why.empty()) return {};
    ++reasons[why];
  }
  Diagnosis result{true, ""};
  if (count == 0) return {true, "0/0 nodes can run it: the cluster has no nodes. What helps: add nodes"};
  const auto best =
      std::max_element(advice.begin(), advice.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  result.sentence = fmt::format("0/{} nodes can run it{}: {}. What helps: {}", count, with_ours ? " now" : "",
                                list_of(reasons), best->first);
  return result;
}

// Of many pods of one owner at once there is one event on the owner, with a count.
EventSubject PodConditions::subject_of(const PodRecord& pod, bool many) const {
  if (!many || !pod.owner) return {"v1", "Pod", pod.meta};
  return {pod.owner->api_version, pod.owner->kind, {pod.meta.name_space, pod.owner->name, pod.owner->uid, ""}};
}

void PodConditions::bound(const PodRecord& pod, TimePoint now) {
  if (now - bound_since_ > std::chrono::seconds(1)) {
    bound_since_ = now;
    bound_lately_ = 0;
  }
  const bool many = ++bound_lately_ > crowd;
  if (many && !pod.owner) return;  // the pod's own condition and node say it
  const EventSubject subject = subject_of(pod, many);
  const std::string note =
      many ? fmt::format("Successfully assigned pods such as {} to nodes such as {}", full_name(pod.meta), pod.node)
           : fmt::format("Successfully assigned {} to {}", full_name(pod.meta), pod.node);
  events_.record({subject, false, "Scheduled", "Binding", note}, now);
}

void PodConditions::refused(const PodRecord& pod, const std::string& why, TimePoint now) {
  events_.record({{"v1", "Pod", pod.meta}, true, "FailedScheduling", "Binding", why}, now);
}

const PodConditions::KindVerdict& PodConditions::verdict(KindId kind, const PodBook& pods, const NodeBook& nodes,
                                                         TimePoint now) {
  if (now - judged_ > judge_every) {
    verdicts_.clear();
    judged_ = now;
  }
  const auto [known, added] = verdicts_.try_emplace(kind);
  if (added) {
    known->second.empty = diagnose(pods.kinds()[kind], nodes, false);
    known->second.now = known->second.empty.nowhere ? known->second.empty : diagnose(pods.kinds()[kind], nodes, true);
  }
  return known->second;
}

void PodConditions::review(PodBook& pods, const NodeBook& nodes, TimePoint now) {
  for (auto& [reason, count] : pending_) count = 0;
  waiting_ = 0;
  const double passed = refilled_ == TimePoint{} ? 0 : to_seconds(now - refilled_);
  allowance_ = std::min(conditions_at_once, allowance_ + conditions_per_second * std::max(0.0, passed));
  refilled_ = now;
  for (const auto& [key, place] : pods.ours()) {
    PodRecord& pod = *place;
    if (pod.state == PodState::held) {
      ++pending_[pod.obstacle_reason];
      tell(pod, pod.obstacle_reason, pod.obstacle, now);
    } else if (pod.state == PodState::waiting) {
      ++waiting_;
      const KindVerdict& judged = verdict(pod.kind, pods, nodes, now);
      ++pending_[judged.empty.nowhere ? unschedulable : "Waiting"];
      const bool full = judged.now.nowhere && now - pod.seen > patience;
      if (judged.empty.nowhere || full) tell(pod, unschedulable, judged.now.sentence, now);
    }
  }
}

void PodConditions::tell(PodRecord& pod, const std::string& reason, const std::string& sentence, TimePoint now) {
  const bool same = !pod.told.empty() && without_numbers(pod.told) == without_numbers(sentence);
  if (same && now - pod.told_at < repeat_after) return;
  // The API server itself says of gated pods that they are.
  if (reason == scheduling_gated || allowance_ < 1 || (same && pod.told == sentence)) return;
  allowance_ -= 1;
  const EventSubject subject = subject_of(pod, reason == bad_annotation);
  events_.record({subject, true, "FailedScheduling", "Scheduling", sentence}, now);
  pod.told = sentence;
  pod.told_at = now;
  binder_.mark_waiting(pod.meta, {reason, sentence, now}, [](const Answer&) {});
}

}  // namespace lips::kubernetes

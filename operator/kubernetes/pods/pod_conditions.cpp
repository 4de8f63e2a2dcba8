#include "kubernetes/pods/pod_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/time_text.h"
#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

constexpr double conditions_per_second = 50;
constexpr Duration judge_every{2'000'000};     // how often classes of pods are checked against nodes
constexpr Duration patience{30'000'000};       // before a pod that only waits for room is marked for autoscalers
constexpr Duration repeat_after{300'000'000};  // before repeating a sentence in which only numbers changed
constexpr Duration change_after{60'000'000};   // before a pod that waits by plan gets another reason
constexpr int crowd = 20;                      // bindings a second above which their events are counted on the owner

// Sentences that differ only in numbers count as equal.
std::string without_numbers(const std::string& sentence) {
  std::string result;
  for (char c : sentence)
    if (c < '0' || c > '9') result += c;
  return result;
}

}  // namespace

// For many pods of one owner at once, writes one event on the owner with a count.
EventSubject PodConditions::subject_of(const PodRecord& pod, bool many) const {
  if (!many || !pod.owner) return {"v1", "Pod", pod.meta};
  return {pod.owner->api_version, pod.owner->kind, {pod.meta.name_space, pod.owner->name, pod.owner->uid, ""}};
}

bool PodConditions::one_of_many(TimePoint now) {
  if (now - bound_since_ > std::chrono::seconds(1)) {
    bound_since_ = now;
    bound_lately_ = 0;
  }
  return ++bound_lately_ > crowd;
}

void PodConditions::steered(const PodRecord& pod, TimePoint now) {
  const bool many = one_of_many(now);
  if (many && !pod.owner) return;
  const std::string place = place_text(pod.selector);
  const std::string note = fmt::format("Sent {}{} to {}; its own scheduler binds it", many ? "pods such as " : "",
                                       full_name(pod.meta), place.empty() ? "any node" : place);
  events_.record({subject_of(pod, many), false, "Steered", "Steering", note}, now);
}

void PodConditions::not_taken(const PodRecord& pod, Duration waited, TimePoint now) {
  const std::string note = fmt::format(
      "Its own scheduler has not bound it for {} min since it was sent to {}. A zone cannot be taken back: delete the pod, and its owner makes another one",
      std::chrono::duration_cast<std::chrono::minutes>(waited).count(), pod.selector.empty() ? "any node" : place_text(pod.selector));
  events_.record({subject_of(pod, one_of_many(now)), true, "NotTaken", "Steering", note}, now);
}

void PodConditions::released(const PodRecord& pod, const std::string& why, TimePoint now) {
  const bool many = one_of_many(now);
  if (many && !pod.owner) return;
  events_.record({subject_of(pod, many), false, "Released", "Steering", "Its own scheduler places it: " + why}, now);
}

void PodConditions::bound(const PodRecord& pod, TimePoint now) {
  const bool many = one_of_many(now);
  if (many && !pod.owner) return;  // the condition and node of the pod say it
  const EventSubject subject = subject_of(pod, many);
  const std::string note =
      many ? fmt::format("Successfully assigned pods such as {} to nodes such as {}", full_name(pod.meta), pod.node)
           : fmt::format("Successfully assigned {} to {}", full_name(pod.meta), pod.node);
  events_.record({subject, false, "Scheduled", "Binding", note}, now);
}

void PodConditions::refused(const PodRecord& pod, const std::string& why, TimePoint now) {
  events_.record({{"v1", "Pod", pod.meta}, true, "FailedScheduling", "Binding", why}, now);
}

// A round uses one view of the nodes and lasts until every class had its turn.
void PodConditions::begin_round(const PodCache& pods, const NodeCache& nodes, TimePoint now) {
  examined_ = 0;
  const bool complete = std::exchange(all_judged_, true);
  const bool expressed = std::exchange(classes_version_, pods.classes().version()) == pods.classes().version();
  const bool over = complete && now - judged_ > judge_every;
  if (!nodes_ || !expressed || over) nodes_.emplace(nodes, pods.classes());
  if (!over && round_ > 0) return;
  std::erase_if(verdicts_, [this](const auto& entry) { return entry.second.round != round_; });  // unused
  ++round_;
  judged_ = now;
}

// A class whose turn has not come keeps its verdict of the round before; at first it has none.
const PodConditions::ClassVerdict& PodConditions::verdict(PodClassId pod_class, const PodCache& pods,
                                                          const NodeDemand& demand) {
  ClassVerdict& known = verdicts_[pod_class];
  if (known.round == round_) return known;
  if (examined_ >= nodes_a_review) {
    all_judged_ = false;
    return known;
  }
  known.round = round_;
  known.empty = nodes_->diagnose(pods.classes()[pod_class], false, examined_);
  known.offered = known.empty.nowhere && demand.offered && demand.offered(pods.classes()[pod_class]);
  known.now = known.empty.nowhere ? known.empty : nodes_->diagnose(pods.classes()[pod_class], true, examined_);
  return known;
}

void PodConditions::review(PodCache& pods, const NodeCache& nodes, TimePoint now, const NodeDemand& demand,
                           const WaitOf& wait_of) {
  for (auto& [reason, count] : pending_) count = 0;
  waiting_ = 0;
  longest_wait_ = Duration(0);
  const double passed = refilled_ == TimePoint{} ? 0 : to_seconds(now - refilled_);
  allowance_ = std::min(static_cast<double>(conditions_at_once), allowance_ + conditions_per_second * std::max(0.0, passed));
  refilled_ = now;
  begin_round(pods, nodes, now);
  constexpr UnschedulableReason nowhere = UnschedulableReason::unschedulable;
  for (const auto& [key, place] : pods.ours()) {
    PodRecord& pod = *place;
    if (pod.state == PodState::held) {
      ++pending_[std::string(to_string(pod.unschedulable_reason))];
      tell(pod, pod.unschedulable_reason, pod.unschedulable_message, now);
    } else if (pod.state == PodState::waiting) {
      ++waiting_;
      longest_wait_ = std::max(longest_wait_, now - (pod.created == TimePoint{} ? pod.first_seen : pod.created));
      const ClassVerdict& judged = verdict(pod.pod_class, pods, demand);
      pod.fits_nowhere = judged.empty.nowhere && !(demand.selective && judged.offered);
      ++pending_[pod.fits_nowhere ? std::string(to_string(nowhere)) : "Waiting"];
      const bool asks = pod.wants_node || (!demand.selective && now - pod.first_seen > patience);
      if (pod.fits_nowhere || (judged.now.nowhere && asks))
        tell(pod, nowhere, judged.now.sentence, now);
      else if (!pod.ordered.empty())
        tell(pod, UnschedulableReason::node_ordered, "a node has been ordered for it: " + pod.ordered, now);
      else if (const WaitingWords* words = wait_of && pod.task.valid() ? wait_of(pod.task) : nullptr)
        if (now - pod.first_seen > patience) tell_wait(pod, *words, now);
    } else if (pod.state == PodState::ungated) {
      ++pending_["Ungated"];
    }
  }
  turns_.grant([&](const Saying& saying) {
    if (allowance_ < 1) return false;
    allowance_ -= 1;
    say(saying, now);
    return true;
  });
}

void PodConditions::tell(PodRecord& pod, UnschedulableReason reason, const std::string& sentence, TimePoint now) {
  if (pod.steered && pod.mode != PodMode::steer) return;
  const bool same = !pod.reported_message.empty() && without_numbers(pod.reported_message) == without_numbers(sentence);
  if (same && now - pod.reported_at < repeat_after) return;
  // The API server itself reports that a pod is gated.
  if (reason == UnschedulableReason::scheduling_gated || (same && pod.reported_message == sentence)) return;
  wish({&pod, std::string(to_string(reason)), sentence, false, reason == UnschedulableReason::bad_annotation});
}

// One event for all pods of an owner: they wait together. A plan may change its mind every second.
void PodConditions::tell_wait(PodRecord& pod, const WaitingWords& words, TimePoint now) {
  if (pod.steered && pod.mode != PodMode::steer) return;
  if (pod.reported_message == words.sentence) return;
  if (!pod.reported_message.empty() && now - pod.reported_at < change_after) return;
  wish({&pod, words.reason, words.sentence, true, true});
}

void PodConditions::wish(Saying saying) {
  const PodRecord& pod = *saying.pod;
  turns_.add(pod.meta.name_space, std::move(saying), !pod.reported_message.empty());
}

void PodConditions::say(const Saying& saying, TimePoint now) {
  PodRecord& pod = *saying.pod;
  const char* reason = saying.planned ? "Deferred" : "FailedScheduling";
  events_.record({subject_of(pod, saying.of_crowd), !saying.planned, reason, "Scheduling", saying.sentence}, now);
  pod.reported_message = saying.sentence;
  pod.reported_at = now;
  // The condition of a gated pod belongs to the API server. Another one would make autoscalers buy nodes for a pod that
  // has to wait.
  if (pod.steered) return;
  // The transition time of a condition follows its status, which stays the same until the pod is bound.
  if (!pod.unscheduled_since) pod.unscheduled_since = now;
  binder_.mark_waiting(pod.meta, {saying.reason, saying.sentence, *pod.unscheduled_since, pod.generation},
                       [](const Answer&) {});
}

}  // namespace lips::kubernetes

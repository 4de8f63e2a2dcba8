#include "kubernetes/pods/pod_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
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
bool says_the_same(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (;;) {
    while (!a.empty() && is_digit(a.front())) a.remove_prefix(1);
    while (!b.empty() && is_digit(b.front())) b.remove_prefix(1);
    if (a.empty() || b.empty() || a.front() != b.front()) return a.empty() && b.empty();
    a.remove_prefix(1), b.remove_prefix(1);
  }
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
      "Its own scheduler has not bound it for {} min since it was sent to {}. A zone cannot be taken back: delete the "
      "pod, and its owner makes another one",
      std::chrono::duration_cast<std::chrono::minutes>(waited).count(),
      pod.selector.empty() ? "any node" : place_text(pod.selector));
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
PodConditions::ClassVerdict& PodConditions::verdict(PodClassId pod_class, const PodCache& pods,
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
  const double passed = refilled_ == TimePoint{} ? 0 : to_seconds(now - refilled_);
  allowance_ =
      std::min(static_cast<double>(conditions_at_once), allowance_ + conditions_per_second * std::max(0.0, passed));
  refilled_ = now;
  begin_round(pods, nodes, now);
  UnplacedPods& unplaced = pods.unplaced();
  count(pods, now, demand);
  unplaced.wake_due(now);
  const Moment moment{now, demand, wait_of};
  if (!demand.plan || std::exchange(plan_, demand.plan) != demand.plan) wake_those_with_news(unplaced, moment);
  // Pods that were never told come first, so the rest matters only where the rate allows more.
  if (allowance_ >= 1) {
    const std::size_t wishes = find_wishes(unplaced, false, moment);
    if (allowance_ - static_cast<double>(wishes) >= 1) find_wishes(unplaced, true, moment);
  }
  turns_.grant([&](const Saying& saying) {
    if (allowance_ < 1) return false;
    allowance_ -= 1;
    say(saying, now);
    unplaced.note(full_name(saying.pod->meta), *saying.pod);
    return true;
  });
}

// Pods of a class of which the nodes say something else than before are looked at. Where only numbers have changed,
// these are the pods that were told so long ago that they may be told again.
void PodConditions::count(PodCache& pods, TimePoint now, const NodeDemand& demand) {
  UnplacedPods& unplaced = pods.unplaced();
  for (auto& [reason, count] : pending_) count = 0;
  for (const auto& [name, pod] : unplaced.held()) ++pending_[std::string(to_string(pod->unschedulable_reason))];
  if (unplaced.ungated() > 0) pending_["Ungated"] += unplaced.ungated();
  waiting_ = unplaced.waiting_count();
  longest_wait_ = Duration(0);
  for (const auto& [pod_class, alike] : unplaced.waiting()) {
    ClassVerdict& judged = verdict(pod_class, pods, demand);
    judged.fits_nowhere = judged.empty.nowhere && !(demand.selective && judged.offered);
    if (!judged.fits_nowhere) longest_wait_ = std::max(longest_wait_, now - unplaced.oldest_waiting(pod_class));
    pending_[judged.fits_nowhere ? std::string(to_string(UnschedulableReason::unschedulable)) : "Waiting"] +=
        alike.size();
    std::tuple seen(judged.fits_nowhere, judged.now.nowhere, judged.now.sentence);
    if (judged.seen == seen) continue;
    const auto& [fits_nowhere, nowhere, sentence] = judged.seen;
    const bool only_numbers = fits_nowhere == judged.fits_nowhere && nowhere == judged.now.nowhere &&
                              says_the_same(sentence, judged.now.sentence);
    judged.seen = std::move(seen);
    if (only_numbers)
      unplaced.wake_told(pod_class);
    else
      unplaced.wake(pod_class);
  }
  for (const auto& [name, pod] : pods.steered())
    if (pod->state == PodState::waiting) pod->fits_nowhere = verdicts_[pod->pod_class].fits_nowhere;
}

// The plan may say something else of any pod.
void PodConditions::wake_those_with_news(UnplacedPods& pods, const Moment& moment) {
  std::vector<std::string_view> woken;
  for (const auto& [name, pod] : pods.resting())
    if (wish_about(*pod, moment)) woken.push_back(name);
  for (const std::string_view name : woken) pods.wake(name);
}

// Finds as many wishes as can be granted to each namespace. A pod about which there is none rests, unless it is of
// another scheduler: whether anything is said of that one depends on its pool.
std::size_t PodConditions::find_wishes(UnplacedPods& pods, bool told, const Moment& moment) {
  const UnplacedPods::Part& awake = pods.awake(told);
  std::size_t all = 0, wishes = 0;
  std::string name_space;
  for (auto place = awake.begin(); place != awake.end();) {
    const auto [name, pod] = *place;
    if (pod->meta.name_space != name_space) name_space = pod->meta.name_space, wishes = 0;
    if (wishes == conditions_at_once) {
      place = awake.lower_bound(name_space + static_cast<char>('/' + 1));
      continue;
    }
    ++place;
    if (std::optional<Saying> wish = wish_about(*pod, moment)) {
      turns_.add(name_space, *std::move(wish), told);
      ++wishes, ++all;
    } else if (!pod->steered) {
      pods.rest(name, next_look(*pod, moment.now));
    }
  }
  return all;
}

std::optional<PodConditions::Saying> PodConditions::wish_about(PodRecord& pod, const Moment& moment) const {
  if (pod.steered && pod.mode != PodMode::steer) return std::nullopt;
  const TimePoint now = moment.now;
  if (pod.state == PodState::held) return to_tell(pod, pod.unschedulable_reason, pod.unschedulable_message, now);
  const auto known = verdicts_.find(pod.pod_class);
  if (known == verdicts_.end()) return std::nullopt;
  const ClassVerdict& judged = known->second;
  const bool asks = pod.wants_node || (!moment.demand.selective && now - pod.first_seen > patience);
  if (judged.fits_nowhere || (judged.now.nowhere && asks))
    return to_tell(pod, UnschedulableReason::unschedulable, judged.now.sentence, now);
  if (!pod.ordered.empty())
    return to_tell(pod, UnschedulableReason::node_ordered, "a node has been ordered for it: " + pod.ordered, now);
  if (now - pod.first_seen <= patience) return std::nullopt;
  const WaitingWords* words = moment.wait_of && pod.task.valid() ? moment.wait_of(pod.task) : nullptr;
  return words ? to_tell_wait(pod, *words, now) : std::nullopt;
}

// The first time from now on at which there may be something to say though nothing has changed.
TimePoint PodConditions::next_look(const PodRecord& pod, TimePoint now) {
  TimePoint next = TimePoint::max();
  const auto may_be = [&](TimePoint time) {
    if (time >= now) next = std::min(next, time);
  };
  may_be(pod.first_seen + patience);
  if (pod.reported_message.empty()) return next;
  may_be(pod.reported_at + change_after);
  may_be(pod.reported_at + repeat_after);
  return next;
}

std::optional<PodConditions::Saying> PodConditions::to_tell(PodRecord& pod, UnschedulableReason reason,
                                                            const std::string& sentence, TimePoint now) const {
  const bool same = !pod.reported_message.empty() && says_the_same(pod.reported_message, sentence);
  if (same && now - pod.reported_at < repeat_after) return std::nullopt;
  // The API server itself reports that a pod is gated.
  if (reason == UnschedulableReason::scheduling_gated || (same && pod.reported_message == sentence))
    return std::nullopt;
  return Saying{&pod, std::string(to_string(reason)), sentence, false, reason == UnschedulableReason::bad_annotation};
}

// One event for all pods of an owner: they wait together. A plan may change its mind every second.
std::optional<PodConditions::Saying> PodConditions::to_tell_wait(PodRecord& pod, const WaitingWords& words,
                                                                 TimePoint now) const {
  if (pod.reported_message == words.sentence) return std::nullopt;
  if (!pod.reported_message.empty() && now - pod.reported_at < change_after) return std::nullopt;
  return Saying{&pod, words.reason, words.sentence, true, true};
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

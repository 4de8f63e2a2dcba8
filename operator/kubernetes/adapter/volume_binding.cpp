#include "kubernetes/adapter/volume_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/pods/first_use.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using State = VolumeBinding::State;

constexpr Duration until_the_watch_shows{30'000'000};  // what an answer has confirmed
constexpr Duration after_conflict{3'000'000};          // in which the watch shows who was quicker

std::string claim_path(const ObjectMeta& claim) {
  return fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", percent_encoded(claim.name_space),
                     percent_encoded(claim.name));
}

// `node`: null takes it back. The uid is a precondition.
std::string selection_body(const ObjectMeta& claim, const Json& node) {
  return Json{{"metadata", {{"uid", claim.uid}, {"annotations", {{selected_node_annotation, node}}}}}}.dump();
}

// Tied to the version, because another claim may have got the volume meanwhile. The controller of volumes completes it,
// and frees the volume again with the claim if the annotation says that no person made this choice.
std::string reservation_body(const Volume& volume, const ObjectMeta& claim) {
  Json metadata{{"uid", volume.meta.uid}, {"resourceVersion", volume.meta.resource_version}};
  if (volume.claim.empty()) metadata["annotations"] = {{"pv.kubernetes.io/bound-by-controller", "yes"}};
  const Json reference{{"apiVersion", "v1"},
                       {"kind", "PersistentVolumeClaim"},
                       {"namespace", claim.name_space},
                       {"name", claim.name},
                       {"uid", claim.uid}};
  return Json{{"metadata", metadata}, {"spec", {{"claimRef", reference}}}}.dump();
}

VolumeBinding::Progress failed(std::string why, bool elsewhere) { return {State::failed, std::move(why), elsewhere}; }

std::string of(const VolumeChoice& choice) { return fmt::format("PersistentVolumeClaim '{}' ", choice.claim.name); }

}  // namespace

VolumeBinding::VolumeBinding(const Surroundings& around, Duration patience)
    : around_(around),
      patience_(patience),
      writes_(std::make_unique<ObjectWrites>(around.client, around.may_act, around.wake)) {}

Result<void> VolumeBinding::ask(const PodRecord& pod, const std::string& node) const {
  const NodeRecord* record = around_.nodes.find(node);
  if (pod.claims.empty() || !record || !record->node) return {};
  Result<std::vector<VolumeChoice>> choices = around_.volumes.choose(pod.meta.name_space, pod.claims, *record->node);
  if (!choices) return tl::unexpected(std::move(choices.error()));
  return {};
}

bool VolumeBinding::begin(const PodRecord& pod, TimePoint now) {
  const NodeRecord* record = around_.nodes.find(pod.node);
  if (pod.claims.empty() || !record || !record->node) return false;
  const auto choices = around_.volumes.choose(pod.meta.name_space, pod.claims, *record->node);
  if (choices && choices->empty()) return false;
  Wait& wait = waits_[full_name(pod.meta)];
  wait = {{}, now};
  for (const VolumeChoice& choice : choices.value_or(std::vector<VolumeChoice>{})) {
    around_.volumes.reserve(choice);
    taken_back_.erase(full_name(choice.claim));
    wait.steps.push_back({choice});
  }
  flush(now);
  return true;
}

void VolumeBinding::send(const std::string& pod, Step& step, TimePoint now) {
  const VolumeChoice& choice = step.choice;
  const std::string object = choice.volume.empty() ? "claim " + full_name(choice.claim) : "volume " + choice.volume;
  if (!writes_->free(object, now)) return;
  const Volume* volume = choice.volume.empty() ? nullptr : around_.volumes.volume(choice.volume);
  if (!choice.volume.empty() && !volume) return;
  step.sent = true;
  ApiRequest request = volume ? patch_of("/api/v1/persistentvolumes/" + percent_encoded(choice.volume),
                                         reservation_body(*volume, choice.claim))
                              : patch_of(claim_path(choice.claim), selection_body(choice.claim, choice.node));
  writes_->send(object, std::move(request),
                [this, pod, choice, now](const Answer& answer) { answered(pod, choice, answer, now); });
}

// A server that was busy is asked again.
void VolumeBinding::answered(const std::string& pod, const VolumeChoice& choice, const Answer& answer, TimePoint now) {
  const auto wait = waits_.find(pod);
  if (answer || wait == waits_.end()) return;
  for (Step& step : wait->second.steps) {
    if (step.choice.claim.uid != choice.claim.uid || step.choice.node != choice.node) continue;
    const ErrorCode code = answer.error().code;
    if (code == ErrorCode::unavailable || code == ErrorCode::cancelled || code == ErrorCode::internal) {
      step.sent = false;
    } else {
      step.refused = answer.error().message;
      step.refused_at = now;
    }
  }
}

void VolumeBinding::take_back(const ObjectMeta& claim, const std::string& node) {
  taken_back_[full_name(claim)] = {claim, node};
}

void VolumeBinding::flush(TimePoint now) {
  writes_->collect(now);
  for (auto& [pod, wait] : waits_)
    for (Step& step : wait.steps)
      if (!step.sent) send(pod, step, now);
  std::erase_if(taken_back_, [&](const auto& entry) {
    const TakenBack& back = entry.second;
    const std::string object = "claim " + entry.first;
    const Claim* claim = around_.volumes.claim(entry.first);
    if (!claim || claim->meta.uid != back.claim.uid || claim->bound) return true;
    if (!claim->selected_node.empty() && claim->selected_node != back.node) return true;
    if (!writes_->free(object, now)) return false;
    writes_->send(object, patch_of(claim_path(back.claim), selection_body(back.claim, nullptr)));
    return true;
  });
}

VolumeBinding::Progress VolumeBinding::progress(const PodRecord& pod, TimePoint now) {
  const auto wait = waits_.find(full_name(pod.meta));
  if (wait == waits_.end() || wait->second.steps.empty()) return failed("its volumes are chosen anew", false);
  Progress result{State::ready, "", false};
  for (Step& step : wait->second.steps) {
    Progress one = progress(step, wait->second.since, now);
    if (one.state == State::failed) return one;
    if (one.state == State::under_way) result.state = State::under_way;
  }
  return result;
}

VolumeBinding::Progress VolumeBinding::progress(Step& step, TimePoint since, TimePoint now) const {
  const VolumeChoice& choice = step.choice;
  const Claim* claim = around_.volumes.claim(full_name(choice.claim));
  if (!claim || claim->meta.uid != choice.claim.uid) return failed(of(choice) + "is gone", false);
  if (claim->bound) {
    const Volume* volume = around_.volumes.volume(claim->volume);
    const NodeRecord* node = around_.nodes.find(choice.node);
    if (!volume || !node || !node->node) return {};
    if (reaches_volume(terms_of(*volume), profile_of(*node->node))) return {State::ready, "", false};
    return failed(fmt::format("{}got a volume that node {} does not reach", of(choice), choice.node), false);
  }
  if (now - since > patience_)
    return failed(fmt::format("{}got no volume for node {} in {} s", of(choice), choice.node,
                              std::chrono::duration_cast<std::chrono::seconds>(patience_).count()),
                  true);
  if (!choice.volume.empty()) return progress_of_volume(step, now);
  if (!step.refused.empty())
    return failed(
        fmt::format("cannot choose a node for PersistentVolumeClaim '{}': {}", choice.claim.name, step.refused), false);
  if (claim->selected_node == choice.node) {
    step.seen = true;
  } else if (!claim->selected_node.empty()) {
    return failed(fmt::format("{}gets its volume for node {}", of(choice), claim->selected_node), false);
  } else if (step.seen || (step.sent && now - since > until_the_watch_shows)) {
    return failed(
        fmt::format("{}gets no volume for node {}: its provisioner asks for another node", of(choice), choice.node),
        true);
  }
  return {};
}

VolumeBinding::Progress VolumeBinding::progress_of_volume(const Step& step, TimePoint now) const {
  const VolumeChoice& choice = step.choice;
  const Volume* volume = around_.volumes.volume(choice.volume);
  if (!volume) return failed(fmt::format("PersistentVolume '{}' is gone", choice.volume), false);
  const bool is_ours = volume->claim_uid == choice.claim.uid;
  if (!is_ours && !volume->claim_uid.empty())
    return failed(fmt::format("PersistentVolume '{}' went to another claim", choice.volume), false);
  if (!is_ours && !step.refused.empty() && now - step.refused_at > after_conflict)
    return failed(fmt::format("cannot give PersistentVolume '{}' to the claim '{}': {}", choice.volume,
                              choice.claim.name, step.refused),
                  false);
  return {};
}

void VolumeBinding::end(const ObjectMeta& pod, bool goes_there) {
  const auto wait = waits_.extract(full_name(pod));
  if (wait.empty()) return;
  for (const Step& step : wait.mapped().steps) {
    around_.volumes.release(step.choice.claim);
    if (!goes_there && step.choice.volume.empty()) take_back(step.choice.claim, step.choice.node);
  }
}

void VolumeBinding::take_back_stale(const PodRecord& pod, TimePoint now) {
  for (const std::string& name : pod.claims) {
    const Claim* claim = around_.volumes.claim(pod.meta.name_space + '/' + name);
    const ClaimedVolume* joined = around_.volumes.find(pod.meta.name_space, name);
    if (!claim || !joined || !joined->on_first_use || claim->selected_node.empty()) continue;
    const bool reserved = std::any_of(waits_.begin(), waits_.end(), [&](const auto& wait) {
      return std::any_of(wait.second.steps.begin(), wait.second.steps.end(),
                         [&](const Step& step) { return step.choice.claim.uid == claim->meta.uid; });
    });
    if (reserved || taken_back_.contains(full_name(claim->meta))) continue;
    const NodeRecord* node = around_.nodes.find(claim->selected_node);
    if (!node || !node->node || now - pod.first_seen > patience_) take_back(claim->meta, claim->selected_node);
  }
}

}  // namespace lips::kubernetes

#include "kubernetes/adapter/reclaims.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/requests.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

// Only this very pod: one of the same name that came later keeps running.
ApiRequest eviction_of(const ObjectMeta& pod) {
  const Json body{{"apiVersion", "policy/v1"},
                  {"kind", "Eviction"},
                  {"metadata", {{"name", pod.name}, {"namespace", pod.name_space}}},
                  {"deleteOptions", {{"preconditions", {{"uid", pod.uid}}}}}};
  return creation_of(
      fmt::format("/api/v1/namespaces/{}/pods/{}/eviction", percent_encoded(pod.name_space), percent_encoded(pod.name)),
      body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Where the pod has gone meanwhile, there is nothing to take back, and the watch says so.
bool is_done(const Answer& answer) {
  return answer || answer.error().code == ErrorCode::not_found || answer.error().code == ErrorCode::gone ||
         answer.error().code == ErrorCode::conflict;
}

}  // namespace

// One try: a budget that forbids it now (429) may forbid it for long, and the next plan chooses another task.
void Reclaims::evict(const ObjectMeta& pod, Leaving leaving) {
  ApiRequest request = eviction_of(pod);
  auto tries = std::make_shared<int>(0);
  request.still_wanted = [may_act = around_.may_act, tries] { return may_act() && (*tries)++ == 0; };
  Asked asked{pod, std::move(leaving)};
  leaving_.insert_or_assign(pod.uid, asked);
  around_.client.start(std::move(request), [this, asked = std::move(asked), tries](const Answer& answer) {
    if (is_done(answer)) return;
    const bool not_now = answer.error().code == ErrorCode::cancelled && *tries > 0;
    leaving_.erase(asked.pod.uid);
    refused_.push_back(
        {asked, not_now ? "not now: a PodDisruptionBudget, or too many requests" : answer.error().message});
    around_.wake();
  });
}

void Reclaims::report(std::vector<ClusterEvent>& events, std::uint64_t listing, TimePoint now) {
  for (const Refusal& refusal : std::exchange(refused_, {})) {
    const auto& [pod, leaving] = refusal.asked;
    around_.log.warning("a pod is not taken back", {{"pod", full_name(pod)}, {"why", refusal.why}});
    if (leaving.listing == listing) events.emplace_back(TaskStays{leaving.task, now + reclaim_again});
  }
}

const std::string* Reclaims::pool_of(const ObjectMeta& pod) const {
  const auto asked = leaving_.find(pod.uid);
  return asked == leaving_.end() ? nullptr : &asked->second.leaving.pool;
}

std::set<std::string> Reclaims::nodes() const {
  std::set<std::string> nodes;
  for (const auto& [uid, asked] : leaving_) nodes.insert(asked.leaving.node);
  return nodes;
}

void Reclaims::forget_gone(const std::function<bool(const ObjectMeta&)>& is_there) {
  std::erase_if(leaving_, [&](const auto& entry) { return !is_there(entry.second.pod); });
}

}  // namespace lips::kubernetes

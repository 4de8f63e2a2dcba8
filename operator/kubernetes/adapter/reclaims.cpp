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
void Reclaims::evict(const ObjectMeta& pod, TaskId task, std::uint64_t listing) {
  ApiRequest request = eviction_of(pod);
  auto tries = std::make_shared<int>(0);
  request.still_wanted = [may_act = around_.may_act, tries] { return may_act() && (*tries)++ == 0; };
  const std::string name = pod.name_space + "/" + pod.name;
  around_.client.start(std::move(request), [this, name, task, listing, tries](const Answer& answer) {
    if (is_done(answer)) return;
    const bool not_now = answer.error().code == ErrorCode::cancelled && *tries > 0;
    {
      const std::lock_guard lock(mutex_);
      refused_.push_back({name,
                          not_now ? "not now: a PodDisruptionBudget, or too many requests" : answer.error().message,
                          task, listing});
    }
    around_.wake();
  });
}

void Reclaims::report(std::vector<ClusterEvent>& events, std::uint64_t listing, TimePoint now) {
  std::vector<Refusal> refused;
  {
    const std::lock_guard lock(mutex_);
    refused.swap(refused_);
  }
  for (const Refusal& refusal : refused) {
    around_.log.warning("a pod is not taken back", {{"pod", refusal.pod}, {"why", refusal.why}});
    if (refusal.listing == listing) events.emplace_back(TaskStays{refusal.task, now + reclaim_again});
  }
}

}  // namespace lips::kubernetes

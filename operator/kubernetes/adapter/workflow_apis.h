// Says whether the API server has JobSets and Argo's Workflows; watches them from then on.
#pragma once

#include <functional>
#include <string>

#include "kubernetes/adapter/informers.h"
#include "kubernetes/adapter/optional_api.h"

namespace lips::kubernetes {

class WorkflowApis {
 public:
  // As of OptionalApi.
  WorkflowApis(Duration ask_every, const std::function<void()>& wake)
      : job_sets_(api_of(WatchedKind::job_sets, ask_every, wake)),
        argo_(api_of(WatchedKind::argo_workflows, ask_every, wake)) {}

  void review(ApiClient& client, Informers& informers, TimePoint now) {
    review(job_sets_, WatchedKind::job_sets, client, informers, now);
    review(argo_, WatchedKind::argo_workflows, client, informers, now);
  }

 private:
  static OptionalApi api_of(WatchedKind kind, Duration ask_every, const std::function<void()>& wake) {
    return {std::string(optional_api(kind)), ask_every, wake, std::string(resource_name(kind))};
  }
  static void review(OptionalApi& api, WatchedKind kind, ApiClient& client, Informers& informers, TimePoint now) {
    api.review(client, now);
    if (api.state() == OptionalApi::State::present) informers.watch(kind);
  }

  OptionalApi job_sets_, argo_;
};

}  // namespace lips::kubernetes

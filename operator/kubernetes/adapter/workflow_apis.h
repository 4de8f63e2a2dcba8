// Whether the API server has JobSets and Argo's Workflows; watches them from then on.
#pragma once

#include <functional>

#include "kubernetes/adapter/informers.h"
#include "kubernetes/adapter/optional_api.h"

namespace lips::kubernetes {

class WorkflowApis {
 public:
  // As of OptionalApi.
  WorkflowApis(Duration ask_every, const std::function<void()>& wake)
      : job_sets_("/apis/jobset.x-k8s.io/v1alpha2", ask_every, wake, "jobsets"),
        argo_("/apis/argoproj.io/v1alpha1", ask_every, wake, "workflows") {}

  void review(ApiClient& client, Informers& informers, TimePoint now) {
    job_sets_.review(client, now);
    argo_.review(client, now);
    if (job_sets_.state() == OptionalApi::State::present) informers.watch(WatchedKind::job_sets);
    if (argo_.state() == OptionalApi::State::present) informers.watch(WatchedKind::argo_workflows);
  }

 private:
  OptionalApi job_sets_, argo_;
};

}  // namespace lips::kubernetes

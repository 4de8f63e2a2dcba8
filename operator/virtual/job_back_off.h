// The pace at which the Job controller of kube-controller-manager makes pods anew, and how many failures a Job may have
// (backoff_utils.go and job_controller.go of Kubernetes 1.36).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/units.h"

namespace lips::virtual_cluster {

class JobBackOff {
 public:
  static constexpr Duration first = std::chrono::seconds(10), longest = std::chrono::minutes(10);
  static constexpr Duration first_refusal = std::chrono::seconds(1), longest_refusal = std::chrono::minutes(1);
  static constexpr std::uint32_t limit = 6;  // backoffLimit, by default

  // A pod has ended without success. `counts`: the Job's podFailurePolicy does not ignore how.
  void fail(TimePoint now, bool counts) {
    ++since_success_;
    last_ = now;
    if (counts) ++counted_;
  }
  // The next pods need not wait for what failed before.
  void succeed() { since_success_ = 0; }
  // Says when pods may be made again.
  TimePoint ends() const { return since_success_ == 0 ? TimePoint{} : last_ + doubled(first, longest, since_success_); }
  // The Job has failed.
  bool exceeds_limit() const { return counted_ > limit; }

  // The server refused a pod. The pause until the next try, if no pod of the Job changes before.
  Duration refuse() { return doubled(first_refusal, longest_refusal, ++refusals_); }
  void admit() { refusals_ = 0; }

 private:
  static Duration doubled(Duration pause, Duration most, std::uint32_t times) {
    for (std::uint32_t i = 1; i < times && pause < most; ++i) pause *= 2;
    return std::min(pause, most);
  }

  std::uint32_t since_success_ = 0, counted_ = 0, refusals_ = 0;
  TimePoint last_{};
};

}  // namespace lips::virtual_cluster

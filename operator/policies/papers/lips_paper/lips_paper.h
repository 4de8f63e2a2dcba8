// The policy of the LiPS paper to the letter: every epoch one linear program for the whole queue (Fig. 4), and its
// offline models (Figs. 2 and 3) as the same with other settings. The default mode of this project is `lips`, not this.
#pragma once

#include <memory>

#include "policies/papers/lips_paper/paper_model_snapshot.h"
#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

struct PaperMode {
  paper::Options model;
  Cadence cadence;
  Duration horizon{};  // e, or the uptime; 0: greedy
  AdaptiveEpoch adaptive = AdaptiveEpoch::off;
  CpuSeconds least_task{0};
  paper::Granularity granularity =
      paper::Granularity::classes;  // of equal optimum, and nodes of a class share its load
};

std::unique_ptr<Policy> make_paper_policy(const PaperMode& mode);
std::unique_ptr<Policy> make_lips_paper(const PolicySettings& settings);

// As long as the cluster needs at four fifths of its speed for all that is pending, between a quarter of the set epoch
// (short queue) and four times of it (load).
Duration adapted_epoch(Duration epoch, CpuSeconds pending, CpuSeconds cluster_per_second);

}  // namespace lips

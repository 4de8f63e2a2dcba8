// Taints that the pod does not tolerate. Tolerations that compare numbers are not honoured yet.
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

// The empty text: every effect.
std::string effect_text(const std::optional<TaintEffect>& effect) {
  if (!effect) return "";
  return *effect == TaintEffect::no_execute    ? "NoExecute"
         : *effect == TaintEffect::no_schedule ? "NoSchedule"
                                               : "PreferNoSchedule";
}

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<Obstacle>& obstacles) {
  for (const Toleration& toleration : pod.tolerations) {
    using Compare = Toleration::Compare;
    if (toleration.compare == Compare::greater || toleration.compare == Compare::less) {
      obstacles.push_back(
          {not_honoured, "this scheduler does not honour spec.tolerations with the operator Gt or Lt yet"});
      continue;
    }
    // NoExecute alone with seconds is what admission gives every pod; it matters to eviction and to such nodes.
    needs.constraint.tolerations.push_back(
        {toleration.key, toleration.value, effect_text(toleration.effect), toleration.compare == Compare::exists});
  }
  auto& all = needs.constraint.tolerations;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  PlacementConstraint tolerating;
  tolerating.tolerations = needs.constraint.tolerations;
  NodeProfile profile = profile_of(offer.node);
  for (const lips::Taint& taint : profile.taints) {
    NodeProfile one;
    one.taints = {taint};
    if (eligible(tolerating, one)) continue;
    const std::string value = taint.value.empty() ? "" : '=' + taint.value;
    return fmt::format("have the taint {}{}:{} that the pod does not tolerate", taint.key, value, taint.effect);
  }
  return "";
}

}  // namespace

const Filter taint_filter{"taints", collect, rejects, "add a toleration to the pod or remove the taint"};

}  // namespace lips::kubernetes

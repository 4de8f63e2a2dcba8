// A pod runs where it can reach the volumes of its claims, or where they can get one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

using Terms = std::vector<std::vector<LabelRequirement>>;

std::string values_text(const LabelRequirement& label) { return fmt::format("{}", fmt::join(label.values, " or ")); }

// "KEY is A and B" where no value of a label meets both terms; empty: a node may meet them.
std::string contradiction(const std::vector<LabelRequirement>& one, const std::vector<LabelRequirement>& other) {
  constexpr auto in = LabelRequirement::Operator::in;
  for (const LabelRequirement& a : one)
    for (const LabelRequirement& b : other) {
      if (a.key != b.key || a.op != in || b.op != in) continue;
      const bool common = std::any_of(a.values.begin(), a.values.end(), [&](const std::string& value) {
        return std::find(b.values.begin(), b.values.end(), value) != b.values.end();
      });
      if (!common) return fmt::format("{} is {} and {}", a.key, values_text(a), values_text(b));
    }
  return "";
}

// The same of the first terms where no node can reach both volumes, whichever nodes there are.
std::string how_far_apart(const Terms& one, const Terms& other) {
  std::string first;
  for (const auto& a : one)
    for (const auto& b : other) {
      std::string words = contradiction(a, b);
      if (words.empty()) return "";
      if (first.empty()) first = std::move(words);
    }
  return first;
}

// A claim of that name may be there that somebody else has made.
bool is_of_another(const Pod& pod, const std::string& claim, const ClaimedVolume& volume) {
  const bool made_for_it = std::find(pod.own_claims.begin(), pod.own_claims.end(), claim) != pod.own_claims.end();
  return made_for_it && volume.owner != pod.meta.uid;
}

void collect(const Pod& pod, const ClaimLookup& claims, PodNeeds& needs, std::vector<UnschedulableCause>& causes) {
  constexpr UnschedulableReason reason = UnschedulableReason::volume_not_ready;
  std::vector<std::pair<std::string, const Terms*>> placed;
  for (const std::string& claim : pod.claims) {
    const ClaimedVolume* volume = claims.find(pod.meta.name_space, claim);
    if (!volume)
      causes.push_back({reason, fmt::format("there is no PersistentVolumeClaim '{}'", claim)});
    else if (is_of_another(pod, claim, *volume))
      causes.push_back(
          {reason, fmt::format("PersistentVolumeClaim '{}' was not made for its ephemeral volume", claim)});
    else if (!volume->why_not.empty())
      causes.push_back({reason, fmt::format("PersistentVolumeClaim '{}' {}", claim, volume->why_not)});
    else if (!volume->node_terms.empty())
      placed.emplace_back(claim, &volume->node_terms);
  }
  for (auto one = placed.begin(); one != placed.end(); ++one) {
    needs.constraint.volumes.push_back(*one->second);
    for (auto other = std::next(one); other != placed.end(); ++other)
      if (const std::string apart = how_far_apart(*one->second, *other->second); !apart.empty())
        causes.push_back(
            {reason, fmt::format("no node can reach the volumes of PersistentVolumeClaims '{}' and '{}': {}",
                                 one->first, other->first, apart)});
  }
  std::sort(needs.constraint.volumes.begin(), needs.constraint.volumes.end());
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  return reaches_volumes(needs.constraint, offer.profile) ? "" : "node(s) had volume node affinity conflict";
}

}  // namespace

const Filter volume_topology_filter{"volume topology", collect, rejects, "add nodes where the pod's volumes are"};

}  // namespace lips::kubernetes

#include "kubernetes/pods/first_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

bool is_for(const Volume& volume, const Claim& claim) {
  return volume.claim == full_name(claim.meta) && (volume.claim_uid.empty() || volume.claim_uid == claim.meta.uid);
}

}  // namespace

std::vector<NodeSelectorTerm> terms_of(const Volume& volume) {
  if (!volume.required.empty()) return volume.required;
  NodeSelectorTerm by_labels;
  for (const auto& [key, text] : volume.labels)
    if (key.starts_with("topology.kubernetes.io/")) by_labels.push_back({key, LabelRequirement::Operator::in, {text}});
  std::vector<NodeSelectorTerm> terms;
  if (!by_labels.empty()) terms.push_back(std::move(by_labels));
  return terms;
}

bool suits(const Volume& volume, const Claim& claim) {
  if (!volume.can_be_claimed() || volume.block != claim.block || volume.size < claim.size) return false;
  if (!volume.claim.empty() && !is_for(volume, claim)) return false;
  if (volume.storage_class != claim.storage_class) return false;
  const bool has_modes =
      std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const std::string& mode) {
        return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) != volume.access_modes.end();
      });
  return has_modes && (!claim.selector || meets_all(*claim.selector, NodeProfile{volume.labels, {}}));
}

bool is_better(const Volume& volume, const Volume& than, const Claim& claim) {
  const auto rank = [&](const Volume& each) { return std::tuple(!is_for(each, claim), each.size, each.meta.name); };
  return rank(volume) < rank(than);
}

std::string size_text(const Claim& claim) {
  return fmt::format("{:.4g} GiB", static_cast<double>(claim.size) / (1 << 30));
}

std::string wish_text(const Claim& claim) {
  return fmt::format("{}, {}", size_text(claim), fmt::join(claim.access_modes, " and "));
}

}  // namespace lips::kubernetes

// All profiles that meet a placement constraint at once, found by their labels. Where constraints name nodes, each node
// has a profile of its own, and to ask profile by profile and constraint by constraint can take most of a plan.
#pragma once

#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id_set.h"
#include "model/nodes.h"

namespace lips {

using ProfileSet = IdSet<ProfileId>;

class EligibleProfiles {
 public:
  explicit EligibleProfiles(const IdVector<ProfileId, NodeProfile>& profiles);  // outlives it

  // Those of which eligible() is true, and those of its parts.
  ProfileSet of(const PlacementConstraint& constraint) const;
  ProfileSet matching_labels(const PlacementConstraint& constraint) const;
  ProfileSet meeting_all(const std::vector<LabelRequirement>& requirements) const;

 private:
  struct Label {
    explicit Label(std::size_t profiles) : has(profiles) {}
    ProfileSet has;
    std::unordered_map<std::string_view, std::vector<ProfileId>> by_value;
  };
  using Term = std::vector<LabelRequirement>;

  void add_listed(const Label& label, const LabelRequirement& requirement, ProfileSet& found) const;
  ProfileSet meeting(const LabelRequirement& requirement) const;
  ProfileSet meeting_any(const std::vector<Term>& terms) const;

  const IdVector<ProfileId, NodeProfile>& profiles_;
  std::unordered_map<std::string_view, Label> by_key_;  // looked up only
  struct Tainted {
    ProfileId like;  // any of them
    ProfileSet with;
  };
  std::map<std::vector<Taint>, Tainted> by_taints_;
};

}  // namespace lips

// The pods that somebody else places and that are on no node by themselves, such as those of services: how many of each
// workload there are, and where. Knows no ids of the model.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/filters/filter.h"
#include "model/service_pods.h"

namespace lips::kubernetes {

class ServiceCounts {
 public:
  // A pod that is not ours.
  void update(const Pod& pod, const ClaimLookup& claims);
  void forget(const std::string& full_name);
  // Looks again at what the volumes of pods allow, which may become known after the pods.
  void review_claims(const ClaimLookup& claims);
  std::vector<ServicePods> now() const;

 private:
  using Key = std::tuple<std::string, Resources, std::vector<std::pair<std::string, double>>, PlacementConstraint>;
  struct Group {
    std::map<std::string, std::uint32_t> on;  // by node; "": they wait
    std::multiset<TimePoint> created;
    std::uint32_t leaving = 0;
  };
  struct Entry {
    std::map<Key, Group>::iterator group;
    std::string node;
    ResourceAmounts requests;
    TimePoint created;
    bool leaving = false;
  };
  static bool counts(const Pod& pod);
  static Key key_of(const Pod& pod, const ClaimLookup& claims);

  std::map<Key, Group> groups_;
  std::unordered_map<std::string, Entry> entries_;  // by full name; looked up only
  std::map<std::string, Pod> with_claims_;          // the last version of those that count
};

}  // namespace lips::kubernetes

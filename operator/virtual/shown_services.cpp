#include "virtual/shown_services.h"

#include <fmt/format.h>

#include "base/check.h"
#include "virtual/pod_rules.h"
#include "virtual/scenario_objects.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char* pods_path = "/api/v1/pods";

}  // namespace

void ShownServices::show(NodeId node, const std::map<std::uint32_t, std::uint32_t>& pods, TimePoint now) {
  const auto first = shown_.lower_bound({node, 0});
  for (auto place = first; place != shown_.end() && place->first.first == node;) {
    const auto here = pods.find(place->first.second);
    const std::size_t left = here == pods.end() ? 0 : here->second;
    for (std::vector<std::string>& keys = place->second; keys.size() > left; keys.pop_back())
      objects_.remove(pods_path, keys.back());
    place = place->second.empty() ? shown_.erase(place) : std::next(place);
  }
  for (const auto& [service, count] : pods) {
    if (count == 0) continue;
    std::vector<std::string>& keys = shown_[{node, service}];
    while (keys.size() < count) keys.push_back(make(service, node, now));
  }
}

std::string ShownServices::make(std::uint32_t index, NodeId node, TimePoint now) {
  Json pod = service_pod_object(scenario_, index, ++made_);
  begin_pod(pod);
  pod["spec"]["nodeName"] = scenario_.cluster.nodes[node].name;
  pod["status"]["phase"] = "Running";
  std::string key = key_of(pod);
  LIPS_CHECK(objects_.create(pods_path, std::move(pod), now), "each pod of a service has a name of its own");
  return key;
}

}  // namespace lips::virtual_cluster

// The scores of kube-scheduler's default profile, each from 0 to 100, and their weighted sum. Pure. Left out: images,
// and affinity and spread among pods, which are equal for pods of Jobs that say nothing of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "virtual/kube_objects.h"

namespace lips::virtual_cluster {

// NodeResourcesFit's strategy: spread, which is the default, or pack.
enum class KubeScoring : std::uint8_t { least_allocated, most_allocated };
struct KubeResourceWeight {
  std::string resource;
  std::int64_t weight = 1;
};
using KubeResources = std::vector<KubeResourceWeight>;
const KubeResources& usual_resources();  // CPU and memory alike

std::int64_t score_fit(const KubePod& pod, const KubeRoom& room, KubeScoring scoring,
                       const KubeResources& resources = usual_resources());
std::int64_t score_balance(const KubePod& pod, const KubeRoom& room,
                           const KubeResources& resources = usual_resources());

// These depend on the other nodes: one score for each, in their order.
using KubeRooms = std::vector<const KubeRoom*>;
std::vector<std::int64_t> scores_of_affinity(const KubePod& pod, const KubeRooms& rooms);
std::vector<std::int64_t> scores_of_taints(const KubePod& pod, const KubeRooms& rooms);
std::vector<std::int64_t> kube_scores(const KubePod& pod, const KubeRooms& rooms, KubeScoring scoring);

}  // namespace lips::virtual_cluster

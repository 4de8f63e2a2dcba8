#include "virtual/kube_scores.h"

#include <algorithm>
#include <cmath>

#include "virtual/kube_filters.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::int64_t most = 100;
// The weights of the default profile.
constexpr std::int64_t weight_of_taints = 3, weight_of_affinity = 2;

bool counts(const KubeResourceWeight& of, const KubePod& pod) {
  return of.resource == "cpu" || of.resource == "memory" || pod.requests.of(of.resource) > 0;
}

// The largest becomes 100; or, where little is better, 0.
std::vector<std::int64_t> normalized(std::vector<std::int64_t> scores, bool little_is_better) {
  const std::int64_t largest = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (std::int64_t& score : scores) {
    if (largest > 0) score = score * most / largest;
    if (little_is_better) score = most - score;
  }
  return scores;
}

}  // namespace

const KubeResources& usual_resources() {
  static const KubeResources both{{"cpu", 1}, {"memory", 1}};
  return both;
}

std::int64_t score_fit(const KubePod& pod, const KubeRoom& room, KubeScoring scoring, const KubeResources& resources) {
  std::int64_t sum = 0, weights = 0;
  for (const KubeResourceWeight& of : resources) {
    const std::int64_t has = room.node.allocatable.of(of.resource);
    if (has == 0 || !counts(of, pod)) continue;
    const std::int64_t asked = room.counted.of(of.resource) + pod.counted.of(of.resource);
    const bool least = scoring == KubeScoring::least_allocated;
    const std::int64_t score = least ? std::max<std::int64_t>(0, has - asked) : std::min(has, asked);
    sum += score * most / has * of.weight;
    weights += of.weight;
  }
  return weights > 0 ? sum / weights : 0;
}

std::int64_t score_balance(const KubePod& pod, const KubeRoom& room, const KubeResources& resources) {
  const bool asks = std::any_of(resources.begin(), resources.end(),
                                [&](const KubeResourceWeight& of) { return pod.requests.of(of.resource) > 0; });
  if (!asks) return 0;
  std::vector<double> shares;
  for (const KubeResourceWeight& of : resources) {
    const std::int64_t has = room.node.allocatable.of(of.resource);
    if (has == 0 || !counts(of, pod)) continue;
    const std::int64_t asked = room.taken.of(of.resource) + pod.requests.of(of.resource);
    shares.push_back(std::min(1.0, static_cast<double>(asked) / static_cast<double>(has)));
  }
  double deviation = 0;
  if (shares.size() == 2) {
    deviation = std::abs(shares[0] - shares[1]) / 2;
  } else if (shares.size() > 2) {
    double sum = 0, squares = 0;
    for (const double share : shares) sum += share;
    const double mean = sum / static_cast<double>(shares.size());
    for (const double share : shares) squares += (share - mean) * (share - mean);
    deviation = std::sqrt(squares / static_cast<double>(shares.size()));
  }
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(most));
}

std::vector<std::int64_t> scores_of_affinity(const KubePod& pod, const KubeRooms& rooms) {
  std::vector<std::int64_t> scores;
  for (const KubeRoom* room : rooms) {
    std::int64_t& score = scores.emplace_back(0);
    for (const KubePreference& preference : pod.preferred)
      if (meets(preference.term, room->node)) score += preference.weight;
  }
  return normalized(std::move(scores), false);
}

std::vector<std::int64_t> scores_of_taints(const KubePod& pod, const KubeRooms& rooms) {
  constexpr const char* softly = "PreferNoSchedule";
  std::vector<std::int64_t> scores;
  for (const KubeRoom* room : rooms)
    scores.push_back(std::count_if(room->node.taints.begin(), room->node.taints.end(), [&](const KubeTaint& taint) {
      return taint.effect == softly && std::none_of(pod.tolerations.begin(), pod.tolerations.end(),
                                                    [&](const auto& one) { return tolerates(one, taint); });
    }));
  return normalized(std::move(scores), true);
}

std::vector<std::int64_t> kube_scores(const KubePod& pod, const KubeRooms& rooms, KubeScoring scoring) {
  std::vector<std::int64_t> scores = scores_of_taints(pod, rooms);
  const std::vector<std::int64_t> preferred = scores_of_affinity(pod, rooms);
  for (std::size_t i = 0; i < rooms.size(); ++i)
    scores[i] = weight_of_taints * scores[i] + weight_of_affinity * preferred[i] + score_fit(pod, *rooms[i], scoring) +
                score_balance(pod, *rooms[i]);
  return scores;
}

}  // namespace lips::virtual_cluster

#include "policies/lips/prices/interruptions.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

// Beyond, hardly an attempt in a hundred ends, and prices would only lose digits.
constexpr double most_interruptions = 5;

}  // namespace

InterruptionRates::InterruptionRates(const ClusterSnapshot& cluster) {
  for (const Offer& offer : cluster.offers) {
    const Node& node = cluster.nodes[offer.like];
    const Place place{node.zone, node.capacity_type};
    for (double* rate : {&worst_[place], &of_type_[{place, node.instance_type}]})
      *rate = std::max(*rate, interruptions_a_second(offer));
  }
}

double InterruptionRates::of(const Node& node) const {
  const Place place{node.zone, node.capacity_type};
  const auto worst = worst_.find(place);
  if (worst == worst_.end() || worst->second == 0) return 0;  // most nodes: none is like an offer that is interrupted
  const auto found = of_type_.find({place, node.instance_type});
  return found == of_type_.end() ? worst->second : found->second;
}

void find_most_interrupted(NodeClasses& classes) {
  for (const NodeClass& group : classes.classes)
    classes.most_interrupted = std::max(classes.most_interrupted, group.interruptions / group.speed);
}

double price_of_interruptions(const NodeClasses& classes, const NodeClass& group, double seconds, double stake,
                              double urgency) {
  const double time = seconds / group.speed, expected = std::min(group.interruptions * time, most_interruptions);
  if (expected <= 0 || (expected < rare_interruptions && stake <= 1)) return 0;
  const double done_anew = std::expm1(expected) / expected - 1;  // over the task's own time
  return stake * done_anew * (group.price.value() / urgency + classes.waiting * time);
}

}  // namespace lips

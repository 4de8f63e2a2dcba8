// Tasks on nodes that the cloud may take back, as it does with spot nodes.
//
// A task of d seconds that starts anew at each interruption, of which there are r a second at random, is done after
// (e^(r d) - 1) / r seconds in the mean (A. Duda, The effects of checkpointing on program execution time, Information
// Processing Letters 16, 1983). What is done anew is paid again, and waited for. Left out: what is read again.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "model/snapshot.h"
#include "policies/lips/prices/price_term.h"

namespace lips {

// So many interruptions in a task's time are rare: the task then pays as the mean task of its offer does, and takes any
// class. Where they are more, it pays for its own.
inline constexpr double rare_interruptions = 0.1;

inline double interruptions_a_second(const Offer& offer) { return offer.interruptions / 3600; }

// The rates of a node, a second: those of the offers of its zone, capacity type and instance type, or, where none is of
// its instance type, of the worst of the others.
class InterruptionRates {
 public:
  explicit InterruptionRates(const ClusterSnapshot& cluster);
  double of(const Node& node) const;

 private:
  using Place = std::pair<ZoneId, CapacityType>;
  std::map<Place, double> worst_;
  std::map<std::pair<Place, std::string>, double> of_type_;
};

// USD per CPU-second of work that interruptions add, in the mean, to a task that takes so many seconds at speed 1; 0
// where they are rare. `stake`: what is done anew with it, its own work included, as a multiple of its own. `urgency`:
// of its job, which takes dollars that much lighter.
double price_of_interruptions(const NodeClasses& classes, const NodeClass& group, double seconds, double stake = 1,
                              double urgency = 1);

// Sets `most_interrupted`.
void find_most_interrupted(NodeClasses& classes);

inline constexpr PriceTerm interruptions_term{
    "interruptions", PriceKind::dollars,
    [](const NodeClasses& classes, const TaskShape& tasks) {
      return classes.most_interrupted * tasks.seconds >= rare_interruptions;
    },
    [](const NodeClasses& classes, const NodeClass& group, const Commodity& commodity) {
      return price_of_interruptions(classes, group, commodity.longest, 1, commodity.urgency);
    }};

}  // namespace lips

// The cheapest place for a task, against a search through every node and every end of a running task.
#include "policies/lips/placing/offers.h"

#include "policies/lips/placing/demands.h"
#include "policies/lips/prices/price_terms.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/lips/lips_case.h"

namespace lips {
namespace {

struct Place {
  double price;
  ClassId of_class;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// The facts beside the cluster after some offers were taken.
struct Taken {
  IdVector<NodeId, Resources> free;
  std::map<NodeId, Resources> reserved;
  std::vector<std::tuple<double, NodeId, Resources>> ends;  // of tasks that took an offer
};

std::optional<Place> cheapest_of_all(const testing::Model& model, const Taken& taken, const Portion& portion) {
  const ClusterSnapshot& cluster = model.cluster;
  const Commodity& commodity = model.workload.commodities[portion.commodity];
  const Resources& request = cluster.jobs[portion.job].request;
  std::optional<Place> best;
  const auto consider = [&](double price, ClassId c) {
    if (!best || Place{price, c} < *best) best = Place{price, c};
  };
  for (const ClassId c : model.classes.classes.ids()) {
    const NodeClass& group = model.classes.classes[c];
    if (!fits(request, group.shape)) continue;
    if (!commodity.any_class && !cluster.eligible(commodity.constraint, group.like)) continue;
    const double price = price_in(model.classes, group, commodity);
    for (const NodeId node : group.nodes) {
      if (fits(request, taken.free[node])) consider(price, c);
      std::vector<std::pair<double, Resources>> ends;
      for (const RunningTask& run : cluster.running)
        if (run.node == node)
          ends.emplace_back(std::max(1.0, to_seconds(run.expected_end - cluster.now)), cluster.jobs[run.job].request);
      for (const auto& [at, of_node, of_task] : taken.ends)
        if (of_node == node) ends.emplace_back(std::max(1.0, at), of_task);
      std::sort(ends.begin(), ends.end());
      Resources room = taken.free[node];
      if (const auto reserved = taken.reserved.find(node); reserved != taken.reserved.end()) room -= reserved->second;
      for (const auto& [at, of_task] : ends)
        if (room += of_task; fits(request, room)) {
          consider(price + model.classes.waiting * at, c);
          break;
        }
    }
  }
  return best;
}

simulation::SnapshotShape shape(std::uint64_t seed) {
  simulation::SnapshotShape shape;
  shape.nodes = 24, shape.tasks = 120, shape.jobs = 24, shape.classes = seed % 2 == 0 ? 6 : 20, shape.zones = 3;
  shape.memory = true, shape.share_of_jobs_with_selectors = 0.3, shape.busy = 0.95, shape.odd_requests = seed % 3 == 0;
  shape.equal_prices = seed % 5 == 0, shape.seed = seed;
  return shape;
}

TEST(Offers, AreTheCheapestPlacesNowOrLaterHoweverManyWereTaken) {
  int now = 0, later = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const ClusterState state = simulation::random_cluster(shape(seed));
    const CostModel costs = simulation::random_costs(shape(seed));
    testing::Model model(state.snapshot(), costs);
    model.classes.waiting = seed % 4 == 0 ? 1e-6 : 1e-9;
    const Demands demands(model.cluster, model.workload);
    Taken taken{model.cluster.free, {}, {}};
    IdVector<NodeId, Resources> free = model.cluster.free;
    PromisedRoom promised;  // keeps none
    Offers offers(model.cluster, model.classes, free, promised);
    Random random(derive_seed(seed, 9));
    for (int i = 0; i < 60; ++i) {
      const PortionId id(static_cast<std::uint32_t>(random.below(model.workload.portions.size())));
      const Portion& portion = model.workload.portions[id];
      const Commodity& commodity = model.workload.commodities[portion.commodity];
      const Resources& request = *demands[id].request;
      const auto best = cheapest_of_all(model, taken, portion);
      const auto offer = offers.cheapest(commodity, request, portion.work);
      ASSERT_EQ(offer.has_value(), best.has_value()) << i;
      if (!offer) continue;
      ASSERT_NEAR(offer->price, best->price, 1e-12 * best->price) << i;
      ++(offer->now() ? now : later);
      const double end = 1e6 + i;  // after all that run: ends that come later than a search began are found last
      offers.take(*offer, request, end);
      if (offer->now()) {
        taken.free[offer->node] -= request;
        taken.ends.emplace_back(end, offer->node, request);
      } else {
        taken.reserved.try_emplace(offer->node, Resources{Cores(0), Mebibytes(0), 0}).first->second += request;
      }
    }
  }
  EXPECT_GT(now, 300);
  EXPECT_GT(later, 300);
}

}  // namespace
}  // namespace lips

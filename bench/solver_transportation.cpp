// The zone form: our successive shortest paths beside our network simplex, CLP and, where found, LEMON, on the same
// instances.
#include <cmath>

#include "bench/solver_bench.h"
#include "solver/clp_backend.h"
#include "solver/min_cost_flow.h"

#ifdef LIPS_WITH_LEMON
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>
#endif

namespace {

using namespace lips::solver;
using lips::bench::best_milliseconds;
using lips::bench::ZoneShape;

constexpr double flow_scale = 1000, price_scale = 1e6;

// Integers of 1/1000 unit and 1/1,000,000 price: groups, zones, one sink.
MinCostFlow as_network(const ZoneTransportation& problem) {
  const int groups = static_cast<int>(problem.supply.size()), zones = static_cast<int>(problem.steps.size());
  MinCostFlow network(groups + zones + 1);
  const int sink = groups + zones;
  std::int64_t total = 0;
  for (int g = 0; g < groups; ++g) {
    const auto supply = std::llround(problem.supply[g] * flow_scale);
    total += supply;
    network.set_supply(g, supply);
    for (int z = 0; z < zones; ++z)
      network.add_arc(g, groups + z, MinCostFlow::unlimited,
                      std::llround(problem.unit_cost[g * zones + z] * price_scale));
    network.add_arc(g, sink, MinCostFlow::unlimited, std::llround(problem.unserved_price[g] * price_scale));
  }
  for (int z = 0; z < zones; ++z)
    for (const ZoneStep& step : problem.steps[z])
      network.add_arc(groups + z, sink, std::llround(step.capacity * flow_scale),
                      std::llround(step.unit_price * price_scale));
  network.set_supply(sink, -total);
  return network;
}

#ifdef LIPS_WITH_LEMON
// The graph is built once, outside of what is timed.
class LemonNetwork {
 public:
  explicit LemonNetwork(const MinCostFlow& network) {
    graph_.reserveNode(network.nodes());
    graph_.reserveArc(network.arcs());
    for (int v = 0; v < network.nodes(); ++v) supply_[graph_.addNode()] = network.supply(v);
    for (int a = 0; a < network.arcs(); ++a) {
      const auto arc = graph_.addArc(graph_.nodeFromId(network.from(a)), graph_.nodeFromId(network.to(a)));
      capacity_[arc] = network.capacity(a);
      cost_[arc] = network.cost(a);
    }
  }
  std::int64_t solve() const {
    lemon::NetworkSimplex<lemon::SmartDigraph, std::int64_t, std::int64_t> simplex(graph_);
    simplex.supplyMap(supply_).upperMap(capacity_).costMap(cost_);
    simplex.run();
    return simplex.totalCost<std::int64_t>();
  }

 private:
  lemon::SmartDigraph graph_;
  lemon::SmartDigraph::NodeMap<std::int64_t> supply_{graph_};
  lemon::SmartDigraph::ArcMap<std::int64_t> capacity_{graph_}, cost_{graph_};
};
#endif

void compare(const ZoneShape& shape) {
  const auto problem = lips::bench::zone_instance(shape, 1);
  const bool small = shape.groups < 1000;
  ZoneTransportationSolution ours;
  const double own = best_milliseconds(small ? 200 : 5, [&] { ours = solve_zone_transportation(problem); });
  std::printf("%6d groups x %2d zones x %4d steps, load %.2f: zone form %9.4f ms (gap %.1e)", shape.groups, shape.zones,
              shape.steps, shape.load, own, (ours.objective - ours.lower_bound) / ours.objective);
  const MinCostFlow network = as_network(problem);
  FlowSolution flow;
  const double simplex = best_milliseconds(small ? 20 : 1, [&] { flow = network.solve(); });
  std::printf(" | own network simplex %9.3f ms (x%.1f)", simplex, simplex / own);
#ifdef LIPS_WITH_LEMON
  const LemonNetwork reference(network);
  std::int64_t cost = 0;
  const double lemon = best_milliseconds(small ? 20 : 1, [&] { cost = reference.solve(); });
  std::printf(" | LEMON NetworkSimplex %9.3f ms (x%.1f, cost %s)", lemon, lemon / own,
              cost == flow.cost ? "equal" : "DIFFERENT");
#endif
  const LinearProgram program = lips::bench::zone_program(problem);
  LpSolution clp;
  const double by_clp = best_milliseconds(small ? 20 : 1, [&] { clp = solve(program); });
  std::printf(" | CLP %9.3f ms (x%.1f, relative difference %.1e)\n", by_clp, by_clp / own,
              std::abs(clp.objective - ours.objective) / clp.objective);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char**) {
  for (const double load : {0.8, 1.2}) {
    compare({30, 3, 18, load});
    compare({30, 3, 90, load});
    compare({300, 6, 240, load});
    compare({3000, 6, 240, load});
    compare({10000, 6, 240, load});
    if (argc > 1) compare({10000, 12, 2400, load});  // with any argument: minutes for CLP
  }
}

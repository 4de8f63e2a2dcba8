#include "simulation/stripe_placement.h"

#include <utility>

namespace lips::simulation {

namespace {

// Counts the blocks in each rack, and decides whether it takes another.
class RackLimit {
 public:
  RackLimit(const ClusterSnapshot& cluster, std::uint32_t most)
      : cluster_(cluster), most_(most), taken_(cluster.racks.size() + cluster.zones.size(), 0) {}
  bool take(NodeId node) {
    const Node& where = cluster_.nodes[node];
    const std::size_t place = where.rack.valid() ? where.rack.index() : cluster_.racks.size() + where.zone.index();
    if (most_ > 0 && taken_[place] >= most_) return false;
    ++taken_[place];
    return true;
  }

 private:
  const ClusterSnapshot& cluster_;
  std::uint32_t most_;
  std::vector<std::uint32_t> taken_;
};

}  // namespace

std::uint32_t stripe_room(const ClusterSnapshot& cluster, std::span<const NodeId> nodes, std::uint32_t most_per_rack) {
  RackLimit limit(cluster, most_per_rack);
  std::uint32_t room = 0;
  for (NodeId node : nodes) room += limit.take(node) ? 1 : 0;
  return room;
}

std::vector<NodeId> place_stripe(const ClusterSnapshot& cluster, std::span<const NodeId> nodes, std::uint32_t blocks,
                                 std::uint32_t most_per_rack, Random& random) {
  std::vector<NodeId> order(nodes.begin(), nodes.end());
  random.shuffle(std::span(order));
  RackLimit limit(cluster, most_per_rack);
  std::vector<NodeId> chosen;
  for (NodeId node : order)
    if (chosen.size() < blocks && limit.take(node)) chosen.push_back(node);
  return chosen;
}

}  // namespace lips::simulation

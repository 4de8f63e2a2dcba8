#include "solver/min_cost_flow.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lips::solver {
namespace {

// Primal network simplex (Dantzig) with strongly feasible trees (Cunningham 1976), so it cannot cycle, and block search
// for the entering arc. Parent pointers and child lists hold the tree, so a pivot rewrites only the cut subtree.
class NetworkSimplex {
 public:
  explicit NetworkSimplex(const MinCostFlow& problem) : problem_(problem), root_(problem.nodes()) {}

  FlowSolution solve() {
    FlowSolution solution;
    if (!load()) {
      solution.status = FlowStatus::out_of_range;
      return solution;
    }
    std::int64_t total = 0;
    for (int v = 0; v < root_; ++v) total += problem_.supply(v);
    if (total != 0) return solution;
    while (find_entering()) {
      ++solution.pivots;
      if (!pivot()) {
        solution.status = FlowStatus::unbounded;
        return solution;
      }
    }
    return finish(solution);
  }

 private:
  enum State : std::int8_t { at_upper = -1, in_tree = 0, at_lower = 1 };

  struct Arc {
    std::int32_t from, to;
    std::int64_t cost;
  };

  struct Node {
    std::int32_t parent = -1, parent_arc = -1, depth = 0;
    std::int32_t first_child = -1, next = -1, previous = -1;
    bool arc_goes_up = false;  // the parent arc leads from this node to its parent
  };

  bool load() {
    const int arcs = problem_.arcs();
    std::int64_t largest = 1;
    for (int a = 0; a < arcs; ++a) largest = std::max(largest, std::abs(problem_.cost(a)));
    if (static_cast<double>(largest) * (root_ + 2) >= std::ldexp(1.0, 60)) return false;
    artificial_cost_ = largest * (root_ + 1);
    arc_.reserve(arcs + root_);
    capacity_.reserve(arcs + root_);
    block_ = std::max(static_cast<int>(std::sqrt(static_cast<double>(arcs))), 10);
    // Arcs that are neighbours in the order of the caller share nodes, but a block of the search should see many nodes.
    place_of_.resize(arcs);
    for (int first = 0; first < block_; ++first)
      for (int a = first; a < arcs; a += block_) {
        place_of_[a] = static_cast<int>(arc_.size());
        arc_.push_back({problem_.from(a), problem_.to(a), problem_.cost(a)});
        capacity_.push_back(problem_.capacity(a));
      }
    flow_.assign(arcs + root_, 0);
    state_.assign(arcs + root_, at_lower);
    node_.assign(root_ + 1, {});
    potential_.assign(root_ + 1, 0);
    for (int v = 0; v < root_; ++v) add_artificial(v);
    return true;
  }

  void add_artificial(int v) {
    const std::int64_t supply = problem_.supply(v);
    const int a = static_cast<int>(arc_.size());
    const bool up = supply >= 0;
    arc_.push_back(up ? Arc{v, root_, artificial_cost_} : Arc{root_, v, artificial_cost_});
    capacity_.push_back(MinCostFlow::unlimited);
    flow_[a] = std::abs(supply);
    state_[a] = in_tree;
    node_[v].arc_goes_up = up;
    potential_[v] = up ? -artificial_cost_ : artificial_cost_;
    attach(v, root_, a);
    node_[v].depth = 1;
  }

  std::int64_t reduced_cost(const Arc& arc) const { return arc.cost + potential_[arc.from] - potential_[arc.to]; }

  // The arc with the largest violation in the first block with any. Artificial arcs never re-enter.
  bool find_entering() {
    const int arcs = problem_.arcs();
    std::int64_t worst = 0;
    int in_block = block_;
    for (int seen = 0; seen < arcs; ++seen) {
      const int a = next_arc_;
      if (++next_arc_ == arcs) next_arc_ = 0;
      const std::int64_t violation = state_[a] * reduced_cost(arc_[a]);
      if (violation < worst) {
        worst = violation;
        entering_ = a;
      }
      if (--in_block == 0) {
        if (worst < 0) return true;
        in_block = block_;
      }
    }
    return worst < 0;
  }

  // Room of the tree arc above v for flow down (from the parent to v) or up.
  std::int64_t room(int v, bool down) const {
    const int a = node_[v].parent_arc;
    return node_[v].arc_goes_up == down ? flow_[a] : capacity_[a] - flow_[a];
  }

  int join_of(int u, int v) const {
    while (u != v) {
      if (node_[u].depth < node_[v].depth) std::swap(u, v);
      u = node_[u].parent;
    }
    return u;
  }

  bool pivot() {
    const Arc arc = arc_[entering_];
    const bool forward = state_[entering_] == at_lower;
    const int first = forward ? arc.from : arc.to, second = forward ? arc.to : arc.from;
    const int join = join_of(first, second);
    // The last blocking arc of the cycle, seen from the join along the flow, leaves: this keeps the tree strongly
    // feasible.
    std::int64_t step = capacity_[entering_];
    int leaving_node = -1;
    bool on_first_side = false;
    for (int v = first; v != join; v = node_[v].parent)
      if (const auto space = room(v, true); space < step) {
        step = space;
        leaving_node = v;
        on_first_side = true;
      }
    for (int v = second; v != join; v = node_[v].parent)
      if (const auto space = room(v, false); space <= step) {
        step = space;
        leaving_node = v;
        on_first_side = false;
      }
    if (step >= MinCostFlow::unlimited / 2) return false;
    push(first, second, join, step);
    flow_[entering_] += forward ? step : -step;
    if (leaving_node < 0) {
      state_[entering_] = forward ? at_upper : at_lower;
      return true;
    }
    const int leaving = node_[leaving_node].parent_arc;
    state_[leaving] = flow_[leaving] == 0 ? at_lower : at_upper;
    state_[entering_] = in_tree;
    replace(leaving_node, on_first_side ? first : second, on_first_side ? second : first);
    return true;
  }

  void push(int first, int second, int join, std::int64_t step) {
    if (step == 0) return;
    for (int v = first; v != join; v = node_[v].parent)
      flow_[node_[v].parent_arc] += node_[v].arc_goes_up ? -step : step;
    for (int v = second; v != join; v = node_[v].parent)
      flow_[node_[v].parent_arc] += node_[v].arc_goes_up ? step : -step;
  }

  void attach(int v, int parent, int arc) {
    Node& node = node_[v];
    node.parent = parent;
    node.parent_arc = arc;
    node.previous = -1;
    node.next = node_[parent].first_child;
    if (node.next >= 0) node_[node.next].previous = v;
    node_[parent].first_child = v;
  }

  void detach(int v) {
    const Node& node = node_[v];
    if (node.previous >= 0)
      node_[node.previous].next = node.next;
    else
      node_[node.parent].first_child = node.next;
    if (node.next >= 0) node_[node.next].previous = node.previous;
  }

  // Cuts the subtree of `top` off, turns it so that `inside` is its root, and hangs it under `outside` by the entering
  // arc.
  void replace(int top, int inside, int outside) {
    const std::int64_t reduced = reduced_cost(arc_[entering_]);
    const bool entering_goes_up = arc_[entering_].from == inside;
    int v = inside, parent = outside, arc = entering_;
    bool up = entering_goes_up;
    while (true) {
      const int old_parent = node_[v].parent, old_arc = node_[v].parent_arc;
      const bool old_up = node_[v].arc_goes_up;
      detach(v);
      attach(v, parent, arc);
      node_[v].arc_goes_up = up;
      if (v == top) break;
      parent = v;
      arc = old_arc;
      up = !old_up;
      v = old_parent;
    }
    shift_subtree(inside, entering_goes_up ? -reduced : reduced);
  }

  void shift_subtree(int top, std::int64_t by) {
    int v = top;
    while (true) {
      potential_[v] += by;
      node_[v].depth = node_[node_[v].parent].depth + 1;
      if (node_[v].first_child >= 0) {
        v = node_[v].first_child;
        continue;
      }
      while (v != top && node_[v].next < 0) v = node_[v].parent;
      if (v == top) return;
      v = node_[v].next;
    }
  }

  FlowSolution finish(FlowSolution& solution) const {
    const int arcs = problem_.arcs();
    for (int a = arcs; a < arcs + root_; ++a)
      if (flow_[a] > 0) return solution;
    solution.status = FlowStatus::optimal;
    solution.flow.resize(arcs);
    for (int a = 0; a < arcs; ++a) solution.flow[a] = flow_[place_of_[a]];
    solution.potential.assign(potential_.begin(), potential_.begin() + root_);
    for (int a = 0; a < arcs; ++a) solution.cost += arc_[a].cost * flow_[a];
    return solution;
  }

  const MinCostFlow& problem_;
  const int root_;
  std::int64_t artificial_cost_ = 0;
  std::vector<std::int32_t> place_of_;  // place of each arc of the caller
  std::vector<Arc> arc_;
  std::vector<std::int64_t> capacity_, flow_, potential_;
  std::vector<std::int8_t> state_;
  std::vector<Node> node_;
  int block_ = 0, next_arc_ = 0, entering_ = -1;
};

}  // namespace

void MinCostFlow::reserve_arcs(std::size_t count) {
  for (auto* ends : {&from_, &to_}) ends->reserve(count);
  for (auto* amounts : {&capacity_, &cost_}) amounts->reserve(count);
}

std::int32_t MinCostFlow::add_arc(std::int32_t from, std::int32_t to, std::int64_t capacity, std::int64_t cost) {
  from_.push_back(from);
  to_.push_back(to);
  capacity_.push_back(capacity < unlimited ? capacity : unlimited);
  cost_.push_back(cost);
  return arcs() - 1;
}

FlowSolution MinCostFlow::solve() const { return NetworkSimplex(*this).solve(); }

}  // namespace lips::solver

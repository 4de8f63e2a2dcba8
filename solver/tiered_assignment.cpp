#include "solver/tiered_assignment.h"

#include <algorithm>
#include <limits>
#include <map>

namespace lips::solver {

namespace {
constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max() / 4;
}

// The flow network: item -> near bin, item -> group of a near bin, item -> hub, item -> sink (nowhere); hub -> group ->
// bin -> sink. Flow on hub and group arcs is a count for all items together; the end decides which bin of a group each
// item gets.
class TieredFlow {
 public:
  const TieredSolution& solve(const TieredAssignment& problem, int max_phases) {
    start(problem);
    place_near_greedily();
    solution_.phases = 0;
    while (unplaced_ > 0 && solution_.phases < max_phases) {
      ++solution_.phases;
      const std::int64_t step = search();
      if (step > 0)
        raise_potentials(step);
      else
        augment_all();
    }
    solution_.optimal = unplaced_ == 0;
    // Every missing path costs at least as much as the last one.
    const std::int64_t bound = offset_ + flow_cost() + unplaced_ * path_cost_;
    place_rest_greedily();
    report(solution_);
    solution_.lower_bound = solution_.optimal ? solution_.cost : std::min(bound, solution_.cost);
    return solution_;
  }

 private:
  void start(const TieredAssignment& problem) {
    problem_ = &problem;
    items_ = static_cast<int>(problem.near_start.size()) - 1;
    bins_ = static_cast<int>(problem.slots.size());
    groups_ = bins_ == 0 ? 0 : 1 + *std::max_element(problem.group_of_bin.begin(), problem.group_of_bin.end());
    first_bin_ = items_;
    first_group_ = first_bin_ + bins_;
    hub_ = first_group_ + groups_;
    sink_ = hub_ + 1;
    offset_ = path_cost_ = 0;
    most_near_ = 0;
    cost_.clear();
    touched_.clear();
    normalise_costs();
    list_bins_by_group();
    place_.assign(items_, {});
    next_.assign(items_, -1);
    previous_.assign(items_, -1);
    head_.assign(sink_ - first_bin_, -1);
    used_.assign(bins_, 0);
    from_group_.assign(bins_, 0);
    from_hub_.assign(groups_, 0);
    potential_.assign(sink_, 0);
    distance_.assign(sink_, far_away);
    level_.assign(sink_, -1);
    cursor_.assign(sink_, {});
  }

  static constexpr std::int32_t unplaced = -1;

  struct Place {
    Tier tier = Tier::nowhere;
    std::int32_t vertex = unplaced;  // the bin, group, hub or sink that the item's flow goes to
  };
  struct Cursor {
    std::int32_t arc = 0, item = -1;
  };

  const TierCosts& costs(int item) const {
    return cost_[problem_->kind_of_item.empty() ? 0 : problem_->kind_of_item[item]];
  }

  // Every solution pays the least cost of each item. The remainder is at least 0, so potentials of 0 are a start.
  void normalise_costs() {
    least_.clear();
    for (const TierCosts& kind : problem_->kinds) {
      least_.push_back(std::min(kind.near, kind.nowhere));
      cost_.push_back({kind.near - least_.back(), kind.group - least_.back(), kind.anywhere - least_.back(),
                       kind.nowhere - least_.back()});
    }
    for (int t = 0; t < items_; ++t) {
      const int near = problem_->near_start[t + 1] - problem_->near_start[t];
      offset_ += least_[problem_->kind_of_item.empty() ? 0 : problem_->kind_of_item[t]];
      most_near_ = std::max(most_near_, near);
    }
  }

  void list_bins_by_group() {
    group_start_.assign(groups_ + 1, 0);
    for (const int group : problem_->group_of_bin) ++group_start_[group + 1];
    for (int g = 0; g < groups_; ++g) group_start_[g + 1] += group_start_[g];
    group_bins_.resize(bins_);
    at_ = group_start_;
    for (int b = 0; b < bins_; ++b) group_bins_[at_[problem_->group_of_bin[b]]++] = b;
  }

  int near_count(int item) const { return problem_->near_start[item + 1] - problem_->near_start[item]; }
  int near_bin(int item, int k) const { return problem_->near_bins[problem_->near_start[item] + k]; }

  // ---- items in the list of where their flow goes

  void put(int item, Tier tier, int vertex) {
    place_[item] = {tier, vertex};
    if (vertex == sink_) return;
    int& head = head_[vertex - first_bin_];
    next_[item] = head;
    previous_[item] = -1;
    if (head >= 0) previous_[head] = item;
    head = item;
  }

  void take_out(int item) {
    const int vertex = place_[item].vertex;
    if (vertex == unplaced || vertex == sink_) return;
    if (previous_[item] >= 0)
      next_[previous_[item]] = next_[item];
    else
      head_[vertex - first_bin_] = next_[item];
    if (next_[item] >= 0) previous_[next_[item]] = previous_[item];
  }

  // ---- the start: cheap places near, items with few near bins first, bins with few suitors first

  void place_near_greedily() {
    suitors_.assign(bins_, 0);
    by_count_.resize(std::max<std::size_t>(by_count_.size(), most_near_ + 1));
    for (auto& items : by_count_) items.clear();
    unplaced_ = items_;
    for (int t = 0; t < items_; ++t) {
      if (costs(t).near != 0) continue;
      by_count_[near_count(t)].push_back(t);
      for (int k = 0; k < near_count(t); ++k) ++suitors_[near_bin(t, k)];
    }
    for (const auto& items : by_count_)
      for (const int t : items) {
        int best = -1;
        std::int64_t best_score = 0;
        for (int k = 0; k < near_count(t); ++k) {
          const int b = near_bin(t, k);
          --suitors_[b];
          const std::int64_t score = std::int64_t{problem_->slots[b]} - used_[b] - suitors_[b];
          if (used_[b] < problem_->slots[b] && (best < 0 || score > best_score)) {
            best = b;
            best_score = score;
          }
        }
        if (best < 0) continue;
        put(t, Tier::near, first_bin_ + best);
        ++used_[best];
        --unplaced_;
      }
  }

  // ---- the residual graph

  struct Arc {
    int to;
    std::int64_t cost;
  };

  // The residual arc out of `v` at the cursor, which moves past arcs without room. False at the end.
  bool current(int v, Cursor& cursor, Arc& arc) const {
    if (v < first_bin_) return current_of_item(v, cursor, arc);
    arc.cost = 0;
    for (const int count = plain_arcs(v); cursor.arc < count; ++cursor.arc)
      if (plain_arc(v, cursor.arc, arc.to)) return true;
    if (cursor.item < 0) return false;
    arc = {cursor.item, -cost_of(cursor.item, place_[cursor.item].tier)};
    return true;
  }

  void advance(int v, Cursor& cursor) const {
    if (v < first_bin_ || cursor.arc < plain_arcs(v))
      ++cursor.arc;
    else
      cursor.item = next_[cursor.item];
  }

  std::int64_t cost_of(int item, Tier tier) const {
    const TierCosts& of = costs(item);
    switch (tier) {
      case Tier::near:
        return of.near;
      case Tier::group:
        return of.group;
      case Tier::anywhere:
        return of.anywhere;
      default:
        return of.nowhere;
    }
  }

  bool current_of_item(int t, Cursor& cursor, Arc& arc) const {
    const int near = near_count(t);
    for (const int end = 2 * near + 2; cursor.arc < end; ++cursor.arc) {
      const int k = cursor.arc;
      const Tier tier = k < near        ? Tier::near
                        : k < 2 * near  ? Tier::group
                        : k == 2 * near ? Tier::anywhere
                                        : Tier::nowhere;
      if (tier == Tier::near)
        arc.to = first_bin_ + near_bin(t, k);
      else if (tier == Tier::group)
        arc.to = first_group_ + problem_->group_of_bin[near_bin(t, k - near)];
      else
        arc.to = tier == Tier::anywhere ? hub_ : sink_;
      if (arc.to == place_[t].vertex) continue;
      arc.cost = cost_of(t, tier);
      return true;
    }
    return false;
  }

  // Arcs that do not lead back to an item: bin -> sink and its group, group -> its bins and the hub, hub -> groups.
  int plain_arcs(int v) const {
    if (v < first_group_) return 2;
    if (v == hub_) return groups_;
    return group_start_[v - first_group_ + 1] - group_start_[v - first_group_] + 1;
  }

  bool plain_arc(int v, int k, int& to) const {
    if (v < first_group_) {
      const int b = v - first_bin_;
      to = k == 0 ? sink_ : first_group_ + problem_->group_of_bin[b];
      return k == 0 ? used_[b] < problem_->slots[b] : from_group_[b] > 0;
    }
    if (v == hub_) {
      to = first_group_ + k;
      return true;
    }
    const int g = v - first_group_, bin = group_start_[g] + k;
    to = bin < group_start_[g + 1] ? first_bin_ + group_bins_[bin] : hub_;
    return to != hub_ || from_hub_[g] > 0;
  }

  Cursor first_arc(int v) const { return {0, v < first_bin_ ? -1 : head_[v - first_bin_]}; }
  std::int64_t reduced(int v, const Arc& arc) const {
    return arc.cost + potential_[v] - (arc.to == sink_ ? 0 : potential_[arc.to]);
  }

  // ---- searching

  // The distance of the sink from the unplaced items by reduced costs. When it is 0, `level_` counts the arcs on the
  // way.
  std::int64_t search() {
    for (const int v : touched_) {
      distance_[v] = far_away;
      level_[v] = -1;
    }
    touched_.clear();
    std::map<std::int64_t, std::vector<int>> buckets;
    for (int t = 0; t < items_; ++t)
      if (place_[t].vertex == unplaced) reach(t, 0, 0, buckets[0]);
    std::int64_t to_sink = far_away;
    while (!buckets.empty() && buckets.begin()->first < to_sink) {
      const std::int64_t distance = buckets.begin()->first;
      std::vector<int> queue = std::move(buckets.begin()->second);
      buckets.erase(buckets.begin());
      for (std::size_t at = 0; at < queue.size(); ++at) {
        const int v = queue[at];
        if (distance_[v] != distance) continue;
        Cursor cursor = first_arc(v);
        for (Arc arc; current(v, cursor, arc); advance(v, cursor)) {
          const std::int64_t longer = distance + reduced(v, arc);
          if (arc.to == sink_) {
            to_sink = std::min(to_sink, longer);
            if (longer == 0) return 0;
          } else if (longer < distance_[arc.to]) {
            reach(arc.to, longer, level_[v] + 1, longer == distance ? queue : buckets[longer]);
          }
        }
      }
    }
    return to_sink;
  }

  void reach(int v, std::int64_t distance, int level, std::vector<int>& queue) {
    if (distance_[v] == far_away) touched_.push_back(v);
    distance_[v] = distance;
    level_[v] = level;
    cursor_[v] = first_arc(v);
    queue.push_back(v);
  }

  // The sink keeps its potential 0; everything nearer than it sinks.
  void raise_potentials(std::int64_t step) {
    for (const int v : touched_)
      if (distance_[v] < step) potential_[v] -= step - distance_[v];
    path_cost_ += step;
  }

  // ---- augmenting

  void augment_all() {
    for (int t = 0; t < items_; ++t)
      if (place_[t].vertex == unplaced && level_[t] == 0 && find_path(t)) apply_path();
  }

  // Depth-first search along arcs of reduced cost 0 that lead one level on. Dead ends stay dead for the phase.
  bool find_path(int item) {
    path_.assign(1, item);
    while (!path_.empty()) {
      const int v = path_.back();
      Arc arc;
      if (!current(v, cursor_[v], arc)) {
        path_.pop_back();
        if (!path_.empty()) advance(path_.back(), cursor_[path_.back()]);
      } else if (reduced(v, arc) != 0 || (arc.to != sink_ && level_[arc.to] != level_[v] + 1)) {
        advance(v, cursor_[v]);
      } else if (arc.to == sink_) {
        return true;
      } else {
        path_.push_back(arc.to);
      }
    }
    return false;
  }

  void apply_path() {
    for (std::size_t k = 0; k < path_.size(); ++k) {
      const int v = path_[k], to = k + 1 < path_.size() ? path_[k + 1] : sink_;
      if (v < first_bin_) {
        take_out(v);
        put(v,
            to == sink_         ? Tier::nowhere
            : to < first_group_ ? Tier::near
            : to == hub_        ? Tier::anywhere
                                : Tier::group,
            to);
      } else if (to < first_bin_) {
        advance(v, cursor_[v]);  // before the item leaves the list, because the item knows what follows it
      } else if (to == sink_) {
        ++used_[v - first_bin_];
      } else if (v < first_group_) {
        --from_group_[v - first_bin_];
      } else if (v == hub_) {
        ++from_hub_[to - first_group_];
      } else if (to == hub_) {
        --from_hub_[v - first_group_];
      } else {
        ++from_group_[to - first_bin_];
      }
    }
    --unplaced_;
  }

  // ---- the end

  std::int64_t flow_cost() const {
    std::int64_t sum = 0;
    for (int t = 0; t < items_; ++t)
      if (place_[t].vertex != unplaced) sum += cost_of(t, place_[t].tier);
    return sum;
  }

  void place_rest_greedily() {
    int any = 0;
    for (int t = 0; t < items_ && unplaced_ > 0; ++t) {
      if (place_[t].vertex != unplaced) continue;
      --unplaced_;
      int bin = -1;
      for (int k = 0; k < near_count(t) && bin < 0; ++k)
        if (used_[near_bin(t, k)] < problem_->slots[near_bin(t, k)]) bin = near_bin(t, k);
      for (int k = 0; k < near_count(t) && bin < 0; ++k) bin = free_bin_in(problem_->group_of_bin[near_bin(t, k)]);
      while (bin < 0 && any < bins_ && used_[any] >= problem_->slots[any]) ++any;
      if (bin < 0 && any < bins_) bin = any;
      if (bin < 0 || costs(t).nowhere < cost_of(t, true_tier(t, bin))) {
        put(t, Tier::nowhere, sink_);
        continue;
      }
      ++used_[bin];
      put(t, Tier::near, first_bin_ + bin);  // report() finds the true tier
    }
  }

  int free_bin_in(int group) const {
    for (int k = group_start_[group]; k < group_start_[group + 1]; ++k)
      if (used_[group_bins_[k]] < problem_->slots[group_bins_[k]]) return group_bins_[k];
    return -1;
  }

  // Gives items that went through a group or the hub the bins that the counted flow left for them, in order of ids.
  void report(TieredSolution& solution) {
    solution.bin_of_item.assign(items_, -1);
    solution.tier.assign(items_, Tier::nowhere);
    at_ = group_start_;
    const auto bin_in = [&](int g) {
      while (from_group_[group_bins_[at_[g]]] == 0) ++at_[g];
      --from_group_[group_bins_[at_[g]]];
      return group_bins_[at_[g]];
    };
    for (int t = 0; t < items_; ++t) {
      if (place_[t].tier == Tier::near) solution.bin_of_item[t] = place_[t].vertex - first_bin_;
      if (place_[t].tier == Tier::group) solution.bin_of_item[t] = bin_in(place_[t].vertex - first_group_);
    }
    int g = 0;
    for (int t = 0; t < items_; ++t) {
      if (place_[t].tier != Tier::anywhere) continue;
      while (from_hub_[g] == 0) ++g;
      --from_hub_[g];
      solution.bin_of_item[t] = bin_in(g);
    }
    solution.cost = offset_;
    for (int t = 0; t < items_; ++t) {
      solution.tier[t] = true_tier(t, solution.bin_of_item[t]);
      solution.cost += cost_of(t, solution.tier[t]);
    }
  }

  Tier true_tier(int item, int bin) const {
    if (bin < 0) return Tier::nowhere;
    Tier tier = Tier::anywhere;
    for (int k = 0; k < near_count(item); ++k) {
      if (near_bin(item, k) == bin) return Tier::near;
      if (problem_->group_of_bin[near_bin(item, k)] == problem_->group_of_bin[bin]) tier = Tier::group;
    }
    return tier;
  }

  const TieredAssignment* problem_ = nullptr;
  TieredSolution solution_;
  int items_ = 0, bins_ = 0, groups_ = 0, first_bin_ = 0, first_group_ = 0, hub_ = 0, sink_ = 0;
  std::vector<TierCosts> cost_;  // of each kind, less its least
  std::int64_t offset_ = 0, path_cost_ = 0;
  int most_near_ = 0;
  std::int64_t unplaced_ = 0;
  std::vector<std::int64_t> least_;  // of each kind
  std::vector<int> group_start_, group_bins_, at_;
  std::vector<std::int32_t> suitors_;       // of each bin
  std::vector<std::vector<int>> by_count_;  // items by the number of their near bins
  std::vector<Place> place_;
  std::vector<int> next_, previous_, head_;  // lists of items by the vertex that receives their flow
  std::vector<int> used_, from_group_, from_hub_;
  std::vector<std::int64_t> potential_, distance_;
  std::vector<int> level_, touched_, path_;
  std::vector<Cursor> cursor_;
};

TieredSolver::TieredSolver() : flow_(std::make_unique<TieredFlow>()) {}
TieredSolver::~TieredSolver() = default;
const TieredSolution& TieredSolver::solve(const TieredAssignment& problem, int max_phases) {
  return flow_->solve(problem, max_phases);
}

TieredSolution solve_tiered_assignment(const TieredAssignment& problem, int max_phases) {
  return TieredSolver().solve(problem, max_phases);
}

}  // namespace lips::solver

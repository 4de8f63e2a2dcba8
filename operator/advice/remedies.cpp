#include "advice/remedies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/enum_array.h"
#include "model/launch_room.h"
#include "model/node_labels.h"
#include "policies/waiting_price.h"

namespace lips::advice {

namespace {

constexpr std::size_t most_types = 12;       // of nodes that are tried
constexpr std::uint32_t most_nodes = 64;     // of one type
constexpr std::size_t types_in_numbers = 2;  // tried with several nodes, if one does not suffice
constexpr std::size_t most_dear_nodes = 4;   // that are tried one by one
constexpr double dearest_waiting = 1 << 20;  // times the price of waiting
constexpr double waiting_price_step = 1.01;  // to which the least price of waiting is found

bool names_zones(const LabelRequirement& requirement) {
  return requirement.op == LabelRequirement::Operator::in &&
         (requirement.key == node_label::zone || requirement.key == node_label::old_zone);
}

class Search {
 public:
  Search(const Question& question, const Outcome& before, TaskId task)
      : question_(question), cluster_(question.cluster), before_(before), task_(task) {
    free_ = cluster_.free;
    for (const Assignment& starting : before.starting) {
      const Job& job = cluster_.jobs[cluster_.tasks[starting.task].job];
      free_[starting.node] -= job.request;
      if (job.pool == own_job().pool) pool_cores_ += job.request.cpu;
    }
    pool_cores_ += cluster_.pool_cores[own_job().pool];
  }

  Result<std::vector<Remedy>> run() {
    zones_and_selectors();
    dear_nodes();
    priority();
    maximum();
    waiting_price();
    nodes();
    if (error_) return tl::unexpected(*error_);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Remedy& a, const Remedy& b) { return a.dollars < b.dollars; });
    return std::move(found_);
  }

 private:
  const Job& own_job() const { return cluster_.jobs[cluster_.tasks[task_].job]; }
  PlacementConstraint own_constraint() const {
    const ConstraintId id = own_job().constraint;
    return id.valid() ? cluster_.constraints[id] : PlacementConstraint{};
  }

  // The remedy if the task starts at once with the change.
  std::optional<Remedy> tried(RemedyKind kind, Change change) {
    if (error_) return std::nullopt;
    Question changed = question_;
    const TaskId added = apply_change(change, changed);
    const Result<Outcome> outcome = ask(changed);
    if (!outcome) {
      error_ = outcome.error();
      return std::nullopt;
    }
    const Assignment* start = outcome->start_of(added.valid() ? added : task_);
    if (!start) return std::nullopt;
    Remedy remedy;
    remedy.kind = kind;
    remedy.change = std::move(change);
    remedy.place = place_of(changed, *start);
    remedy.node = changed.cluster.nodes[start->node].name;
    remedy.dollars = remedy.place.bill.total();
    remedy.others =
        static_cast<std::int64_t>(outcome->starting.size()) - 1 - static_cast<std::int64_t>(before_.starting.size());
    return remedy;
  }

  bool keep(std::optional<Remedy> remedy, std::string detail, double amount = 0) {
    if (!remedy) return false;
    remedy->detail = std::move(detail);
    remedy->amount = amount;
    found_.push_back(*std::move(remedy));
    return true;
  }

  Change recreated(PlacementConstraint constraint) const {
    return PodRecreated{task_, std::move(constraint), own_job().priority};
  }

  bool has_nodes(ZoneId zone) const {
    return std::any_of(cluster_.nodes.begin(), cluster_.nodes.end(),
                       [zone](const Node& node) { return node.zone == zone && node.schedulable; });
  }

  void zones_and_selectors() {
    const PlacementConstraint own = own_constraint();
    for (std::size_t i = 0; i < own.required.size(); ++i) {
      if (!names_zones(own.required[i])) {
        PlacementConstraint fewer = own;
        fewer.required.erase(fewer.required.begin() + static_cast<std::ptrdiff_t>(i));
        keep(tried(RemedyKind::fewer_selectors, recreated(std::move(fewer))), own.required[i].key);
        continue;
      }
      const std::vector<std::string>& allowed = own.required[i].values;
      for (const ZoneId zone : cluster_.zones.ids()) {
        const std::string& name = cluster_.zones[zone].name;
        if (std::find(allowed.begin(), allowed.end(), name) != allowed.end() || !has_nodes(zone)) continue;
        PlacementConstraint wider = own;
        wider.required[i].values.push_back(name);
        keep(tried(RemedyKind::another_zone, recreated(std::move(wider))), name);
      }
    }
    if (own.any_of.empty()) return;
    PlacementConstraint free_choice = own;
    free_choice.any_of.clear();
    keep(tried(RemedyKind::fewer_selectors, recreated(std::move(free_choice))), "nodeAffinity");
  }

  bool has_room(NodeId node) const { return takes(cluster_, task_, node) && fits(own_job().request, free_[node]); }

  // Nodes with room that the plan leaves empty: it waits for something cheaper.
  void dear_nodes() {
    std::map<std::tuple<double, ZoneId, double>, NodeId> places;  // by dollars; nodes of a kind do equally well
    for (const NodeId node : cluster_.nodes.ids()) {
      if (!has_room(node)) continue;
      const double dollars = place_on(question_, task_, node).bill.total().value();
      places.try_emplace({dollars, cluster_.nodes[node].zone, cluster_.nodes[node].speed}, node);
    }
    room_somewhere_ = !places.empty();
    std::size_t tries = 0;
    for (const auto& [order, node] : places) {
      if (tries++ == most_dear_nodes) return;
      const Node& there = cluster_.nodes[node];
      if (keep(tried(RemedyKind::that_node, recreated(on_node(own_constraint(), there))), there.name)) return;
    }
  }

  void priority() {
    std::int32_t highest = own_job().priority;
    for (const JobId job : cluster_.pending) highest = std::max(highest, cluster_.jobs[job].priority);
    constexpr std::int32_t most = 1'000'000'000;  // of pods that are not the system's
    if (highest >= most || before_.starting.empty()) return;
    keep(tried(RemedyKind::higher_priority, PodRecreated{task_, own_constraint(), highest + 1}), "", highest + 1);
  }

  void maximum() {
    const PoolId id = own_job().pool;
    const Pool& pool = cluster_.pools[id];
    const Cores wanted = pool_cores_ + own_job().request.cpu;
    if (pool.maximum.value() <= 0 || wanted <= pool.maximum) return;
    if (keep(tried(RemedyKind::higher_maximum, MaximumRaised{id, wanted}), pool.name, wanted.value())) return;
    keep(tried(RemedyKind::higher_maximum, MaximumRaised{id, Cores(0)}), pool.name);
  }

  void waiting_price() {
    if (question_.policy != "lips" || !room_somewhere_) return;
    double low = std::max(0.01, lips::waiting_price(cluster_, question_.settings.lips)), high = low;
    const double most = low * dearest_waiting;
    std::optional<Remedy> best;
    while (!best && high < most) {
      low = high, high *= 4;
      best = tried(RemedyKind::higher_waiting_price, WaitingPriced{high});
    }
    if (!best) return;
    while (high > low * waiting_price_step) {
      const double middle = std::sqrt(low * high);
      if (std::optional<Remedy> less = tried(RemedyKind::higher_waiting_price, WaitingPriced{middle}))
        best = std::move(less), high = middle;
      else
        low = middle;
    }
    keep(std::move(best), "", high);
  }

  // The cost of the nodes until the task has ended, with their boot and the time that an empty one is kept.
  Usd cost_of_nodes(const Remedy& remedy, NodeId like, std::uint32_t count) const {
    Duration span = expected_duration(cluster_, cluster_.tasks[task_], like, remedy.place.locality);
    for (const Offer& offer : cluster_.offers)
      if (offer.like == like) span += offer.boot + offer.idle;
    return cluster_.nodes[like].price * span * static_cast<double>(count);
  }

  bool with_nodes(NodeId like, std::uint32_t count) {
    std::optional<Remedy> remedy = tried(RemedyKind::more_nodes, NodesAdded{like, count});
    if (!remedy) return false;
    remedy->dollars = std::max(remedy->dollars, cost_of_nodes(*remedy, like, count));
    last_ = std::move(remedy);
    return true;
  }

  // Each type and capacity type where it is cheapest for the task.
  std::vector<NodeId> types() const {
    std::map<std::pair<std::string, CapacityType>, std::pair<double, NodeId>> best;
    const auto consider = [&](NodeId id) {
      const Node& node = cluster_.nodes[id];
      if (!fits(own_job().request, node.capacity) || !cluster_.eligible(own_job().constraint, id)) return;
      const double dollars = place_on(question_, task_, id).bill.total().value();
      const auto [known, added] = best.try_emplace({node.instance_type, node.capacity_type}, std::pair(dollars, id));
      if (!added && dollars < known->second.first) known->second = {dollars, id};
    };
    for (const NodeId node : cluster_.nodes.ids())
      if (cluster_.nodes[node].schedulable) consider(node);
    for (const Offer& offer : cluster_.offers)
      if (nodes_left(cluster_, offer) > 0) consider(offer.like);
    std::vector<std::pair<double, NodeId>> order;
    for (const auto& [type, place] : best) order.push_back(place);
    std::sort(order.begin(), order.end());
    std::vector<NodeId> nodes;
    for (const auto& [dollars, node] : order) nodes.push_back(node);
    if (nodes.size() > most_types) nodes.resize(most_types);
    return nodes;
  }

  void nodes() {
    bool one_suffices = false;
    const std::vector<NodeId> all = types();
    for (const NodeId like : all) {
      if (!with_nodes(like, 1)) continue;
      one_suffices = true;
      keep(std::move(last_), cluster_.nodes[like].name, 1);
    }
    if (one_suffices) return;
    for (std::size_t i = 0; i < std::min(all.size(), types_in_numbers); ++i) several(all[i]);
  }

  // The least number that suffices.
  void several(NodeId like) {
    std::uint32_t low = 1, high = 2;
    while (!with_nodes(like, high)) {
      low = high, high *= 2;
      if (high > most_nodes || error_) return;
    }
    std::optional<Remedy> best = std::move(last_);
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (with_nodes(like, middle))
        best = std::move(last_), high = middle;
      else
        low = middle;
    }
    keep(std::move(best), cluster_.nodes[like].name, high);
  }

  const Question& question_;
  const ClusterSnapshot& cluster_;
  const Outcome& before_;
  const TaskId task_;
  IdVector<NodeId, Resources> free_;  // after what starts at once
  Cores pool_cores_;                  // of its pool, likewise
  bool room_somewhere_ = false;       // on a node that the plan leaves empty
  std::optional<Remedy> last_;
  std::vector<Remedy> found_;
  std::optional<Error> error_;
};

}  // namespace

std::string_view to_string(RemedyKind kind) {
  constexpr EnumArray<RemedyKind, std::string_view> names{"another-zone",  "fewer-selectors", "that-node",
                                                          "more-nodes",    "higher-priority", "higher-waiting-price",
                                                          "higher-maximum"};
  return names[kind];
}

Result<std::vector<Remedy>> remedies_for(const Question& question, const Outcome& before, TaskId task) {
  return Search(question, before, task).run();
}

}  // namespace lips::advice

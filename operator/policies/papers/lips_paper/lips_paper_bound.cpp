#include "policies/papers/lips_paper/lips_paper_bound.h"

#include <algorithm>
#include <limits>

#include "policies/lips/program/at_once_bound.h"

namespace lips::paper {

namespace {

Usd overfilled_machines(const ClusterSnapshot& cluster, const SnapshotInstance& snapshot, const Solution& solution,
                        const Plan& plan) {
  std::vector<CpuSeconds> used(snapshot.instance.machines.size());
  for (const Assignment& assignment : plan.assignments)
    if (const int machine = snapshot.machine_of[assignment.node]; machine >= 0)
      used[machine] += cluster.tasks[assignment.task].cpu;
  Usd worth;
  for (std::size_t machine = 0; machine < solution.machine_shadow.size(); ++machine)
    worth += solution.machine_shadow[machine] *
             std::max(CpuSeconds(0), used[machine] - snapshot.instance.machines[machine].capacity);
  return worth;
}

Usd overfilled_links(const ClusterSnapshot& cluster, const Instance& instance, const Solution& solution,
                     const Plan& plan) {
  const std::size_t places = solution.link_shadow.size();
  PlaceMatrix crossed(places, std::vector<double>(places, 0));  // MiB
  const auto cross = [&](StoreId from, ZoneId to, Mebibytes size) {
    if (places > 0) crossed[cluster.stores[from].zone.index()][to.index()] += size.value();
  };
  for (const Assignment& assignment : plan.assignments)
    if (assignment.read_from.valid())
      cross(assignment.read_from, cluster.nodes[assignment.node].zone, cluster.tasks[assignment.task].input);
  for (const DataMove& move : plan.moves)
    cross(move.from, cluster.stores[move.to].zone, cluster.blocks[move.block].size);
  Usd worth;
  for (std::size_t from = 0; from < places; ++from)
    for (std::size_t to = 0; to < places; ++to)
      worth += Usd(solution.link_shadow[from][to] *
                   std::max(0.0, crossed[from][to] - instance.link[from][to] * to_seconds(instance.horizon)));
  return worth;
}

// Plans that start the tasks of `plan` at once, by weak duality: each task pays its dollars, without what copies could
// save, and its cores for a horizon at the machine's rent; the rent of what is free now goes back.
class AtOnce {
 public:
  AtOnce(const ClusterSnapshot& cluster, const SnapshotInstance& snapshot, const Solution& solution, const Plan& plan)
      : cluster_(cluster), snapshot_(snapshot), solution_(solution), served_(snapshot.instance.parts.size(), 0.0) {
    IdVector<TaskId, std::uint8_t> assigned(cluster.tasks.size(), 0);
    for (const Assignment& assignment : plan.assignments) assigned[assignment.task] = 1;
    for (std::size_t part = 0; part < served_.size(); ++part)
      for (TaskId task : snapshot.part_tasks[part]) served_[part] += assigned[task];
    for (const Machine& machine : snapshot.instance.machines) dearest_ = std::max(dearest_, machine.price.value());
    for (const std::vector<NodeId>& nodes : snapshot.machine_nodes) {
      double free = 0;
      for (NodeId node : nodes) free += std::max(0.0, cluster.free[node].cpu.value());
      free_.push_back(free);
    }
  }

  // Says whether some task is longer than the horizon: no other plan that starts at once goes beyond it.
  bool goes_beyond() const {
    for (std::size_t part = 0; part < served_.size(); ++part)
      for (std::size_t machine = 0; machine < free_.size(); ++machine)
        if (served_[part] > 0 && may_run(part, machine) && cpu_of(part) > cores_of(part) * span() * speed(machine))
          return true;
    return false;
  }

  // More rent for every core where more tasks wait than may start.
  double bound(double enough) const {
    return best_with_more_rent(dearest_, enough, [&](double more) { return at(more); });
  }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  double at(double more) const {
    std::vector<double> rent(free_.size());  // of a core
    double usd = 0;
    for (std::size_t machine = 0; machine < free_.size(); ++machine) {
      rent[machine] = span() * (speed(machine) * solution_.machine_shadow[machine].value() + more);
      usd -= free_[machine] * rent[machine];
    }
    for (std::size_t part = 0; part < served_.size(); ++part) {
      if (served_[part] == 0) continue;
      double least = infinite;
      for (std::size_t machine = 0; machine < free_.size(); ++machine)
        if (may_run(part, machine)) least = std::min(least, dollars(part, machine) + cores_of(part) * rent[machine]);
      usd += served_[part] * least;
    }
    return usd;
  }

  double span() const { return to_seconds(snapshot_.instance.horizon); }
  const Part& part_of(std::size_t part) const { return snapshot_.instance.parts[part]; }
  double cpu_of(std::size_t part) const { return part_of(part).cpu.value() / part_of(part).tasks; }
  double cores_of(std::size_t part) const {
    return cluster_.jobs[snapshot_.job_ids[part_of(part).job]].request.cpu.value();
  }
  double speed(std::size_t machine) const { return cluster_.nodes[snapshot_.machine_nodes[machine].front()].speed; }
  bool may_run(std::size_t part, std::size_t machine) const {
    const std::vector<std::uint8_t>& kinds = snapshot_.instance.jobs[part_of(part).job].kinds;
    return kinds.empty() || kinds[snapshot_.instance.machines[machine].kind] != 0;
  }
  double dollars(std::size_t part, std::size_t machine) const {
    const Machine& of = snapshot_.instance.machines[machine];
    const std::vector<Usd>& further = part_of(part).place_cost;
    return of.price.value() * cpu_of(part) + (further.empty() ? 0 : further[of.place].value() / part_of(part).tasks);
  }

  const ClusterSnapshot& cluster_;
  const SnapshotInstance& snapshot_;
  const Solution& solution_;
  std::vector<double> served_, free_;  // tasks of each part, cores of each machine
  double dearest_ = 0;
};

}  // namespace

Usd bound_for_whole_tasks(const ClusterSnapshot& cluster, const SnapshotInstance& snapshot, const Solution& solution,
                          const Plan& plan) {
  const Usd bound = solution.lower_bound - solution.dearer_sources -
                    overfilled_machines(cluster, snapshot, solution, plan) -
                    overfilled_links(cluster, snapshot.instance, solution, plan);
  const AtOnce at_once(cluster, snapshot, solution, plan);
  if (!at_once.goes_beyond()) return std::max(Usd(0), bound);
  const double waiting = plan.account.waiting.value();
  return std::clamp(Usd(waiting + at_once.bound((bound - plan.account.waiting).value())), Usd(0),
                    std::max(Usd(0), bound));
}

}  // namespace lips::paper

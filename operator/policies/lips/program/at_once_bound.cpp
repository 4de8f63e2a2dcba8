#include "policies/lips/program/at_once_bound.h"

#include <algorithm>
#include <limits>

namespace lips {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double of(const IdVector<ClassId, double>& rents, ClassId c) { return rents.empty() ? 0 : rents[c]; }

// Price of a CPU-second and rent of a core for the horizon: a line over cores per CPU-second.
struct Line {
  double price, rent;
  double at(double cores_per_work) const { return price + cores_per_work * rent; }
};

// The lines of a zone's classes that are the least somewhere, by falling rent.
class Envelope {
 public:
  explicit Envelope(std::vector<Line> lines) {
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return a.rent != b.rent ? a.rent > b.rent : a.price < b.price; });
    for (const Line& line : lines) {
      if (!least_.empty() && least_.back().rent == line.rent) continue;
      while (!least_.empty() && useless(line)) least_.pop_back();
      least_.push_back(line);
    }
  }
  double at(double cores_per_work) const {
    if (least_.empty()) return unlimited;
    // Each line is the least up to where the next one crosses it.
    const auto next_is_more = [&](const Line& line) {
      const auto& next = *(&line + 1);
      return next.at(cores_per_work) < line.at(cores_per_work);
    };
    return std::partition_point(least_.begin(), least_.end() - 1, next_is_more)->at(cores_per_work);
  }

 private:
  // Says whether the last line is nowhere below both the one before and the new one, which rises less.
  bool useless(const Line& line) const {
    const Line& last = least_.back();
    if (line.price <= last.price) return true;
    if (least_.size() < 2) return false;
    const Line& before = least_[least_.size() - 2];
    return (line.price - before.price) * (before.rent - last.rent) <=
           (last.price - before.price) * (before.rent - line.rent);
  }

  std::vector<Line> least_;
};

class AtOnce {
 public:
  AtOnce(const AtOnceQuestion& question, double more)
      : cluster_(question.cluster),
        costs_(question.costs),
        classes_(question.classes),
        workload_(question.workload),
        rents_(question.rents),
        more_(more) {
    IdVector<ZoneId, std::vector<Line>> lines(cluster_.zones.size());
    for (ClassId c : classes_.classes.ids()) lines[classes_.classes[c].zone].push_back(line_of(c));
    for (std::vector<Line>& zone : lines) any_class_.push_back(Envelope(std::move(zone)));
  }

  double bound() {
    double usd = rents_.all_shares - rent_of_free();
    for (const Commodity& commodity : workload_.commodities) {
      if (!commodity.any_class) find_ways(commodity);
      for (PortionId p : commodity.portions) usd += tasks_of(workload_.portions[p], commodity);
    }
    return usd;
  }

 private:
  Line line_of(ClassId c) const {
    const NodeClass& group = classes_.classes[c];
    return {group.price.value(), workload_.overrun * (group.speed * of(rents_.cpu, c) + more_)};
  }

  double rent_of_free() const {
    double usd = 0;
    for (ClassId c : classes_.classes.ids())
      for (NodeId node : classes_.classes[c].nodes) {
        const Resources& free = cluster_.free[node];
        usd += std::max(0.0, free.cpu.value()) * line_of(c).rent;
        usd += std::max(0.0, free.memory.value()) * workload_.overrun * of(rents_.memory, c);
        usd += std::max(0, free.slots) * workload_.overrun * of(rents_.slots, c);
      }
    return usd;
  }

  double tasks_of(const Portion& portion, const Commodity& commodity) const {
    const double cores = std::max(0.0, cluster_.jobs[portion.job].request.cpu.value()) / portion.work;
    double least = unlimited;
    if (commodity.any_class)
      for (ZoneId z : any_class_.ids()) least = std::min(least, non_cpu_cost(commodity, z) + any_class_[z].at(cores));
    else
      for (const Way& way : ways_)
        least = std::min(least, way.non_cpu_cost + way.line.at(cores) + way.side_rent / portion.work);
    if (!rents_.shares.empty() && commodity.pool.valid()) least -= rents_.shares[commodity.pool];
    double unserved = commodity.unserved_price;
    for (const auto& [price, work] : commodity.unserved_steps) unserved = std::min(unserved, price);
    return portion.tasks * portion.work * std::min(least, unserved);
  }

  void find_ways(const Commodity& commodity) {
    ways_.clear();
    for (ClassId c : classes_.classes.ids())
      if (classes_.takes(c, commodity.constraint, commodity.request))
        ways_.push_back({non_cpu_cost(commodity, classes_.classes[c].zone), side_rent(commodity, c), line_of(c)});
  }

  double side_rent(const Commodity& commodity, ClassId c) const {
    return workload_.overrun *
           (commodity.request.memory.value() * of(rents_.memory, c) + commodity.request.slots * of(rents_.slots, c));
  }

  // Copies of shared data may come for nothing: their columns are not looked at.
  double non_cpu_cost(const Commodity& commodity, ZoneId zone) const {
    const double usd = commodity.least.non_cpu_cost[zone];
    if (!commodity.shared.valid()) return usd;
    return usd - commodity.input_per_work * costs_.transfer(commodity.zones, zone).value();
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NodeClasses& classes_;
  const Workload& workload_;
  const Rents& rents_;
  const double more_;  // USD per core-second
  IdVector<ZoneId, Envelope> any_class_;
  // Classes of the last commodity that may not use any: USD per CPU-second, and USD per task.
  struct Way {
    double non_cpu_cost, side_rent;
    Line line;
  };
  std::vector<Way> ways_;
};

}  // namespace

double at_once_bound(const AtOnceQuestion& question, double enough) {
  return best_with_more_rent(question.classes.mean_price.value(), enough,
                             [&](double more) { return AtOnce(question, more).bound(); });
}

}  // namespace lips

#include "policies/papers/lips_paper/paper_model_snapshot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lips::paper {

namespace {

constexpr double oldest = 10;  // ageing's limit: F's prices stay within one order of magnitude

class Conversion {
 public:
  Conversion(const ClusterSnapshot& cluster, const CostModel& costs, Duration horizon, Granularity granularity)
      : cluster_(cluster), costs_(costs), horizon_(horizon), granularity_(granularity) {}

  SnapshotInstance run() {
    out_.instance.horizon = horizon_;
    add_places();
    find_kinds();
    add_machines();
    add_stores();
    find_objects();
    for (JobId job : cluster_.pending) add_job(job);
    return std::move(out_);
  }

 private:
  bool by_class() const { return granularity_ == Granularity::classes; }

  void add_places() {
    const std::size_t zones = cluster_.zones.size();
    PlaceMatrix price(zones, std::vector<double>(zones, 0)), link = price, stream = price;
    for (ZoneId a : cluster_.zones.ids())
      for (ZoneId b : cluster_.zones.ids()) {
        price[a.index()][b.index()] = costs_.transfer(a, b).value();
        link[a.index()][b.index()] = a == b ? 0 : cluster_.network.zone_link.value();
        stream[a.index()][b.index()] = cluster_.network.stream(a == b ? Locality::zone : Locality::remote).value();
      }
    out_.instance.read_price = price;
    out_.instance.move_price = std::move(price);
    out_.instance.link = std::move(link);
    out_.instance.stream = std::move(stream);
  }

  // Nodes are of one kind when the same of the pending jobs may run on them.
  void find_kinds() {
    std::map<std::pair<ConstraintId, Resources>, int> demands;
    for (JobId id : cluster_.pending) {
      const lips::Job& job = cluster_.jobs[id];
      demand_of_.push_back(
          demands.try_emplace({job.constraint, job.request}, static_cast<int>(demands.size())).first->second);
    }
    std::map<std::pair<ProfileId, Resources>, int> shapes;
    std::map<std::vector<bool>, int> kinds;
    kind_of_ = IdVector<NodeId, int>(cluster_.nodes.size(), 0);
    for (NodeId id : cluster_.nodes.ids()) {
      const Node& node = cluster_.nodes[id];
      const auto [shape, added] = shapes.try_emplace({node.profile, node.capacity}, 0);
      if (added) {
        std::vector<bool> takes(demands.size(), false);
        for (const auto& [demand, index] : demands)
          takes[index] = cluster_.eligible(demand.first, id) && fits(demand.second, node.capacity);
        shape->second = kinds.try_emplace(std::move(takes), static_cast<int>(kinds.size())).first->second;
      }
      kind_of_[id] = shape->second;
    }
    allowed_.assign(demands.size(), std::vector<std::uint8_t>(kinds.size(), 0));
    for (const auto& [takes, kind] : kinds)
      for (std::size_t demand = 0; demand < takes.size(); ++demand) allowed_[demand][kind] = takes[demand];
  }

  void add_machines() {
    out_.machine_of = IdVector<NodeId, int>(cluster_.nodes.size(), -1);
    out_.capacity = IdVector<NodeId, CpuSeconds>(cluster_.nodes.size());
    using Key = std::tuple<ZoneId, double, double, int>;
    std::map<Key, int> classes;
    for (NodeId id : cluster_.nodes.ids()) {
      const Node& node = cluster_.nodes[id];
      out_.capacity[id] = node.work_per(horizon_);
      if (!node.schedulable) continue;
      const int next = static_cast<int>(out_.instance.machines.size()), kind = kind_of_[id];
      int machine = next;
      if (by_class())
        machine = classes.try_emplace({node.zone, node.cpu_price.value(), node.speed, kind}, next).first->second;
      if (machine == next) {
        out_.instance.machines.push_back({static_cast<int>(node.zone.index()), node.cpu_price, CpuSeconds(0), kind, 0});
        out_.machine_nodes.emplace_back();
      }
      out_.instance.machines[machine].count += 1;
      out_.machine_nodes[machine].push_back(id);
      out_.machine_of[id] = machine;
    }
    subtract_running();
    for (std::size_t machine = 0; machine < out_.machine_nodes.size(); ++machine)
      for (NodeId id : out_.machine_nodes[machine]) out_.instance.machines[machine].capacity += out_.capacity[id];
  }

  void subtract_running() {
    IdVector<NodeId, double> busy(cluster_.nodes.size(), 0);
    for (const RunningTask& run : cluster_.running) {
      const double left = to_seconds(std::clamp(run.expected_end - cluster_.now, Duration(0), horizon_));
      const Node& node = cluster_.nodes[run.node];
      busy[run.node] += cluster_.jobs[run.job].request.cpu.value() * node.speed * left;
    }
    for (NodeId id : cluster_.nodes.ids())
      out_.capacity[id] = CpuSeconds(std::max(0.0, out_.capacity[id].value() - busy[id]));
  }

  void add_stores() {
    store_index_ = IdVector<StoreId, int>(cluster_.stores.size(), -1);
    std::map<ZoneId, int> zones;
    for (StoreId id : cluster_.stores.ids()) {
      const DataStore& store = cluster_.stores[id];
      const int next = static_cast<int>(out_.instance.stores.size());
      const int index = by_class() ? zones.try_emplace(store.zone, next).first->second : next;
      if (index == next) {
        out_.instance.stores.push_back({static_cast<int>(store.zone.index()), true, Mebibytes(0)});
        out_.store_members.emplace_back();
      }
      Store& into = out_.instance.stores[index];
      if (store.capacity.value() > 0)
        into.space += Mebibytes(std::max(0.0, store.capacity.value() - store.used.value()));
      else
        into.limited = false;
      out_.store_members[index].push_back(id);
      store_index_[id] = index;
    }
  }

  // Which groups of tasks read which block, and how often; then blocks that no row can tell apart become one object: of
  // equal size, and read equally often by each of its readers, so that a share of the object is as much of each block.
  void find_objects() {
    object_of_ = IdVector<BlockId, int>(cluster_.blocks.size(), -1);
    using Reader = std::pair<JobId, std::uint32_t>;  // a group of the job
    std::vector<std::pair<BlockId, Reader>> reads;
    for (JobId job : cluster_.pending)
      for (std::uint32_t group = 0; group < cluster_.groups[job].size(); ++group)
        for (TaskId task : cluster_.tasks_of(cluster_.groups[job][group]))
          if (cluster_.tasks[task].block.valid()) reads.emplace_back(cluster_.tasks[task].block, Reader(job, group));
    std::sort(reads.begin(), reads.end());
    std::map<BlockId, std::vector<StoreId>> coming;
    for (const MoveInFlight& move : cluster_.moves) coming[move.block].push_back(move.to);
    using Key = std::tuple<DataSetId, std::vector<int>, std::vector<Reader>, Mebibytes>;
    std::map<Key, int> objects;
    Key last_key;
    int last = -1;
    for (std::size_t first = 0, end = 0; first < reads.size(); first = end) {
      const BlockId id = reads[first].first;
      Key key;
      std::get<0>(key) = cluster_.blocks[id].data_set;
      std::get<3>(key) = cluster_.blocks[id].size;
      for (; end < reads.size() && reads[end].first == id; ++end) std::get<2>(key).push_back(reads[end].second);
      std::get<1>(key) = origins_of(id, coming);
      if (std::get<1>(key).empty()) continue;
      if (last < 0 || key != last_key) {
        const int next = static_cast<int>(out_.instance.data.size());
        last = objects.try_emplace(key, next).first->second;
        if (last == next) {
          out_.instance.data.push_back({Mebibytes(0), std::get<1>(key)});
          out_.data_blocks.emplace_back();
        }
        last_key = std::move(key);
      }
      out_.instance.data[last].size += cluster_.blocks[id].size;
      out_.data_blocks[last].push_back(id);
      object_of_[id] = last;
    }
  }

  std::vector<int> origins_of(BlockId id, const std::map<BlockId, std::vector<StoreId>>& coming) const {
    std::vector<int> origins;
    for (const Replica& replica : cluster_.blocks[id].replicas) origins.push_back(store_index_[replica.store]);
    if (const auto moves = coming.find(id); moves != coming.end())
      for (StoreId store : moves->second) origins.push_back(store_index_[store]);
    std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    return origins;
  }

  void add_job(JobId id) {
    const lips::Job& job = cluster_.jobs[id];
    const std::vector<std::uint8_t>& kinds = allowed_[demand_of_[out_.job_ids.size()]];
    const bool anywhere = std::any_of(out_.instance.machines.begin(), out_.instance.machines.end(),
                                      [&](const Machine& machine) { return kinds[machine.kind] != 0; });
    const double waited = horizon_.count() > 0 ? to_seconds(cluster_.now - job.arrival) / to_seconds(horizon_) : 0;
    out_.instance.jobs.push_back({kinds, std::clamp(1 + std::floor(waited), 1.0, oldest)});
    out_.job_ids.push_back(id);
    for (const TaskGroup& group : cluster_.groups[id]) {
      if (group.count == 0) continue;
      std::map<int, std::vector<TaskId>> by_object;
      for (TaskId task : cluster_.tasks_of(group)) {
        const BlockId block = cluster_.tasks[task].block;
        const int object = block.valid() ? object_of_[block] : -1;
        if (!anywhere)
          out_.left_out.push_back({task, DeferralReason::not_eligible});
        else if (block.valid() && object < 0)
          out_.left_out.push_back({task, DeferralReason::waits_for_data});
        else
          by_object[object].push_back(task);
      }
      for (auto& [object, tasks] : by_object) add_part(group, object, std::move(tasks));
    }
  }

  void add_part(const TaskGroup& group, int object, std::vector<TaskId> tasks) {
    std::sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) {
      const BlockId left = cluster_.tasks[a].block, right = cluster_.tasks[b].block;
      return left != right ? left < right : a < b;
    });
    const double count = static_cast<double>(tasks.size());
    Part part;
    part.job = static_cast<int>(out_.instance.jobs.size()) - 1;
    part.data = object;
    part.cpu = group.cpu * count;
    part.input = object >= 0 ? group.input * count : Mebibytes(0);
    part.tasks = count;
    const lips::Job& job = cluster_.jobs[out_.job_ids.back()];
    if (group.kind == TaskKind::reduce && !job.map_output.empty()) {
      part.place_cost.assign(cluster_.zones.size(), Usd(0));
      for (ZoneId to : cluster_.zones.ids())
        for (ZoneId from : cluster_.zones.ids())
          part.place_cost[to.index()] +=
              (job.map_output[from.index()] * (count / job.all_reduces())) * costs_.transfer(from, to);
    }
    out_.instance.parts.push_back(std::move(part));
    out_.part_tasks.push_back(std::move(tasks));
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  Duration horizon_;
  Granularity granularity_;
  SnapshotInstance out_;
  std::vector<int> demand_of_;                      // of each pending job: its constraint and request
  std::vector<std::vector<std::uint8_t>> allowed_;  // [demand][kind]
  IdVector<NodeId, int> kind_of_;
  IdVector<StoreId, int> store_index_;
  IdVector<BlockId, int> object_of_;
};

}  // namespace

SnapshotInstance paper_instance(const ClusterSnapshot& cluster, const CostModel& costs, Duration horizon,
                                Granularity granularity) {
  return Conversion(cluster, costs, horizon, granularity).run();
}

}  // namespace lips::paper

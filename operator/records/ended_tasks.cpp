#include "records/ended_tasks.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

namespace lips {

namespace {

// Says whether the read may have taken all that time: over a link with as many readers as a store has in the mean.
bool may_have_waited(const ClusterSnapshot& cluster, const Task& task, NodeId node, Duration ran) {
  const Network& network = cluster.network;
  double link = 0;
  for (const MebibytesPerSecond one : {network.node_link, network.rack_link, network.zone_link})
    if (one.value() > 0) link = link > 0 ? std::min(link, one.value()) : one.value();
  if (link <= 0 || task.input.value() <= 0) return false;
  if (task.kind == TaskKind::map && !task.degraded) {
    const StoreId own = cluster.node_store.contains(node) ? cluster.node_store[node] : StoreId::none();
    if (!task.block.valid() || (own.valid() && cluster.blocks[task.block].on(own))) return false;
  }
  const double readers = 1 + std::ceil(static_cast<double>(cluster.running.size()) /
                                       std::max<double>(1, static_cast<double>(cluster.stores.size())));
  return to_seconds(ran) <= task.input.value() / (link / readers);
}

// Says whether it is what was expected of a read at some level.
bool as_expected(const ClusterSnapshot& cluster, const Task& task, NodeId node, Duration ran) {
  constexpr double rounding = 2e-6;  // seconds
  return std::ranges::any_of(
      std::initializer_list{Locality::node, Locality::rack, Locality::zone, Locality::remote, Locality::none},
      [&](Locality level) {
        return std::abs(to_seconds(ran - expected_duration(cluster, task, node, level))) <= rounding;
      });
}

}  // namespace

void RecordedEnds::add_before(RecordedEnds earlier) {
  std::ranges::move(tasks, std::back_inserter(earlier.tasks));
  tasks = std::move(earlier.tasks);
  without_time += earlier.without_time, lost += earlier.lost;
  if (tasks.size() <= most) return;
  const std::size_t forgotten = tasks.size() - most;
  tasks.erase(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(forgotten));
  without_time += forgotten;
}

void EndsCollector::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  if (!std::exchange(began_, true)) ended_.since = cluster.now;
  if (const auto* started = std::get_if<TaskStarted>(&event)) {
    started_[started->task] = cluster.now;
  } else if (const auto* found = std::get_if<TaskFound>(&event)) {
    started_[found->task] = found->since;
  } else if (const auto* finished = std::get_if<TaskFinished>(&event)) {
    ended(cluster, finished->task, finished->node, finished->ran);
  } else if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event)) {
    const NodeId node = cluster.tasks[withdrawn->task].node;
    if (node.valid() && started_.contains(withdrawn->task)) ended(cluster, withdrawn->task, node, withdrawn->ran);
  } else if (const auto* lost = std::get_if<TaskLost>(&event)) {
    ended_.lost += started_.erase(lost->task);
  } else if (std::holds_alternative<NodeLost>(event)) {
    ended_.lost += std::erase_if(started_, [&](const auto& start) {
      const TaskState state = cluster.tasks[start.first].state;
      return state == TaskState::pending || state == TaskState::blocked;
    });
  } else if (std::holds_alternative<ClusterListed>(event)) {
    started_.clear(), done_.clear(), done_before_.clear();
  }
}

bool EndsCollector::ends_first(TaskId task) {
  if (done_.contains(task) || done_before_.contains(task)) return false;
  if (done_.size() >= most_remembered / 2) done_before_ = std::exchange(done_, {});
  return done_.insert(task).second;
}

void EndsCollector::ended(const ClusterSnapshot& cluster, TaskId id, NodeId node, std::optional<Duration> ran) {
  const Task& task = cluster.tasks[id];
  if (task.state != TaskState::finished || !ends_first(id)) return;
  const auto start = started_.find(id);
  if (!ran && start != started_.end()) ran = cluster.now - start->second;
  if (start != started_.end()) started_.erase(start);
  if (!ran || !cluster.nodes.contains(node) || ended_.tasks.size() >= RecordedEnds::most)
    return void(++ended_.without_time);
  const Job& job = cluster.jobs[task.job];
  RecordedEnd end;
  end.job = job.name, end.arrival = job.arrival;
  end.place = id.index() - job.first_task.index();
  end.kind = task.kind;
  if (task.block.valid()) {
    const DataSet& data_set = cluster.data_sets[cluster.blocks[task.block].data_set];
    end.data_set = data_set.name, end.block = task.block.index() - data_set.first_block.index();
  }
  end.expected = end.work = task.cpu;
  end.at = cluster.now, end.ran = *ran;
  if (job.request.cpu.value() > 0 && !as_expected(cluster, task, node, *ran)) {
    end.work = CpuSeconds(to_seconds(*ran) * cluster.nodes[node].speed * job.request.cpu.value());
    end.waited_for_data = may_have_waited(cluster, task, node, *ran);
  }
  ended_.tasks.push_back(std::move(end));
}

RecordedEnds EndsCollector::take(TimePoint now) {
  if (!std::exchange(began_, true)) ended_.since = now;
  RecordedEnds taken = std::exchange(ended_, {});
  ended_.since = taken.since;
  return taken;
}

}  // namespace lips

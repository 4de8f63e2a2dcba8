#include "advice/holds.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/marks.h"

namespace lips::advice {

namespace {

const std::string& name_of(const ClusterSnapshot& cluster, PoolId pool) {
  static const std::string unknown;
  return pool.valid() ? cluster.pools[pool].name : unknown;
}

// Jobs of which a task would start in that zone at once if the plan kept no room empty.
using Waiting = std::map<ZoneId, std::set<JobId>>;

Result<Waiting> who_waits(const Question& question, const Outcome& outcome) {
  Waiting waiting;
  if (outcome.plan.account.held.empty()) return waiting;
  Question without = question;
  without.settings.lips.keep_room = Duration{};
  const Result<Outcome> otherwise = ask(without);
  if (!otherwise) return tl::unexpected(otherwise.error());
  std::set<TaskId> starts;
  for (const Assignment& assignment : outcome.starting) starts.insert(assignment.task);
  for (const Assignment& assignment : otherwise->starting)
    if (!starts.contains(assignment.task))
      waiting[question.cluster.nodes[assignment.node].zone].insert(question.cluster.tasks[assignment.task].job);
  return waiting;
}

bool same_application(const ClusterSnapshot& cluster, JobId a, JobId b) {
  return a == b || (cluster.jobs[a].whole.peers && cluster.jobs[a].whole.id == cluster.jobs[b].whole.id);
}

Hold hold_of(const ClusterSnapshot& cluster, const HeldRoom& room) {
  const Job& job = cluster.jobs[room.job];
  return {std::string(to_string(room.reason)),
          job.name,
          cluster.pools[job.pool].name,
          cluster.zones[room.zone].name,
          "",
          room.tasks,
          room.room,
          {},
          cluster.now - (job.whole.peers ? job.whole.arrived : job.arrival)};
}

void add_kept(const Question& question, const Outcome& outcome, const Waiting& waiting, std::vector<Hold>& all) {
  for (const HeldRoom& room : outcome.plan.account.held) {
    Hold hold = hold_of(question.cluster, room);
    hold.spare = room.spare;
    if (room.reason == HeldFor::workers_to_come)
      hold.ends_in = std::max(Duration(0), question.settings.lips.keep_room - *hold.age);
    if (const auto beside = waiting.find(room.zone); beside != waiting.end() && room.is_paid_for())
      for (const JobId job : beside->second)
        if (!same_application(question.cluster, job, room.job)) hold.waiting.push_back(job);
    all.push_back(std::move(hold));
  }
}

void add_marked(const ClusterSnapshot& cluster, std::vector<Hold>& all) {
  for (const HeldRoom& room : room_beside_marked(cluster)) {
    Hold hold = hold_of(cluster, room);
    TimePoint until{};
    for (const RunningTask& run : cluster.running)
      if (run.job == room.job && cluster.nodes[run.node].zone == room.zone) until = std::max(until, run.marked_until);
    hold.ends_in = std::max(Duration(0), until - cluster.now);
    all.push_back(std::move(hold));
  }
}

void add_expected(const ClusterSnapshot& cluster, const Plan& plan, std::vector<Hold>& all) {
  for (const KeptRoom& room : plan.account.kept_room) {
    const ExpectedWork& run = cluster.expected[room.expected];
    Hold hold;
    hold.reason = "expected-run", hold.job = run.job, hold.pool = name_of(cluster, run.pool);
    hold.zone = cluster.zones[room.zone].name, hold.work = room.work;
    hold.ends_in = std::max(Duration(0), run.until() - cluster.now);
    all.push_back(std::move(hold));
  }
}

// A copy whose last read nobody remembers, and one whose data tasks wait for, has no end.
void add_copies(const Question& question, std::vector<Hold>& all) {
  const ClusterSnapshot& cluster = question.cluster;
  std::map<std::pair<DataSetId, StoreId>, std::pair<Hold, TimePoint>> copies;
  for (const Block& block : cluster.blocks) {
    if (!block.data_set.valid()) continue;
    const DataSet& set = cluster.data_sets[block.data_set];
    for (const Replica& replica : block.replicas) {
      if (!replica.extra) continue;
      const auto [place, added] = copies.try_emplace({block.data_set, replica.store});
      auto& [hold, read] = place->second;
      if (added) {
        const DataStore& store = cluster.stores[replica.store];
        hold.reason = "extra-copies", hold.job = set.name, hold.pool = name_of(cluster, set.pool);
        hold.store = store.name, hold.zone = cluster.zones[store.zone].name;
      }
      ++hold.tasks, hold.room.memory += block.size;
      read = std::max(read, replica.last_read);
    }
  }
  for (auto& [key, copy] : copies) {
    if (copy.second != TimePoint{})
      copy.first.ends_in = std::max(Duration(0), copy.second + question.settings.lips.drop_copies_after - cluster.now);
    all.push_back(std::move(copy.first));
  }
}

}  // namespace

Result<std::vector<Hold>> holds(const Question& question, const Outcome& outcome) {
  const Result<Waiting> waiting = who_waits(question, outcome);
  if (!waiting) return tl::unexpected(waiting.error());
  std::vector<Hold> all;
  add_kept(question, outcome, *waiting, all);
  add_expected(question.cluster, outcome.plan, all);
  add_marked(question.cluster, all);
  add_copies(question, all);
  return all;
}

}  // namespace lips::advice

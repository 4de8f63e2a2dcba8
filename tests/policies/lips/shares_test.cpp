// Shares of pools in the default policy: nobody borrows room that a pool below its entitlement wants, what nobody
// claims is lent, and pools get what they are entitled to in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/entitlements.h"
#include "tests/policies/lips/mixed_world.h"

namespace lips::testing {
namespace {

// Waits cost so much that nobody chooses one for long.
PolicySettings billed(Billing billing) {
  PolicySettings settings;
  settings.lips.billing = billing;
  settings.lips.waiting_price = 1000;
  return settings;
}

// Eight cores. A pool of weight 1 has a stream of small jobs; one of weight 10 comes with a large job a little later.
struct BesideAStream {
  ClusterBuilder builder{1};
  PoolId small{0}, big;
  BesideAStream() {
    big = builder.pool(10);
    for (int i = 0; i < 2; ++i)
      builder.start.nodes[builder.node({.price = 0.05 / 3600, .slots = 100, .cpu = 4, .memory = 32'768})].price =
          UsdPerHour(0.2);
  }
  // The heavy pool's core-seconds over those that it is entitled to, after the first tasks have ended.
  double part(const PolicySettings& settings) {
    Case with("lips", builder, settings);
    double used = 0, entitled = 0, next = 4;
    with.add({.pool = small, .maps = 8, .cpu = 8});
    for (double now = 0; now < 100;) {
      const ClusterSnapshot& cluster = with.state.snapshot();
      for (const Assignment& assignment : with.plan().assignments) with.state.assume(assignment);
      now = to_seconds(cluster.now - TimePoint{});
      if (now >= 10) {
        const PoolShares shares = share_out(cluster);
        used += cluster.pool_cores[big].value();
        entitled += shares.of[big].share * 8;
      }
      with.state.advance(cluster.now + seconds(1));
      std::vector<RunningTask> ended;
      for (const RunningTask& run : cluster.running)
        if (run.expected_end <= cluster.now) ended.push_back(run);
      for (const RunningTask& run : ended) with.state.apply(TaskFinished{run.task, run.node});
      if (now >= 1 && now < 2) with.add({.pool = big, .arrival = now, .maps = 200, .cpu = 8});
      if (now >= next) with.add({.pool = small, .arrival = now, .maps = 8, .cpu = 8}), next += 4;
    }
    return used / entitled;
  }
};

TEST(Shares, HoldBesideAStreamOfSmallJobs) {
  EXPECT_GE(BesideAStream().part(billed(Billing::invoice)), 0.95);
  EXPECT_GE(BesideAStream().part(billed(Billing::use)), 0.95);
  PolicySettings no_small_jobs;
  no_small_jobs.lips.fast_path_limit = Usd(0);
  EXPECT_GE(BesideAStream().part(no_small_jobs), 0.95);
}

// The part of the capacity that small jobs of all pools together may start above their pools' shares.
constexpr double express_part = 0.03;

// A fixed node is paid for in any case: a pool that leaves its room to others for longer does not do so by choice.
constexpr double longest_choice = 120;  // seconds

// Room is kept for gangs, or promised to large tasks, for minutes.
constexpr double longest_hold = 600;  // seconds

// One run of a mixed world with pools, plan by plan.
class SharedRun {
 public:
  SharedRun(std::uint64_t seed, std::uint32_t pools, Billing billing, std::uint32_t adversaries = 0)
      : world_(seed, pools, adversaries),
        with_("lips", world_.builder(), billed(billing)),
        longest_borrowing_(adversaries > 0 ? longest_hold : longest_choice) {}

  // The fault: nothing, or a sentence.
  std::string run() {
    std::size_t next = 0;
    for (int step = 0; step < 20'000; ++step) {
      const ClusterSnapshot& cluster = with_.state.snapshot();
      while (next < world_.jobs().size() && world_.jobs()[next].arrival <= to_seconds(cluster.now - TimePoint{}))
        with_.state.apply(MixedWorld::arrival_of(cluster, world_.jobs()[next++]));
      const PoolShares before = share_out(cluster);
      const Plan plan = with_.plan();
      std::vector<Assignment> started;
      for (const Assignment& assignment : plan.assignments)
        if (with_.state.assume(assignment)) started.push_back(assignment);
      contended_ += before.contended();
      look(before, started);
      look_at_priorities(started, plan.account.held);
      look_at_idle_room(before, started);
      if (std::string fault = held_above_share(before, plan.account.held); !fault.empty()) return fault;
      for (const auto& [job, since] : beside_room_)
        if (to_seconds(cluster.now - since) > longest_hold)
          return "idle room is kept from job " + std::to_string(job.index()) + " since second " +
                 std::to_string(to_seconds(since - TimePoint{}));
      for (const auto& [pool, since] : since_)
        if (to_seconds(cluster.now - since) > longest_borrowing_)
          return "others take the room of pool " + std::to_string(pool.index()) + " since second " +
                 std::to_string(to_seconds(since - TimePoint{}));
      for (const auto& [job, since] : behind_)
        if (to_seconds(cluster.now - since) > longest_choice)
          return "tasks of a lower priority take the room of job " + std::to_string(job.index()) + " since second " +
                 std::to_string(to_seconds(since - TimePoint{}));
      if (next == world_.jobs().size() && cluster.running.empty()) return "";
      MixedWorld::pass_time(with_.state, next < world_.jobs().size() ? world_.jobs()[next].arrival : 1e12);
    }
    return "it never ends";
  }
  int contended() const { return contended_; }
  int lent() const { return lent_; }
  int lower() const { return lower_; }
  int held() const { return held_; }

 private:
  // True: the use is within the share, in all that the request takes.
  static bool within(const ResourceAmounts& used, const Entitlement& share, const Resources& request) {
    ResourceAmounts takes(used.size(), 0.0);
    add_amounts(takes, request, 1);
    for (std::size_t r = 0; r < used.size(); ++r)
      if (takes[r] > 0 && used[r] > share.amounts[r] + 1e-6) return false;
    return true;
  }

  // The use of each pool with the tasks that start.
  IdVector<PoolId, ResourceAmounts> used_after(const PoolShares& before, const std::vector<Assignment>& started) const {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    IdVector<PoolId, ResourceAmounts> used;
    for (const PoolClaim& claim : before.claims) used.push_back(claim.used);
    for (const Assignment& assignment : started) {
      const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
      add_amounts(used[job.pool], job.request, 1);
    }
    return used;
  }

  // Notes pools that could start one more task within what they are entitled to, in room that a pool took above its own
  // by more than its last task.
  void look(const PoolShares& before, const std::vector<Assignment>& started) {
    std::map<PoolId, TimePoint> since;
    if (!before.contended()) return since_.clear();
    const ClusterSnapshot& cluster = with_.state.snapshot();
    const IdVector<PoolId, ResourceAmounts> used = used_after(before, started);
    for (const Assignment& assignment : started) {
      const Job& borrower = cluster.jobs[cluster.tasks[assignment.task].job];
      ResourceAmounts without = used[borrower.pool];
      add_amounts(without, borrower.request, -1);
      Entitlement share = before.of[borrower.pool];
      for (std::size_t r = 0; r < share.amounts.size(); ++r)
        share.amounts[r] += express_part / static_cast<double>(cluster.pools.size()) * before.capacity[r];
      if (within(without, share, borrower.request)) continue;
      ++lent_;
      for (const JobId id : cluster.pending) {
        const Job& waits = cluster.jobs[id];
        if (waits.pool == borrower.pool || waits.whole.peers) continue;  // peers need room for many
        ResourceAmounts with_it = used[waits.pool];
        add_amounts(with_it, waits.request, 1);
        if (!within(with_it, before.of[waits.pool], waits.request)) continue;
        if (cluster.eligible(waits.constraint, assignment.node) &&
            fits(waits.request, cluster.free[assignment.node] + borrower.request))
          since[waits.pool] = since_.contains(waits.pool) ? since_.at(waits.pool) : cluster.now;
      }
    }
    since_ = std::move(since);
  }

  // Notes jobs of which one of a lower priority starts in room that would hold them. Shares come before priority: where
  // room is kept for another pool, it may be this room.
  void look_at_priorities(const std::vector<Assignment>& started, const std::vector<HeldRoom>& held) {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    std::set<PoolId> keepers;
    for (const HeldRoom& room : held) keepers.insert(cluster.jobs[room.job].pool);
    std::map<JobId, TimePoint> behind;
    for (const JobId id : cluster.pending) {
      const Job& waits = cluster.jobs[id];
      if (waits.whole.peers || keepers.size() > keepers.count(waits.pool)) continue;
      for (const Assignment& assignment : started) {
        const Job& one = cluster.jobs[cluster.tasks[assignment.task].job];
        lower_ += one.priority < waits.priority;
        if (one.pool == waits.pool && one.priority < waits.priority &&
            cluster.eligible(waits.constraint, assignment.node) &&
            fits(waits.request, cluster.free[assignment.node] + one.request))
          behind[id] = behind_.contains(id) ? behind_.at(id) : cluster.now;
      }
    }
    behind_ = std::move(behind);
  }

  // Says whether the pool that keeps room may keep so much on the node that the request does not fit beside it: what
  // its share leaves, its last task apart.
  bool may_keep(const PoolShares& before, const IdVector<PoolId, ResourceAmounts>& used, NodeId node,
                const Resources& request) const {
    if (!before.contended()) return false;
    const ClusterSnapshot& cluster = with_.state.snapshot();
    ResourceAmounts left = before.of[MixedWorld::adversary].amounts;
    for (std::size_t r = 0; r < left.size(); ++r) left[r] -= used[MixedWorld::adversary][r];
    const Resources* last = nullptr;
    for (const RunningTask& run : cluster.running)
      if (const Job& one = cluster.jobs[run.job]; one.pool == MixedWorld::adversary)
        if (!last || one.request.cpu > last->cpu) last = &one.request;
    if (last) add_amounts(left, *last, 1);
    ResourceAmounts keeps_out(left.size(), 0.0);
    add_amounts(keeps_out, cluster.free[node], 1);
    add_amounts(keeps_out, request, -1);
    return left[0] >= keeps_out[0] || left[1] >= keeps_out[1];  // cores, memory
  }

  // Notes jobs of which a task, within the share of its pool, finds room where nothing starts.
  void look_at_idle_room(const PoolShares& before, const std::vector<Assignment>& started) {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    const IdVector<PoolId, ResourceAmounts> used = used_after(before, started);
    std::map<JobId, TimePoint> beside;
    for (const JobId id : cluster.pending) {
      const Job& waits = cluster.jobs[id];
      if (waits.whole.peers) continue;
      ResourceAmounts with_it = used[waits.pool];
      add_amounts(with_it, waits.request, 1);
      if (before.contended() && !within(with_it, before.of[waits.pool], waits.request)) continue;
      for (const NodeId node : cluster.nodes.ids())
        if (cluster.eligible(waits.constraint, node) && fits(waits.request, cluster.free[node]) &&
            !may_keep(before, used, node, waits.request))
          beside[id] = beside_room_.contains(id) ? beside_room_.at(id) : cluster.now;
    }
    beside_room_ = std::move(beside);
  }

  // Room that is held for a pool that wants more than its share lies within that share. The pool may borrow beside it.
  std::string held_above_share(const PoolShares& before, const std::vector<HeldRoom>& held) {
    held_ += static_cast<int>(held.size());
    if (!before.contended()) return "";
    const ClusterSnapshot& cluster = with_.state.snapshot();
    IdVector<PoolId, ResourceAmounts> used;
    for (const PoolClaim& claim : before.claims) used.push_back(claim.used);
    IdVector<PoolId, ResourceAmounts> with_held = used;
    for (const HeldRoom& room : held)
      if (room.reason != HeldFor::large_task && !room.spare)
        add_amounts(with_held[cluster.jobs[room.job].pool], room.room, 1);
    for (const PoolId pool : cluster.pools.ids())
      for (std::size_t r = 0; before.of[pool].limits() && r < before.capacity.size(); ++r)
        if (with_held[pool][r] > std::max(used[pool][r], before.of[pool].amounts[r]) + 1e-6)
          return "room is held for pool " + std::to_string(pool.index()) + " above its share";
    return "";
  }

  MixedWorld world_;
  Case with_;
  const double longest_borrowing_;     // seconds
  std::map<PoolId, TimePoint> since_;  // others take their room
  std::map<JobId, TimePoint> behind_;
  std::map<JobId, TimePoint> beside_room_;
  int contended_ = 0, lent_ = 0, lower_ = 0, held_ = 0;
};

TEST(Shares, NobodyBorrowsWhatAPoolBelowItsShareWants) {
  int contended = 0, lent = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SharedRun run(seed, 2 + static_cast<std::uint32_t>(seed % 4), seed % 2 == 0 ? Billing::invoice : Billing::use);
    ASSERT_EQ(run.run(), "") << "seed " << seed;
    contended += run.contended();
    lent += run.lent();
  }
  EXPECT_GT(contended, 2'000);
  EXPECT_GT(lent, 200);
}

// A tenant who names peers that never come, and says that all he has is overdue and comes first, takes no more than his
// share, and keeps idle room from nobody for long.
TEST(Shares, HoldBesideATenantWhoSaysAnything) {
  int contended = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SharedRun run(seed, 2 + static_cast<std::uint32_t>(seed % 3), seed % 2 == 0 ? Billing::invoice : Billing::use,
                  static_cast<std::uint32_t>(10 + seed % 30));
    EXPECT_EQ(run.run(), "") << "seed " << seed;
    contended += run.contended();
  }
  EXPECT_GT(contended, 2'000);
}

TEST(Shares, AreInTheAccount) {
  ClusterBuilder builder(1);
  const PoolId second = builder.pool(3);
  builder.node({.slots = 8, .cpu = 8});
  Case with("lips", builder);
  with.add({.maps = 20, .cpu = 600});
  with.add({.pool = second, .maps = 20, .cpu = 600});
  const Plan plan = with.plan();
  ASSERT_EQ(plan.account.sharing.size(), 2u);
  EXPECT_NEAR(plan.account.sharing[0].entitlement, 0.25, 1e-9);
  EXPECT_NEAR(plan.account.sharing[1].entitlement, 0.75, 1e-9);
  EXPECT_NEAR(plan.account.sharing[0].use, 0.25, 1e-9);
  EXPECT_NEAR(plan.account.sharing[1].use, 0.75, 1e-9);
  EXPECT_EQ(plan.account.sharing[0].price_of_sharing, 0) << "a wait of one is as dear as that of the other";
}

TEST(Shares, AreInTheAccountWithNothingPending) {
  ClusterBuilder builder(1);
  const PoolId second = builder.pool(3);
  builder.node({.slots = 8, .cpu = 8});
  Case with("lips", builder, billed(Billing::use));
  with.add({.pool = second, .maps = 2, .cpu = 600});
  for (const Assignment& assignment : with.plan().assignments) ASSERT_TRUE(with.state.assume(assignment));
  ASSERT_EQ(with.state.snapshot().pending_tasks, 0u);
  const Plan idle = with.plan();
  ASSERT_EQ(idle.account.sharing.size(), 2u);
  EXPECT_EQ(idle.account.sharing[0].entitlement, 0);
  EXPECT_NEAR(idle.account.sharing[1].entitlement, 0.25, 1e-9);
  EXPECT_NEAR(idle.account.sharing[1].use, 0.25, 1e-9);
}

// The first pool gets the room that the second one's maximum leaves.
TEST(Shares, ThatNobodyWantsAreLent) {
  ClusterBuilder builder(1);
  const PoolId second = builder.pool(3, 0, 2);
  builder.node({.slots = 8, .cpu = 8});
  Case with("lips", builder);
  with.add({.maps = 20, .cpu = 600});
  with.add({.pool = second, .maps = 20, .cpu = 600});
  EXPECT_EQ(with.plan().assignments.size(), 8u);
}

TEST(Priorities, HoldInOnePool) {
  int lower = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SharedRun run(seed, 1, seed % 2 == 0 ? Billing::invoice : Billing::use);
    ASSERT_EQ(run.run(), "") << "seed " << seed;
    lower += run.lower();
  }
  EXPECT_GT(lower, 2'000);
}

}  // namespace
}  // namespace lips::testing

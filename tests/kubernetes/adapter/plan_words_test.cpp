#include "kubernetes/adapter/plan_words.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

// Random plans: the words are those of a table with an entry for each task, and the news are its differences.
TEST(PlanWords, TellTheTasksOfWhichAPlanSaysSomethingElse) {
  Random random(1);
  PlanWords words;
  std::vector<const WaitingWords*> before;
  std::size_t tasks = 0, told = 0;
  std::uint64_t listing = 1;
  for (int round = 0; round < 2'000; ++round) {
    if (random.below(50) == 0) ++listing, tasks = 0, before.clear();
    tasks += random.below(4);
    const auto any = [&] { return static_cast<DeferralReason>(random.below(4)); };
    Plan plan;
    plan.rest = random.below(20) == 0 ? DeferralReason::not_considered : DeferralReason::no_capacity;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      if (random.below(10) == 0) plan.deferrals.push_back({TaskId(task), any()});
      Assignment assignment;
      assignment.task = TaskId(task);
      if (random.below(20) == 0) plan.assignments.push_back(assignment);
    }
    std::vector<const WaitingWords*> now(tasks, &words_of(plan.rest));
    for (const Deferral& deferral : plan.deferrals) now[deferral.task.index()] = &words_of(deferral.reason);
    for (const Assignment& assignment : plan.assignments) now[assignment.task.index()] = &words_of_planned();

    const PlanWords::News news = words.take(plan, listing, tasks);
    const std::set<TaskId> named(news.tasks.begin(), news.tasks.end());
    told += named.size();
    before.resize(tasks, nullptr);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      EXPECT_EQ(words.of(TaskId(task), listing), now[task]);
      const bool differs = before[task] != now[task];
      EXPECT_EQ(named.contains(TaskId(task)), differs && !news.of_all);
    }
    EXPECT_EQ(words.of(TaskId(static_cast<std::uint32_t>(tasks)), listing), nullptr);
    EXPECT_EQ(words.of(TaskId(0), listing + 1), nullptr);
    before = std::move(now);
  }
  EXPECT_GT(told, 1'000U);
}

}  // namespace
}  // namespace lips::kubernetes

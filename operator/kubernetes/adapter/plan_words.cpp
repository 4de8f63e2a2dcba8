#include "kubernetes/adapter/plan_words.h"

#include <utility>

namespace lips::kubernetes {

PlanWords::News PlanWords::take(const Plan& plan, std::uint64_t listing, std::size_t tasks) {
  ByTask said;
  for (const Deferral& deferral : plan.deferrals) said[deferral.task] = &words_of(deferral.reason);
  for (const Assignment& assignment : plan.assignments) said[assignment.task] = &words_of_planned();
  const ByTask before = std::exchange(said_, std::move(said));
  const WaitingWords* rest = &words_of(plan.rest);
  const std::size_t known = std::exchange(tasks_, tasks);
  News news;
  news.of_all = std::exchange(rest_, rest) != rest;
  news.of_all |= std::exchange(listing_, listing) != listing;
  if (news.of_all) return news;
  const auto compare = [&](const ByTask& some, const ByTask& others) {
    for (const auto& [task, words] : some) {
      const auto other = others.find(task);
      if ((other == others.end() ? rest : other->second) != words) news.tasks.push_back(task);
    }
  };
  compare(before, said_);
  compare(said_, before);
  for (std::size_t task = known; task < tasks; ++task) news.tasks.emplace_back(static_cast<std::uint32_t>(task));
  return news;
}

const WaitingWords* PlanWords::of(TaskId task, std::uint64_t listing) const {
  if (listing != listing_ || !task.valid() || task.index() >= tasks_) return nullptr;
  const auto said = said_.find(task);
  return said == said_.end() ? rest_ : said->second;
}

}  // namespace lips::kubernetes

#include "kubernetes/pods/run_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kubernetes/pods/older_half.h"

namespace lips::kubernetes {
namespace {

// A "-" and digits at the end of a name come from a clock or a counter.
std::string_view without_number(std::string_view name) {
  const std::size_t dash = name.find_last_of('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == name.size()) return name;
  const std::string_view tail = name.substr(dash + 1);
  return std::all_of(tail.begin(), tail.end(), [](char c) { return c >= '0' && c <= '9'; }) ? name.substr(0, dash)
                                                                                            : name;
}

}  // namespace

std::string template_of(const std::string& name_space, const std::optional<Owner>& owner, const std::string& pod) {
  std::string result = name_space + '/';
  if (owner) return result.append(owner->kind).append("/").append(without_number(owner->name));
  return result.append("Pod/").append(without_number(pod));
}

void RunTimes::Sum::add(RunTime task) {
  ++count;
  seconds += to_seconds(task.took);
  if (task.declared <= Duration(0)) return;
  declared += to_seconds(task.declared);
  over_declared += to_seconds(task.took);
}

void RunTimes::Sum::halve() { count /= 2, seconds /= 2, declared /= 2, over_declared /= 2; }

double RunTimes::Entry::mean() const {
  const double count = ended.count + overdue.count;
  return count > 0 ? (ended.seconds + overdue.seconds) / count : 0;
}

double RunTimes::Entry::excess() const {
  const double declared = ended.declared + overdue.declared;
  const double factor = declared > 0 ? (ended.over_declared + overdue.over_declared) / declared : 1;
  return factor > 2 ? factor : 1;
}

RunTimes::Entry* RunTimes::entry_of(const std::string& of) {
  if (const auto known = entries_.find(of); known != entries_.end()) return &known->second;
  if (entries_.size() >= most_kept) drop_older_half(entries_);
  return &entries_[of];
}

void RunTimes::add(const std::string& of, RunTime task) {
  Entry* entry = entry_of(of);
  entry->used = ++turn_;
  if (entry->ended.count >= remembered) entry->ended.halve();
  entry->ended.add(task);
  note(of, *entry);
}

void RunTimes::review(const std::map<std::string, std::vector<RunTime>>& running, Duration assumed) {
  for (auto& [of, entry] : entries_) entry.overdue = {};
  for (const auto& [of, tasks] : running) {
    const auto known = entries_.find(of);
    const bool learned = known != entries_.end() && known->second.ended.count > 0;
    const Duration expected = learned ? seconds(known->second.mean()) : assumed;
    Sum overdue;
    for (const RunTime& task : tasks) {
      const Duration due = task.declared > Duration(0) ? 2 * task.declared : expected;
      if (task.took > due) overdue.add({2 * task.took, task.declared});
    }
    if (overdue.count == 0) continue;
    Entry* entry = entry_of(of);
    entry->used = ++turn_;
    entry->overdue = overdue;
  }
  for (const auto& [of, entry] : entries_) note(of, entry);
}

void RunTimes::note(const std::string& of, const Entry& entry) {
  const auto far = [](double now, double then, double least) {
    return std::abs(now - then) * 4 > then && std::abs(now - then) > least;
  };
  if (far(entry.mean(), entry.reviewed_mean, 1) || far(entry.excess(), entry.reviewed_excess, 0)) moved_.insert(of);
}

std::optional<Duration> RunTimes::mean(const std::string& of) const {
  const auto known = entries_.find(of);
  if (known == entries_.end() || known->second.mean() <= 0) return std::nullopt;
  return seconds(known->second.mean());
}

double RunTimes::excess(const std::string& of) const {
  const auto known = entries_.find(of);
  return known == entries_.end() ? 1 : known->second.excess();
}

std::set<std::string> RunTimes::take_moved() {
  for (const std::string& of : moved_)
    if (const auto known = entries_.find(of); known != entries_.end()) known->second.mark_reviewed();
  return std::exchange(moved_, {});
}

void RunTimes::mark_reviewed() {
  moved_.clear();
  for (auto& [of, entry] : entries_) entry.mark_reviewed();
}

}  // namespace lips::kubernetes

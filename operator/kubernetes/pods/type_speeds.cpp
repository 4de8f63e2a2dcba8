#include "kubernetes/pods/type_speeds.h"

#include <algorithm>
#include <cmath>

#include "kubernetes/pods/older_half.h"

namespace lips::kubernetes {

namespace {

constexpr double doubt = 20;  // tasks' worth of belief that a type is as fast as the others
constexpr double most = 3;    // times as fast or as slow; beyond that the tasks differ, not the cores
constexpr int rounds = 30;    // of the fit; each brings it closer by a constant factor
constexpr double far = 0.05;

// Tasks from one fit to the next: fitting then takes a small share of the time in which they run.
std::uint64_t until_next_fit(std::size_t templates) { return 50 + 10 * templates; }

}  // namespace

void TypeSpeeds::add(const std::string& of, const std::string& type, Duration took) {
  if (type.empty() || took <= Duration(0)) return;
  if (!templates_.contains(of) && templates_.size() >= most_kept) drop_older_half(templates_);
  Template& task = templates_[of];
  task.used = ++turn_;
  Sum& sum = task.on[type];
  if (sum.count >= remembered) sum.count /= 2, sum.logs /= 2;
  ++sum.count;
  sum.logs += std::log(to_seconds(took));
  if (turn_ < next_fit_) return;
  next_fit_ = turn_ + until_next_fit(templates_.size());
  for (const auto& [name, speed] : fitted())
    if (std::abs(std::log(speed / this->of(name))) > far) moved_ = true;
}

// Least squares of log(seconds) = length of the template - log(speed of the type), with a pull of `doubt` tasks towards
// speed 1: lengths and speeds in turn. A template that ran on one type alone says nothing of speeds.
std::map<std::string, double> TypeSpeeds::fitted() const {
  std::map<std::string, double> logs;
  for (int round = 0; round < rounds; ++round) {
    std::map<std::string, Sum> next;
    for (const auto& [name, task] : templates_) {
      if (task.on.size() < 2) continue;
      double count = 0, length = 0;
      for (const auto& [type, sum] : task.on) count += sum.count, length += sum.logs + sum.count * logs[type];
      length /= count;
      for (const auto& [type, sum] : task.on) {
        Sum& of_type = next[type];
        of_type.count += sum.count, of_type.logs += sum.count * length - sum.logs;
      }
    }
    for (const auto& [type, sum] : next) logs[type] = sum.logs / (sum.count + doubt);
  }
  std::map<std::string, double> speeds;
  for (const auto& [type, log] : logs) speeds[type] = std::clamp(std::exp(log), 1 / most, most);
  return speeds;
}

double TypeSpeeds::of(const std::string& type) const {
  const auto known = reviewed_.find(type);
  return known == reviewed_.end() ? 1 : known->second;
}

void TypeSpeeds::mark_reviewed() {
  reviewed_ = fitted();
  moved_ = false;
}

}  // namespace lips::kubernetes

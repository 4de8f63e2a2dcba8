#include "kubernetes/pods/run_times.h"

#include <algorithm>
#include <cstdlib>

namespace lips::kubernetes {
namespace {

// Names that end in "-" and digits have them from a clock or a counter.
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

void RunTimes::add(const std::string& of, Duration run_time) {
  auto sum = sums_.find(of);
  if (sum == sums_.end()) {
    if (sums_.size() >= most_kept) std::erase_if(sums_, [](const auto& entry) { return entry.second.count == 0; });
    if (sums_.size() >= most_kept) return;
    sum = sums_.try_emplace(of).first;
  }
  ++sum->second.count;
  sum->second.total += run_time;
  update(sum->second);
}

void RunTimes::remove(const std::string& of, Duration run_time) {
  const auto sum = sums_.find(of);
  if (sum == sums_.end() || sum->second.count == 0) return;
  --sum->second.count;
  sum->second.total -= run_time;
  update(sum->second);
}

void RunTimes::update(Sum& sum) {
  if (sum.count > 0) sum.last_mean = sum.total / sum.count;
  const Duration off = std::chrono::abs(sum.last_mean - sum.settled);
  if (off * 4 > sum.settled && off > std::chrono::seconds(1)) moved_ = true;
}

std::optional<Duration> RunTimes::mean(const std::string& of) const {
  const auto sum = sums_.find(of);
  return sum == sums_.end() ? std::nullopt : std::optional(sum->second.last_mean);
}

void RunTimes::settle() {
  moved_ = false;
  for (auto& [of, sum] : sums_) sum.settled = sum.last_mean;
}

}  // namespace lips::kubernetes

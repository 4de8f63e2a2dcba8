#include "kubernetes/api/write_governor.h"

#include <utility>

namespace lips::kubernetes {
namespace {

bool is_governed(std::string_view verb, std::string_view path) {
  const bool writes = verb == "update" || verb == "patch" || verb == "delete";
  return writes && path.find("/leases/") == std::string_view::npos;
}

}  // namespace

bool WriteGovernor::admits(std::string_view verb, std::string_view path, Clock::time_point now) {
  if (!is_governed(verb, path)) return true;
  if (now - began_ >= span) {
    before_ = now - began_ < 2 * span ? std::exchange(counts_, {}) : Counts{};
    counts_.clear();
    began_ = now;
  }
  const std::string key = std::string(verb) + ' ' + std::string(path.substr(0, path.find('?')));
  const auto before = before_.find(key);
  int& count = counts_[key];
  if (count + (before == before_.end() ? 0 : before->second) >= most_writes) return false;
  ++count;
  return true;
}

}  // namespace lips::kubernetes

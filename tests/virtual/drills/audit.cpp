#include "tests/virtual/drills/audit.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace lips::virtual_cluster::drills {
namespace {

bool is_read(kubernetes::Verb verb) {
  return verb == kubernetes::Verb::get || verb == kubernetes::Verb::list || verb == kubernetes::Verb::watch;
}

bool is_event(const Write& write) { return write.path.find("/events") != std::string::npos; }

std::string words(const Write& write) { return std::string(verb_name(write.verb)) + ' ' + write.path; }

Write write_of(const kubernetes::ApiRequest& request, const ApiResponse& answer, TimePoint now) {
  Write write{now, request.verb, request.path.substr(0, request.path.find('?')), request.body, answer.code};
  if (request.verb != kubernetes::Verb::create) return write;
  const Json body = Json::parse(request.body, nullptr, false);
  if (body.is_object() && body.contains("metadata")) write.path += '/' + body["metadata"].value("name", "");
  return write;
}

}  // namespace

void Audit::watch(VirtualKubernetes& cluster, std::function<bool()> others) {
  cluster.server().audit_by(
      [this, &loop = cluster.loop(), others = std::move(others)](const auto& request, const ApiResponse& answer) {
        if (is_read(request.verb) || (others && others())) return;
        writes_.push_back(write_of(request, answer, loop.now()));
        if (on_write_) on_write_(writes_.back());
      });
}

Audit::Busiest Audit::busiest() const {
  std::map<std::string, std::deque<TimePoint>> last;
  Busiest most;
  for (const Write& write : writes_) {
    if (is_event(write)) continue;
    std::deque<TimePoint>& minute = last[words(write)];
    minute.push_back(write.at);
    while (write.at - minute.front() > std::chrono::minutes(1)) minute.pop_front();
    if (minute.size() > most.writes) most = {minute.size(), words(write)};
  }
  return most;
}

std::size_t Audit::without_events() const {
  return writes_.size() - static_cast<std::size_t>(std::count_if(writes_.begin(), writes_.end(), is_event));
}

std::vector<std::string> Audit::bound_twice() const {
  std::map<std::string, int> bindings;
  std::vector<std::string> twice;
  for (std::size_t i = valid_from_; i < writes_.size(); ++i) {
    const Write& write = writes_[i];
    if (write.path.find("/binding") != std::string::npos && write.succeeded() && ++bindings[write.path] == 2)
      twice.push_back(write.path);
  }
  return twice;
}

std::vector<std::string> Audit::bound_in_vain() const {
  std::set<std::string> bound;
  std::vector<std::string> vain;
  for (std::size_t i = valid_from_; i < writes_.size(); ++i) {
    const Write& write = writes_[i];
    if (write.path.find("/binding") == std::string::npos) continue;
    if (write.succeeded()) bound.insert(write.path);
    if (write.code == 409 && bound.contains(write.path)) vain.push_back(write.path);
  }
  return vain;
}

std::vector<std::string> Audit::repeated() const {
  std::map<std::string, const Write*> last;  // by path
  std::vector<std::string> result;
  for (const Write& write : writes_) {
    if (is_event(write) || !write.succeeded()) continue;
    if (write.verb == kubernetes::Verb::remove)  // another object may get its name
      std::erase_if(last, [&](const auto& known) { return known.first.starts_with(write.path); });
    const Write*& before = last[write.path];
    if (before && before->verb == write.verb && before->body == write.body) result.push_back(words(write));
    before = &write;
  }
  return result;
}

}  // namespace lips::virtual_cluster::drills

#include "policies/lips/placing/later_room.h"

#include <algorithm>
#include <tuple>

namespace lips {

namespace {

constexpr std::uint64_t most_looks = 5'000'000;  // a plan stays within tens of milliseconds
constexpr double overdue = 1;                    // seconds: a task that should have ended does so soon

const Resources nothing{Cores(0), Mebibytes(0), 0};

}  // namespace

LaterRoom::LaterRoom(const ClusterSnapshot& cluster, const NodeClasses& classes,
                     const IdVector<NodeId, Resources>& free)
    : cluster_(cluster), classes_(classes), free_(free), ends_(classes.classes.size()) {}

void LaterRoom::add_end(double at, NodeId node, const Resources& request) {
  ends_[classes_.class_of[node]].push_back({std::max(overdue, at), node, &request});
}

const std::vector<TaskEnd>& LaterRoom::ends(ClassId c) {
  if (sorted_) return ends_[c];
  for (const RunningTask& run : cluster_.running)
    if (classes_.class_of[run.node].valid())
      add_end(to_seconds(run.expected_end - cluster_.now), run.node, cluster_.jobs[run.job].request);
  for (std::vector<TaskEnd>& of_class : ends_)
    std::stable_sort(of_class.begin(), of_class.end(), [](const TaskEnd& a, const TaskEnd& b) {
      return std::tuple(a.at, a.node) < std::tuple(b.at, b.node);
    });
  sorted_ = true;
  return ends_[c];
}

Resources LaterRoom::room(const Search& search, NodeId node) const {
  Resources room = free_[node];
  if (const auto ended = search.ended.find(node); ended != search.ended.end()) room += ended->second;
  if (const auto reserved = reserved_.find(node); reserved != reserved_.end()) room -= reserved->second;
  return room;
}

std::optional<LaterRoom::Opening> LaterRoom::earliest(ClassId c, const Resources& request, double latest,
                                                      Search& search) {
  if (search.found && search.found->at > latest) return std::nullopt;
  if (search.found) {
    search.found->room = room(search, search.found->node);
    if (fits(request, search.found->room)) return search.found;
    search.found.reset();
  }
  const std::vector<TaskEnd>& ends = this->ends(c);
  while (search.next < ends.size() && ends[search.next].at <= latest && looks_ < most_looks) {
    const TaskEnd& end = ends[search.next++];
    ++looks_;
    search.ended.try_emplace(end.node, nothing).first->second += *end.request;
    const Resources room = this->room(search, end.node);
    if (!fits(request, room)) continue;
    search.found = Opening{end.at, end.node, room};
    break;
  }
  return search.found;
}

double LaterRoom::least(ClassId c, const Search& search) {
  if (search.found) return search.found->at;
  const std::vector<TaskEnd>& ends = this->ends(c);
  return search.next < ends.size() ? ends[search.next].at : overdue;  // this plan may still add an end
}

void LaterRoom::reserve(NodeId node, const Resources& request) {
  reserved_.try_emplace(node, nothing).first->second += request;
}

}  // namespace lips

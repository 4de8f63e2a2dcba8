// The queue of kube-scheduler: pods to try now, pods that rest after an attempt until something happens, and pods for
// which something has happened but whose back-off has not passed. Knows keys and priorities alone, and reads no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "base/units.h"

namespace lips::virtual_cluster {

// The defaults of kube-scheduler.
struct KubeQueueRules {
  Duration first_back_off{1'000'000}, longest_back_off{10'000'000};
  Duration look_every{1'000'000};  // at full seconds, for back-offs that are over; 0: at once
  bool pops_from_back_off = true;  // while nothing else is to be tried: by default since Kubernetes 1.33
  bool keeps_turns = false;        // else a pod that has found no node is the last of its priority
};
// Pods keep the order in which they came, as for the policies of the simulator; kube-scheduler's order is another.
inline constexpr KubeQueueRules first_come{Duration(0), Duration(0), Duration(0), true, true};

class KubeQueue {
 public:
  explicit KubeQueue(KubeQueueRules rules = {}) : rules_(rules) {}

  // A pod to be tried as soon as it is its turn, also if it is here already: its specification is another.
  void add(const std::string& key, std::int64_t priority);
  void remove(const std::string& key);
  bool has(const std::string& key) const { return pods_.contains(key); }
  // The pod of the highest priority, and of these the one that came or was tried longest ago. It is under way until it
  // is put off or removed. Nothing: none is to be tried now.
  std::optional<std::string> pop(TimePoint now);
  // Found no node: it rests.
  void put_off(const std::string& key, TimePoint now);
  // Could not be bound, or there is no node at all: it is tried again after its back-off, never before. Without
  // back-offs it rests.
  void put_back(const std::string& key, TimePoint now);
  // Something happened that may help those pods that rest and for which `helps` says so.
  void wake(const std::function<bool(const std::string& key)>& helps, TimePoint now);
  // When pop() gives something; the end of time: not before something happens.
  TimePoint next(TimePoint now) const;
  std::size_t resting() const { return resting_.size(); }

 private:
  enum class Place : std::uint8_t { active, back_off, error, resting, under_way };
  struct Entry {
    std::int64_t priority = 0;
    std::uint64_t turn = 0;  // grows with each attempt
    int attempts = 0;
    TimePoint back_off_ends{};
    Place place = Place::active;
  };
  using Turn = std::tuple<std::int64_t, std::uint64_t, std::string>;  // the priority is negated
  using BackOff = std::tuple<TimePoint, std::int64_t, std::uint64_t, std::string>;
  static Turn turn_of(const std::string& key, const Entry& entry) { return {-entry.priority, entry.turn, key}; }
  BackOff back_off_of(const std::string& key, const Entry& entry) const {
    return {first_look_after(entry.back_off_ends), -entry.priority, entry.turn, key};
  }
  TimePoint first_look_after(TimePoint end) const;
  void end_back_offs(const std::set<BackOff>& of, TimePoint now);
  static TimePoint first_end(const std::set<BackOff>& of) {
    return of.empty() ? TimePoint::max() : std::get<0>(*of.begin());
  }
  void take_out(const std::string& key, const Entry& entry);
  void put_in(const std::string& key, Entry& entry, Place place);
  void end_attempt(Entry& entry, TimePoint now);

  KubeQueueRules rules_;
  std::map<std::string, Entry> pods_;
  std::set<Turn> active_;
  std::set<BackOff> back_off_, errors_;
  std::set<std::string> resting_;
  std::uint64_t last_turn_ = 0;
};

}  // namespace lips::virtual_cluster

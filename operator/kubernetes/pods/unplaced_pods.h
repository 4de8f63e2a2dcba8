// Our pods that are on no node and have not ended, and which of them are to be looked at: one about which there is
// nothing to say rests until a time, or until somebody wakes it. Does not know what there is to say.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/pods/pod_record.h"

namespace lips::kubernetes {

class UnplacedPods {
 public:
  using Part = std::map<std::string_view, PodRecord*>;  // by namespace/name, as the owner of the records keeps them

  // The pod is held, to be placed or ungated, and is to be looked at: it is new, or its state, its class or what was
  // said about it has changed.
  void note(std::string_view name, PodRecord& pod);
  void forget(std::string_view name);

  const Part& all() const { return all_; }
  const Part& held() const { return held_; }
  std::size_t ungated() const { return all_.size() - held_.size() - waiting_count_; }
  // Those to be placed, by class.
  const std::map<PodClassId, Part>& waiting() const { return waiting_; }
  std::size_t waiting_count() const { return waiting_count_; }
  // The same by class, namespace and wished pool, each in the order of creation; none is empty.
  struct Peers {
    PodClassId pod_class;
    std::string name_space, pool;
    friend auto operator<=>(const Peers&, const Peers&) = default;
  };
  using Times = std::set<std::pair<TimePoint, std::string_view>>;
  const std::map<Peers, Times>& by_age() const { return by_age_; }
  // The creation of the oldest of them in a class that has one.
  TimePoint oldest_waiting(PodClassId pod_class) const;

  // Held pods and those to be placed that are to be looked at: the ones about which something has been said, or the
  // others.
  const Part& awake(bool told) const { return told ? awake_told_ : awake_untold_; }
  const Part& resting() const { return resting_; }
  // Nobody has to look at it before that time; the end of time: before something is said otherwise.
  void rest(std::string_view name, TimePoint until);
  void wake(std::string_view name);
  void wake(PodClassId pod_class);
  // Those that rest until the end of time and have been told something.
  void wake_told(PodClassId pod_class);
  void wake_due(TimePoint now);

 private:
  struct Place {
    PodState state = PodState::held;
    PodClassId pod_class;
    TimePoint since, until;
    std::map<Peers, Times>::iterator peers{};  // of one that is to be placed
  };

  void leave(std::string_view name, const Place& place);
  void rise(std::string_view name, const Place& place);

  Part all_, held_, awake_told_, awake_untold_, resting_;
  std::map<std::string_view, Place> places_;
  std::map<PodClassId, Part> waiting_;
  std::map<Peers, Times> by_age_;
  std::size_t waiting_count_ = 0;
  Times due_;                                                   // of those that rest until a time
  std::map<PodClassId, std::set<std::string_view>> told_once_;  // of those that rest until the end of time
};

}  // namespace lips::kubernetes

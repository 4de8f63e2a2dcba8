// Writes on pods why they wait: PodScheduled=False with a sentence, and events, both limited in rate. Decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/events.h"
#include "kubernetes/api/turns.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/diagnosis.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/waiting_words.h"

namespace lips::kubernetes {

// The last plan's demand for nodes that an autoscaler could launch.
struct NodeDemand {
  bool selective = false;  // only pods with wants_node ask for one; else every pod that finds no room
  std::function<bool(const PodNeeds&)> offered = {};  // whether some would hold such a pod; empty: nobody offers any
  // Changes with the plan, of which WaitOf speaks too; none: both may speak otherwise at each review.
  std::optional<std::uint64_t> plan = {};
};

// Why the last plan lets the task wait; nullptr: it says nothing.
using WaitOf = std::function<const WaitingWords*(TaskId task)>;

class PodConditions {
 public:
  PodConditions(Binder& binder, EventRecorder& events) : binder_(binder), events_(events) {}

  void bound(const PodRecord& pod, TimePoint now);
  void refused(const PodRecord& pod, const std::string& why, TimePoint now);
  // Its gate is gone: with a zone, or for that reason without one.
  void steered(const PodRecord& pod, TimePoint now);
  // No scheduler has bound it for so long since.
  void not_taken(const PodRecord& pod, Duration waited, TimePoint now);
  void released(const PodRecord& pod, const std::string& why, TimePoint now);
  // Writes the reasons to as many waiting pods as the rate allows, of one namespace after the other and first to pods
  // that have not been told any; call it a few times a second. Planning waits for it, so a call examines at most that
  // many nodes, and the next call continues with the remaining classes of pods.
  static constexpr std::size_t nodes_a_review = 1'000'000;
  void review(PodCache& pods, const NodeCache& nodes, TimePoint now, const NodeDemand& demand = {},
              const WaitOf& wait_of = {});
  // Drops all verdicts, because classes of pods have new ids.
  void forget_classes() { verdicts_.clear(); }
  // Waiting pods by reason, as of the last review.
  const std::map<std::string, std::uint64_t>& pending() const { return pending_; }
  std::uint64_t waiting() const { return waiting_; }       // those of them that may be placed
  Duration longest_wait() const { return longest_wait_; }  // of those, since their creation
  // Not even where a node is offered, as of the last review.
  bool fits_nowhere(PodClassId pod_class) const {
    const auto judged = verdicts_.find(pod_class);
    return judged != verdicts_.end() && judged->second.fits_nowhere;
  }

 private:
  struct ClassVerdict {
    Diagnosis empty, now;  // if no pod of ours ran; as things are
    bool offered = false;  // though no node would do
    std::uint64_t round = 0;
    bool fits_nowhere = false;                      // not even where a node is offered
    std::tuple<bool, bool, std::string> seen = {};  // at the last review: the above, and what is said of things now
  };
  struct Moment {
    TimePoint now;
    const NodeDemand& demand;
    const WaitOf& wait_of;
  };
  void begin_round(const PodCache& pods, const NodeCache& nodes, TimePoint now);
  void count(PodCache& pods, TimePoint now, const NodeDemand& demand);
  ClassVerdict& verdict(PodClassId pod_class, const PodCache& pods, const NodeDemand& demand);
  struct Saying {
    PodRecord* pod = nullptr;
    std::string reason, sentence;
    bool planned = false;   // the plan's will: no failure
    bool of_crowd = false;  // it is the same for all pods of the owner
  };
  void wake_those_with_news(UnplacedPods& pods, const Moment& moment);
  std::size_t find_wishes(UnplacedPods& pods, bool told, const Moment& moment);
  std::optional<Saying> wish_about(PodRecord& pod, const Moment& moment) const;
  static TimePoint next_look(const PodRecord& pod, TimePoint now);
  std::optional<Saying> to_tell(PodRecord& pod, UnschedulableReason reason, const std::string& sentence,
                                TimePoint now) const;
  std::optional<Saying> to_tell_wait(PodRecord& pod, const WaitingWords& words, TimePoint now) const;
  void say(const Saying& saying, TimePoint now);
  EventSubject subject_of(const PodRecord& pod, bool crowd) const;
  bool one_of_many(TimePoint now);  // pods that are bound or released in these seconds

  Binder& binder_;
  EventRecorder& events_;
  std::map<PodClassId, ClassVerdict> verdicts_;
  std::optional<NodesForDiagnosis> nodes_;
  std::uint64_t round_ = 0, classes_version_ = 0;
  std::size_t examined_ = 0;  // nodes, in this review
  bool all_judged_ = true;
  TimePoint judged_{};
  static constexpr std::size_t conditions_at_once = 100;
  Turns<Saying> turns_{conditions_at_once};  // of one review
  double allowance_ = 0;
  TimePoint refilled_{};
  int bound_lately_ = 0;
  TimePoint bound_since_{};
  std::optional<std::uint64_t> plan_;  // of the last review
  std::map<std::string, std::uint64_t> pending_;
  std::uint64_t waiting_ = 0;
  Duration longest_wait_{};
};

}  // namespace lips::kubernetes

// Says on pods why they wait: PodScheduled=False with a sentence, and events, both limited in rate. Decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/events.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/diagnosis.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_cache.h"

namespace lips::kubernetes {

class PodConditions {
 public:
  PodConditions(Binder& binder, EventRecorder& events) : binder_(binder), events_(events) {}

  void bound(const PodRecord& pod, TimePoint now);
  void refused(const PodRecord& pod, const std::string& why, TimePoint now);
  // Its gate is gone: with a zone, or without one, for that reason.
  void steered(const PodRecord& pod, TimePoint now);
  void released(const PodRecord& pod, const std::string& why, TimePoint now);
  // Writes to waiting pods why they wait, as many as the rate allows; call it a few times a second. It asks so many
  // nodes a call, and goes on with the other classes of pods in the next: planning waits for it.
  static constexpr std::size_t nodes_a_review = 1'000'000;
  void review(PodCache& pods, const NodeCache& nodes, TimePoint now);
  // Kinds of pods have new ids: verdicts by the old ones are dropped.
  void forget_classes() { verdicts_.clear(); }
  // Waiting pods by reason, as of the last review.
  const std::map<std::string, std::uint64_t>& pending() const { return pending_; }
  std::uint64_t waiting() const { return waiting_; }  // of them, those that may be placed

 private:
  struct ClassVerdict {
    Diagnosis empty, now;  // if nothing of ours ran; as it is
    std::uint64_t round = 0;
  };
  void begin_round(const PodCache& pods, const NodeCache& nodes, TimePoint now);
  const ClassVerdict& verdict(PodClassId pod_class, const PodCache& pods);
  void tell(PodRecord& pod, UnschedulableReason reason, const std::string& sentence, TimePoint now);
  EventSubject subject_of(const PodRecord& pod, bool crowd) const;
  bool one_of_many(TimePoint now);  // that are bound or let go in these seconds

  Binder& binder_;
  EventRecorder& events_;
  std::map<PodClassId, ClassVerdict> verdicts_;
  std::optional<NodesForDiagnosis> nodes_;
  std::uint64_t round_ = 0, classes_version_ = 0;
  std::size_t asked_ = 0;  // nodes, in this review
  bool all_judged_ = true;
  TimePoint judged_{};
  double allowance_ = 0;
  TimePoint refilled_{};
  int bound_lately_ = 0;
  TimePoint bound_since_{};
  std::map<std::string, std::uint64_t> pending_;
  std::uint64_t waiting_ = 0;
};

}  // namespace lips::kubernetes

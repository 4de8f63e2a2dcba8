// Says on pods why they wait: PodScheduled=False with a sentence, and events, both limited in rate. Decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/events.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/node_book.h"
#include "kubernetes/pods/pod_book.h"

namespace lips::kubernetes {

struct Diagnosis {
  bool nowhere = false;  // no node would take it even if none of our pods ran there
  std::string sentence;
};
// "0/12 nodes can run it: 8 have too little memory, 4 are cordoned. What helps: ..." What counts as taken on a node is
// others' use, and ours as well with `with_ours`.
Diagnosis diagnose(const PodNeeds& needs, const NodeBook& nodes, bool with_ours);

class PodConditions {
 public:
  PodConditions(Binder& binder, EventRecorder& events) : binder_(binder), events_(events) {}

  void bound(const PodRecord& pod, TimePoint now);
  void refused(const PodRecord& pod, const std::string& why, TimePoint now);
  // Writes to waiting pods why they wait, as many as the rate allows; call it a few times a second.
  void review(PodBook& pods, const NodeBook& nodes, TimePoint now);
  // Kinds of pods have new ids: verdicts by the old ones are dropped.
  void forget_kinds() { verdicts_.clear(); }
  // Waiting pods by reason, as of the last review.
  const std::map<std::string, std::uint64_t>& pending() const { return pending_; }
  std::uint64_t waiting() const { return waiting_; }  // of them, those that may be placed

 private:
  struct KindVerdict {
    Diagnosis empty, now;  // if nothing of ours ran; as it is
  };
  const KindVerdict& verdict(KindId kind, const PodBook& pods, const NodeBook& nodes, TimePoint now);
  void tell(PodRecord& pod, const std::string& reason, const std::string& sentence, TimePoint now);
  EventSubject subject_of(const PodRecord& pod, bool crowd) const;

  Binder& binder_;
  EventRecorder& events_;
  std::map<KindId, KindVerdict> verdicts_;
  TimePoint judged_{};
  double allowance_ = 0;
  TimePoint refilled_{};
  int bound_lately_ = 0;
  TimePoint bound_since_{};
  std::map<std::string, std::uint64_t> pending_;
  std::uint64_t waiting_ = 0;
};

}  // namespace lips::kubernetes

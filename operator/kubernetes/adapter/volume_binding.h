// Lets the claims of a pod that are bound on first use get their volumes on the pod's node, before the pod is bound to
// it: chooses volumes that exist, else names the node to the provisioner. Decides nothing about pods.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/data/object_writes.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/volume_cache.h"

namespace lips::kubernetes {

class VolumeBinding {
 public:
  struct Surroundings {  // all outlive it
    VolumeCache& volumes;
    const NodeCache& nodes;
    ApiClient& client;
    std::function<bool()> may_act;
    std::function<void()> wake;
  };
  // `patience`: with provisioners.
  VolumeBinding(const Surroundings& around, Duration patience);

  // Says whether the pod's claims have their volumes or would get them on that node, with the errors of
  // VolumeCache::choose.
  Result<void> ask(const PodRecord& pod, const std::string& node) const;
  // Asks for the volumes of a pod that goes to record.node. False: it has them all.
  bool begin(const PodRecord& pod, TimePoint now);

  enum class State : std::uint8_t { under_way, ready, failed };
  struct Progress {
    State state = State::under_way;
    std::string why;         // it failed
    bool elsewhere = false;  // another node may do better
  };
  Progress progress(const PodRecord& pod, TimePoint now);
  // The pod waits no more. Takes back what was asked for and not given, unless the pod goes to that node.
  void end(const ObjectMeta& pod, bool goes_there);

  // Takes back the choice of a node that is gone, or that an earlier process made and nobody followed up.
  void take_back_stale(const PodRecord& pod, TimePoint now);
  // Sends what is due.
  void flush(TimePoint now);
  std::size_t kept() const { return waits_.size() + taken_back_.size() + writes_->kept(); }

 private:
  struct Step {
    VolumeChoice choice;
    bool sent = false;
    bool seen = false;         // the watch showed the node that was asked for
    std::string refused = {};  // what the server said
    TimePoint refused_at{};
  };
  struct Wait {
    std::vector<Step> steps;
    TimePoint since{};
  };
  void send(const std::string& pod, Step& step, TimePoint now);
  void answered(const std::string& pod, const VolumeChoice& choice, const Answer& answer, TimePoint now);
  Progress progress(Step& step, TimePoint since, TimePoint now) const;
  Progress progress_of_volume(const Step& step, TimePoint now) const;
  void take_back(const ObjectMeta& claim, const std::string& node);

  Surroundings around_;
  const Duration patience_;
  std::map<std::string, Wait> waits_;  // by pod, namespace/name
  struct TakenBack {
    ObjectMeta claim;
    std::string node;
  };
  std::map<std::string, TakenBack> taken_back_;  // by claim
  std::unique_ptr<ObjectWrites> writes_;
};

}  // namespace lips::kubernetes

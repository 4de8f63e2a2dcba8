// The NodeClaims of Karpenter as they are watched: nodes that are launched and not up yet. Decides nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/api/list_watch.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/node_claim.h"

namespace lips::kubernetes {

class NodeClaims : public ObjectSink {
 public:
  struct Surroundings {  // all outlive it
    AdapterObserver& telemetry;
    Log& log;
    std::function<void()> wake;  // from any thread
  };
  explicit NodeClaims(Surroundings around) : around_(std::move(around)) {}

  static ListWatchOptions watched();

  // On the thread of the informer.
  void changed(const ObjectMeta& meta, std::string_view json) override;
  void deleted(const ObjectMeta& meta) override { put(meta.name, std::nullopt); }
  void complete(std::uint64_t request) override;
  void failed(const Error& error) override;
  void heard() override { around_.telemetry.on_watch_heard(plural); }

  // From any thread. True: they are not what they were at the last call.
  bool take_news() { return news_.exchange(false); }
  bool any();
  // Without those whose node is ready: plans know them as nodes, and would count them twice.
  std::vector<LaunchedNode> to_come(const NodeCache& nodes);

 private:
  static constexpr std::string_view plural = "nodeclaims";
  void put(const std::string& name, std::optional<NodeClaim> claim);

  const Surroundings around_;
  NodeClaimDecoder decoder_;
  bool listed_ = false, has_failed_ = false;  // on the informer's thread

  std::mutex mutex_;
  std::map<std::string, LaunchedNode> to_come_;  // by name of the claim
  std::atomic<bool> news_{false};
};

// Where and as what the claim's node was launched. None: it is not launched yet, or up, or about to go.
std::optional<LaunchedNode> node_to_come(const NodeClaim& claim);

}  // namespace lips::kubernetes

// The NodePools of Karpenter as they are watched, and what they offer. Decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/api/list_watch.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/node_pool.h"

namespace lips::kubernetes {

struct PoolOffers {
  std::function<std::vector<OfferEntry>(const std::vector<NodePool>&, const NodeCache&)> offers;  // of nodes the zones
  std::function<LaunchLimits(const std::vector<NodePool>&, const NodeCache&)> limits;
  std::function<std::vector<PoolProblem>(const std::vector<NodePool>&, const NodeCache&)> problems;
  explicit operator bool() const { return static_cast<bool>(offers); }
};

class NodePools : public ObjectSink {
 public:
  struct Surroundings {  // all outlive it
    AdapterObserver& telemetry;
    Log& log;
    std::function<void()> wake;
  };
  NodePools(Surroundings around, PoolOffers offers) : around_(std::move(around)), find_(std::move(offers)) {}

  static ListWatchOptions watched();

  void changed(const ObjectMeta& meta, std::string_view json) override;
  void deleted(const ObjectMeta& meta) override;
  void complete(std::uint64_t request) override;
  void failed(const Error& error) override;
  void heard() override { around_.telemetry.on_watch_heard(plural); }

  // They have been listed once, or cannot be: nobody needs to wait for them.
  bool settled() const { return settled_; }

  // Looks now and then, at once when `prices` is another number than before. True:
  // there are other offers, or more or fewer limits.
  bool review(const NodeCache& nodes, std::uint64_t prices, TimePoint now);
  const Offered& offered() const { return offered_; }

 private:
  static constexpr std::string_view plural = "nodepools";
  void put(const std::string& name, std::optional<NodePool> pool);
  void report(const std::vector<PoolProblem>& problems);

  const Surroundings around_;
  const PoolOffers find_;
  NodePoolDecoder decoder_;
  bool listed_ = false, settled_ = false;
  std::map<std::string, NodePool> pools_;
  std::uint64_t version_ = 1;

  Every review_{Duration(1'000'000)};
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> reviewed_;  // versions of pools, nodes and prices
  std::set<std::pair<std::string, std::string>> zones_;               // of nodes, with their regions, at that time
  Offered offered_;
  std::set<PoolProblem> reported_;
};

}  // namespace lips::kubernetes

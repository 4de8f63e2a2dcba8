// The link to the cluster's autoscaler: what it may launch, and which nodes it is asked for.
// Decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/allocatable.h"
#include "kubernetes/adapter/awaited_nodes.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/informers.h"
#include "kubernetes/adapter/known_jobs.h"
#include "kubernetes/adapter/model_feed.h"
#include "kubernetes/adapter/node_orders.h"
#include "kubernetes/adapter/node_pools.h"
#include "kubernetes/adapter/optional_api.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/quotas.h"
#include "policies/policy.h"

namespace lips::kubernetes {

class FleetLink {
 public:
  struct Surroundings {  // all outlive it
    const NodeCache& nodes;
    PodCache& pods;
    const Quotas& quotas;
    ModelFeed& model;
    KnownJobs& jobs;
    ApiClient &watch_client, &act_client;
    std::function<bool()> may_act;
    std::function<void()> wake;
    std::function<void(PodRecord&, const OfferEntry&)> send_ahead;  // a gated pod, to where a node will be
    AdapterObserver& telemetry;
    Log& log;
  };
  struct Rules {
    std::function<Offered(const NodeCache&)> offers;  // empty: nobody launches nodes, or NodePools say what
    PoolOffers pool_offers;                           // of NodePools; empty: none are read
    Duration detect_every{};                          // of Karpenter
    NodeOrders::Place orders;
    std::function<std::uint64_t()> prices_version;
    AwaitedNodes::Patience patience;
    Duration refusal_lasts{};  // after which plans do without NodePools
  };
  FleetLink(Surroundings around, Rules rules);

  // In the zones of these nodes.
  Offered offered(const NodeCache& nodes) const;
  // The room on a node of the offer.
  Resources allocatable(const OfferEntry& offer) const { return allocatable_.of(offer); }

  // See ModelSettings.
  std::vector<NodeOrder> sold_out(TimePoint now) const { return awaited_.sold_out(now); }

  // Looks whether Karpenter is installed.
  void detect(TimePoint now);
  // Begins to watch NodePools once Karpenter is there, and tells the model what is offered now. True: plans need not
  // wait for them.
  bool review(Informers& informers, TimePoint now);
  // Nobody has to wait any more until it is known which NodePools there are.
  bool settled(TimePoint now) const;
  // The server refuses to say whether it has NodePools.
  std::optional<Lack> refused() const { return karpenter_.refused(); }
  std::size_t orders() const { return orders_.wanted(); }
  // It is not known yet how many nodes namespaces may have ordered.
  bool awaits_quotas() const { return watches_quotas_ && !around_.quotas.settled(); }
  // See ClusterClient::request_nodes.
  void request(const std::optional<std::vector<NodeRequest>>& requests, TimePoint now);
  // Says whether the last plan said which pods want a node.
  bool selective() const { return selective_; }

  // See NodeOrders.
  bool found(const Pod& pod) { return orders_.found(pod); }
  void gone(const ObjectMeta& meta) { orders_.gone(meta); }
  void flush(TimePoint now) { orders_.flush(now); }

 private:
  LaunchLimits limits() const;
  bool review_node_pools(Informers& informers, TimePoint now);
  void give_up_orders(TimePoint now);

  const Surroundings around_;
  const Rules rules_;
  Allocatable allocatable_;
  std::size_t nodes_seen_ = 0;
  Every limits_review_{Duration(1'000'000)}, allocatable_review_{Duration(1'000'000)};
  OptionalApi karpenter_;
  NodeOrders orders_;
  AwaitedNodes awaited_;
  Every awaited_review_;
  std::unique_ptr<NodePools> node_pools_;  // none: nobody asks for them
  bool watches_node_pools_ = false, watches_quotas_ = false;
  bool selective_ = true;           // NodeDemand; until a plan says otherwise nobody asks in haste
  std::vector<ObjectMeta> asking_;  // pods for which the last plan asks for nodes
};

}  // namespace lips::kubernetes

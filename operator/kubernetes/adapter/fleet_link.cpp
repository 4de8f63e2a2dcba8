#include "kubernetes/adapter/fleet_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "kubernetes/adapter/job_tables.h"
#include "kubernetes/adapter/under_way.h"
#include "kubernetes/pods/run_times.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

constexpr std::uint32_t most_to_come = 100'000;  // peers for which nodes are ordered at once

// Runs of one template are one job here: a plan may start any of them on a node, and an order that changed its owner
// would be another pod.
OrderOwner owner_of(const PodRecord& pod) {
  std::string job = given_job_name(pod);
  if (job.empty()) {
    job = template_of(pod.meta.name_space, pod.owner, pod.meta.name);
    job.erase(0, job.rfind('/') + 1);
  }
  return {pod.meta.name_space, std::move(job), pod.priority_class};
}

}  // namespace

FleetLink::FleetLink(Surroundings around, Rules rules)
    : around_(std::move(around)),
      rules_(std::move(rules)),
      karpenter_("/apis/karpenter.sh/v1", rules_.detect_every, around_.wake),
      orders_({around_.act_client, around_.may_act, around_.wake, around_.log}, rules_.orders),
      awaited_(rules_.patience),
      awaited_review_(rules_.patience.look_every) {
  if (rules_.pool_offers)
    node_pools_ = std::make_unique<NodePools>(NodePools::Surroundings{around_.telemetry, around_.log, around_.wake},
                                              rules_.pool_offers);
}

Offered FleetLink::offered(const NodeCache& nodes) const {
  return node_pools_ ? node_pools_->offered() : rules_.offers(nodes);
}

void FleetLink::detect(TimePoint now) {
  if (node_pools_) karpenter_.review(around_.watch_client, now);
}

LaunchLimits FleetLink::limits() const {
  return node_pools_ ? node_pools_->offered().limits : rules_.offers(around_.nodes).limits;
}

bool FleetLink::review(Informers& informers, TimePoint now) {
  ModelFeed& model = around_.model;
  if (!node_pools_ && !rules_.offers) return true;
  // A node that comes is listed in any case: what it says of its type goes with that.
  const std::size_t nodes = around_.nodes.all().size();
  const bool came = std::exchange(nodes_seen_, nodes) != nodes;
  if ((allocatable_review_.due(now) || came) && allocatable_.see(around_.nodes) && model.index().has_offers())
    model.must_list();
  if (!review_node_pools(informers, now)) return false;
  if (!watches_quotas_ && orders_.possible(now) && !offered(around_.nodes).offers.empty())
    informers.watch(WatchedKind::resource_quotas), watches_quotas_ = true;
  if (awaits_quotas()) return false;
  if (awaited_review_.due(now)) give_up_orders(now);
  if (limits_review_.due(now)) model.limit_launches(limits());
  return true;
}

bool FleetLink::settled(TimePoint now) const {
  if (!node_pools_ || !karpenter_.may_be_there(rules_.refusal_lasts, now)) return true;
  return karpenter_.state() == OptionalApi::State::present && node_pools_->settled();
}

bool FleetLink::review_node_pools(Informers& informers, TimePoint now) {
  if (!node_pools_ || !karpenter_.may_be_there(rules_.refusal_lasts, now)) return true;
  if (karpenter_.state() == OptionalApi::State::unknown) return false;
  if (!std::exchange(watches_node_pools_, true))
    informers.add(NodePools::watched(), *node_pools_, {WatchNeed::welcome, "plans ask for no nodes"});
  if (!node_pools_->settled()) return false;
  if (node_pools_->review(around_.nodes, rules_.prices_version(), now)) around_.model.must_list();
  return true;
}

void FleetLink::give_up_orders(TimePoint now) {
  const ModelIndex& index = around_.model.index();
  for (const auto& [order, waited, pause] :
       awaited_.review(orders_.standing(), around_.nodes, index.longest_boot(), now))
    around_.log.warning(
        "no node has come for an order: for a while such nodes count as sold out there",
        {{"place", place_text(order.place)},
         {"cpu", fmt::format("{}m", amount_of(order.needs.requests, "cpu"))},
         {"memory", fmt::format("{} MiB", amount_of(order.needs.requests, "memory") / (1 << 20))},
         {"waited", fmt::format("{} s", std::chrono::duration_cast<std::chrono::seconds>(waited).count())},
         {"for", fmt::format("{} s", std::chrono::duration_cast<std::chrono::seconds>(pause).count())}});
  around_.telemetry.on_sold_out(index.sold_out());
}

// Gated pods too wait until their node is there: a pod without a gate waits as long as kube-scheduler pauses after its
// last attempt, and others take the room first. Where nodes cannot be ordered, a gated pod is sent to the place. It
// cannot be called back.
void FleetLink::request(const std::optional<std::vector<NodeRequest>>& requests, TimePoint now) {
  if (!requests && !std::exchange(selective_, false)) return;
  selective_ = requests.has_value();
  const bool can_order = orders_.possible(now);
  UnderWay under_way(now, around_.model.index().longest_boot() + rules_.patience.beyond_boot);
  Quotas::Room room(around_.quotas);  // pods that are there count in their quotas
  std::map<OwnedOrder, int> orders;
  for (const ObjectMeta& pod : std::exchange(asking_, {}))
    if (PodRecord* record = around_.pods.find(pod)) record->wants_node = false, record->ordered.clear();
  for (const auto& [name, record] : around_.pods.steered()) under_way.see(*record);
  const PodClasses& classes = around_.pods.classes();
  for (const NodeRequest& request : requests.value_or(std::vector<NodeRequest>{})) {
    PodRecord* record = around_.pods.find(around_.model.pod_of(request.task));
    if (!record || (record->state != PodState::waiting && request.to_come == 0)) continue;
    const OfferEntry& offer = around_.model.index().offer(request.offer);
    if (request.to_come > 0) {
      const std::optional<PodNeeds> needs = needs_to_come(around_.jobs.known(job_key(*record)), classes);
      if (!can_order || !needs) continue;
      const std::int64_t count = room.take(record->meta.name_space, {needs->requests, record->priority_class},
                                           std::min(request.to_come, most_to_come));
      if (count > 0) orders[{{place_labels(offer), *needs}, owner_of(*record)}] += static_cast<int>(count);
      continue;
    }
    if (under_way.stands_for(*record, place_selector(offer.zone, offer.capacity_type))) continue;
    if (can_order) {
      TextMap place = place_labels(offer);
      asking_.push_back(record->meta);
      record->ordered = place_text(place);
      ++orders[{{std::move(place), classes[record->pod_class]}, owner_of(*record)}];
    } else if (!record->steered) {
      asking_.push_back(record->meta);
      record->wants_node = true;  // it is marked itself, and gets a node anywhere
    } else {
      around_.send_ahead(*record, offer);
    }
  }
  orders_.want(orders);
  orders_.flush(now);
}

}  // namespace lips::kubernetes

#include "config/settings_reader.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

namespace lips {

namespace {

void read_lsap_settings(YamlMap& fields, PolicySettings& settings) {
  static constexpr std::array<std::string_view, 3> roundings = {"down", "nearest", "up"};
  static constexpr std::array<std::string_view, 2> unreachable = {"formula", "one"};
  const PolicySettings defaults = settings;
  settings.lsap_rack_cost = fields.number("lsapRackCost", defaults.lsap_rack_cost, not_negative);
  settings.lsap_zone_cost = fields.number("lsapZoneCost", defaults.lsap_zone_cost, not_negative);
  settings.lsap_remote_cost = fields.number("lsapRemoteCost", defaults.lsap_remote_cost, not_negative);
  settings.lsap_patience = fields.duration("lsapPatience", defaults.lsap_patience);
  settings.lsap_alpha = fields.number("lsapAlpha", defaults.lsap_alpha, not_negative);
  settings.lsap_beta = fields.number("lsapBeta", defaults.lsap_beta, not_negative);
  settings.lsap_rounding = static_cast<ShareRounding>(
      fields.choice("lsapRounding", roundings, static_cast<std::size_t>(defaults.lsap_rounding)));
  settings.lsap_unreachable = static_cast<UnreachableCost>(
      fields.choice("lsapUnreachable", unreachable, static_cast<std::size_t>(defaults.lsap_unreachable)));
}

}  // namespace

void read_policy_settings(YamlMap fields, PolicySettings& settings) {
  const PolicySettings defaults = settings;
  settings.waiting_price = fields.number("waitingPrice", defaults.waiting_price, not_negative);
  if (fields.has("bucketEdges")) {
    settings.bucket_edges = fields.durations("bucketEdges");
    const std::vector<Duration>& edges = settings.bucket_edges;
    if (edges.empty() || edges.front() != Duration(0) ||
        std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) != edges.end())
      fields.error("bucketEdges", "edges that do not rise from 0", "durations that begin with 0 and rise");
  }
  settings.replan_every = fields.duration("replanEvery", defaults.replan_every);
  settings.replan_least = fields.duration("replanLeast", defaults.replan_least);
  settings.express_limit = Usd(fields.amount("expressLimit", defaults.express_limit.value(), "USD"));
  settings.order_factor = fields.number("orderFactor", defaults.order_factor, not_negative);
  settings.home_zones = fields.flag("homeZones", defaults.home_zones);
  settings.keep_copies = fields.flag("keepCopies", defaults.keep_copies);
  settings.drop_copies_after = fields.duration("dropCopiesAfter", defaults.drop_copies_after);
  settings.epoch = fields.duration("epoch", defaults.epoch);
  settings.adaptive_epoch = fields.flag("adaptiveEpoch", defaults.adaptive_epoch == AdaptiveEpoch::on)
                                ? AdaptiveEpoch::on
                                : AdaptiveEpoch::off;
  settings.locality_price = UsdPerMebibyte(fields.amount("localityPrice", defaults.locality_price.value(), "USD/MiB"));
  settings.makespan_tolerance = fields.number("makespanTolerance", defaults.makespan_tolerance, not_negative);
  settings.least_task = CpuSeconds(fields.number("leastTask", defaults.least_task.value(), not_negative));
  settings.heartbeat = fields.duration("heartbeat", defaults.heartbeat);
  settings.node_delay = fields.duration("nodeDelay", defaults.node_delay);
  settings.rack_delay = fields.duration("rackDelay", defaults.rack_delay);
  settings.horizon = fields.duration("horizon", defaults.horizon);
  settings.plan_ahead = fields.duration("planAhead", defaults.plan_ahead);
  settings.copy_columns = fields.flag("copyColumns", defaults.copy_columns);
  settings.uptime = fields.duration("uptime", defaults.uptime);
  read_lsap_settings(fields, settings);
  if (settings.heartbeat <= Duration(0)) fields.error("heartbeat", "0", "a positive duration");
  if (settings.replan_every <= Duration(0)) fields.error("replanEvery", "0", "a positive duration");
  fields.finish();
}

}  // namespace lips

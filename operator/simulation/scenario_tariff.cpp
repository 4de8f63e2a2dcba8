#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/quantities.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

TransferPrices transfer_prices(YamlMap& given, ScenarioDraft& draft) {
  constexpr std::string_view unit = "USD/GB";
  const bool gateway = given.flag("gatewayEndpoint", true);
  TransferPrices prices = TransferPrices::of(draft.prices, gateway);
  prices.across_zones = given.amount("acrossZones", prices.across_zones, unit);
  prices.across_regions = given.amount("acrossRegions", prices.across_regions, unit);
  if (given.has("acrossRegions")) prices.every_region = prices.across_regions;
  prices.regional_bucket = given.amount("buckets", prices.regional_bucket, unit);
  prices.internet_out = given.amount("internetOut", prices.internet_out, unit);
  prices.internet_in = given.amount("internetIn", prices.internet_in, unit);
  return prices;
}

void assume_transfer(const TransferPrices& prices, ScenarioDraft& draft) {
  const auto any = [&](auto holds) { return std::any_of(draft.ends.begin(), draft.ends.end(), holds); };
  draft.assume("transfer across zones", fmt::format("{} USD/GB", prices.across_zones),
               "both directions' charges together");
  if (any([&](const TransferEnd& end) { return end.region != draft.ends.front().region; }))
    draft.assume("transfer across regions", prices.every_region ? fmt::format("{} USD/GB", *prices.every_region)
                                                                : "price sheet, else 0.02 USD/GB");
  if (any([](const TransferEnd& end) { return end.kind == EndKind::regional_bucket; }))
    draft.assume("transfer of regional buckets", fmt::format("{} USD/GB", prices.regional_bucket),
                 "to and from any node of the region");
  if (any([](const TransferEnd& end) { return end.kind == EndKind::internet; }))
    draft.assume("transfer of the internet",
                 fmt::format("{} USD/GB out, {} USD/GB in", prices.internet_out, prices.internet_in));
}

void read_transfer(YamlMap& root, ScenarioDraft& draft) {
  std::optional<YamlMap> given = root.map("transfer");
  const YamlValue none;
  if (!given) given.emplace(none, "transfer", draft.errors);
  const TransferPrices prices = transfer_prices(*given, draft);
  std::vector<std::vector<UsdPerMebibyte>> table = transfer_table(
      draft.ends,
      [&](const TransferEnd& from, const TransferEnd& to) { return prices.between(from, to, draft.prices); });
  for (YamlMap& pair : given->maps("pairs")) {
    const ZoneId from = pair.require("from") ? zone_named(pair, "from", draft) : ZoneId();
    const ZoneId to = pair.require("to") ? zone_named(pair, "to", draft) : ZoneId();
    const double usd = pair.require("price") ? pair.amount("price", 0, "USD/GB") : 0;
    if (from.valid() && to.valid()) table[from.index()][to.index()] = usd_per_gigabyte(usd);
    pair.finish();
  }
  given->finish();
  draft.scenario.costs = CostModel(std::move(table));
  assume_transfer(prices, draft);
}

void read_requests(ScenarioDraft& draft) {
  const auto price = [&](const char* read, const char* write) {
    return RequestPrice{Usd(draft.prices.item(read)), Usd(draft.prices.item(write))};
  };
  auto& requests = draft.scenario.tariff.requests;
  requests[StoreKind::zonal_bucket] = price("s3_express_one_zone_get", "s3_express_one_zone_put");
  requests[StoreKind::regional_bucket] = price("s3_standard_get", "s3_standard_put_copy_post");
}

// Types of nodes of the scenario, or others of the price sheet, whose reservations cover nothing here.
void check_reserved_type(YamlMap& fields, const std::string& type, ScenarioDraft& draft) {
  std::set<std::string_view> types;
  for (const Node& node : draft.cluster().nodes) types.insert(node.instance_type);
  if (types.empty() || types.contains(type)) return;  // without nodes there are other errors
  if (draft.prices.find(draft.region, type, draft.as_of))
    return draft.assume("reserved " + type, "covers nothing", "no node is of that type");
  const std::string_view alike = most_alike(type, types);
  fields.error("instanceType",
               fmt::format("'{}'{}", type, alike.empty() ? "" : fmt::format(" (did you mean '{}'?)", alike)),
               fmt::format("{}, the types of nodes, or a type of prices/ec2-on-demand.csv in {}",
                           fmt::join(types, ", "), draft.region));
}

void read_commitments(YamlMap& root, ScenarioDraft& draft) {
  std::optional<YamlMap> given = root.map("commitments");
  if (!given) return;
  Tariff& tariff = draft.scenario.tariff;
  for (YamlMap& fields : given->maps("reserved")) {
    Reserved reserved;
    if (fields.require("instanceType")) {
      reserved.instance_type = fields.text("instanceType");
      check_reserved_type(fields, reserved.instance_type, draft);
    }
    if (fields.has("zone")) reserved.zone = zone_named(fields, "zone", draft);
    reserved.count = static_cast<double>(fields.integer("count", 1, 1, 1'000'000));
    fields.finish();
    draft.assume("reserved instances", fmt::format("{} {}", reserved.count, reserved.instance_type),
                 "their hours are not on the invoice, and neither is their own fee");
    tariff.reserved.push_back(std::move(reserved));
  }
  if (std::optional<YamlMap> plan = given->map("savingsPlan")) {
    if (plan->require("perHour")) tariff.savings_plan.committed = UsdPerHour(plan->amount("perHour", 0, "USD/h"));
    tariff.savings_plan.discount = plan->number("discount", 0.28, {0, 0.9});
    plan->finish();
    draft.assume("savings plan", fmt::format("{} USD/h", tariff.savings_plan.committed.value()),
                 fmt::format("pays on-demand nodes at {} of their price; its own fee is not on the invoice",
                             1 - tariff.savings_plan.discount));
  }
  given->finish();
}

}  // namespace

void read_tariff(YamlMap& root, ScenarioDraft& draft) {
  read_transfer(root, draft);
  read_requests(draft);
  read_commitments(root, draft);
}

}  // namespace lips::simulation

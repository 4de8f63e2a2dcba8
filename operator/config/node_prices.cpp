#include "config/node_prices.h"

#include <algorithm>
#include <utility>

#include "config/cloud_places.h"

namespace lips {

Result<NodePrices> NodePrices::make(const PriceSheet& carried, const OperatorConfig::Prices& prices,
                                    const std::vector<InstanceOffer>& fed) {
  NodePrices result;
  result.prices_ = prices;
  result.sheet_ = carried;
  if (!prices.file.empty()) {
    Result<PriceSheet> sheet = carried.with_file(prices.file);
    if (!sheet) return tl::unexpected(sheet.error());
    result.sheet_ = std::move(*sheet);
  }
  if (!fed.empty()) result.sheet_ = result.sheet_.with(fed);
  result.fed_ = fed.size();
  return result;
}

NodePrice NodePrices::priced(const InstanceOffer& row, double factor, double speed) const {
  const std::vector<InstanceOffer>& rows = sheet_.offers();
  const bool fed = static_cast<std::size_t>(&row - rows.data()) >= rows.size() - fed_;
  return {row.price * factor, speed, true, row.as_of, fed};
}

NodePrice NodePrices::node(const Question& question) const {
  const std::string region = region_or_default(question.region);
  const InstanceOffer* offer = size(question.region, question.instance_type);
  const double speed = offer && offer->ecu && offer->vcpu.value() > 0 ? *offer->ecu / offer->vcpu.value() : 1;
  double factor = 1;
  if (question.capacity_type == CapacityType::spot) {
    if (const InstanceOffer* spot = sheet_.find_in(region, question.zone, question.instance_type, CapacityType::spot))
      return priced(*spot, 1, speed);
    factor = prices_.spot_factor;
    for (const auto& [zone, share] : prices_.spot_factors)
      if (zone == question.zone) factor = share;
  }
  for (const auto& [name, price] : prices_.instances)
    if (name == question.instance_type) return {UsdPerHour(price * factor), speed, true};
  if (const InstanceOffer* on_demand =
          sheet_.find_in(region, question.zone, question.instance_type, CapacityType::on_demand))
    return priced(*on_demand, factor, speed);
  return {UsdPerHour(prices_.unknown_core_hour * question.cores.value() * factor), 1, false};
}

bool NodePrices::sells(const Question& question) const {
  if (question.capacity_type != CapacityType::spot) return true;
  const std::string region = region_or_default(question.region);
  return !sheet_.knows_spot(region, question.instance_type) ||
         sheet_.find_in(region, question.zone, question.instance_type, CapacityType::spot);
}

std::vector<std::string> NodePrices::zones_of_factors() const {
  std::vector<std::string> zones;
  for (const auto& [zone, share] : prices_.spot_factors) zones.push_back(zone);
  return zones;
}

UsdPerMebibyte NodePrices::transfer(TransferEnd from, TransferEnd to) const {
  from.region = region_or_default(from.region), to.region = region_or_default(to.region);
  if (is_fault_domain(from.zone) && is_fault_domain(to.zone)) to.zone = from.zone;
  TransferPrices prices = TransferPrices::of(sheet_, prices_.gateway_endpoint);
  prices.across_zones = prices_.across_zones, prices.across_regions = prices_.across_regions;
  return prices.between(from, to, sheet_);
}

UsdPerMebibyteHour NodePrices::storage(StoreKind kind) const {
  return usd_per_gigabyte_month(is_bucket(kind) ? prices_.bucket_month : prices_.volume_month);
}

}  // namespace lips

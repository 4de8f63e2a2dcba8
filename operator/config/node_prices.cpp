#include "config/node_prices.h"

#include <algorithm>
#include <utility>

#include "config/text_file.h"

namespace lips {

Result<NodePrices> NodePrices::make(const PriceSheet& carried, const OperatorConfig::Prices& prices) {
  NodePrices result;
  result.prices_ = prices;
  result.sheet_ = carried;
  if (prices.file.empty()) return result;
  const Result<std::string> text = read_text_file(prices.file);
  if (!text) return tl::unexpected(text.error());
  Result<std::vector<InstanceOffer>> own = parse_instance_prices(prices.file, *text);
  if (!own) return tl::unexpected(own.error());
  result.sheet_ = carried.with(std::move(*own));
  return result;
}

NodePrice NodePrices::node(std::string_view region, std::string_view instance_type, CapacityType type,
                           Cores cores) const {
  const double factor = type == CapacityType::spot ? prices_.spot_factor : 1;
  const InstanceOffer* offer = sheet_.find(region_or_default(region), instance_type);
  const double speed = offer && offer->ecu && offer->vcpu.value() > 0 ? *offer->ecu / offer->vcpu.value() : 1;
  for (const auto& [name, price] : prices_.instances)
    if (name == instance_type) return {UsdPerHour(price * factor), speed, true};
  if (offer) return {offer->price * factor, speed, true};
  return {UsdPerHour(prices_.unknown_core_hour * cores.value() * factor), 1, false};
}

UsdPerMebibyte NodePrices::transfer(std::string_view from_region, std::string_view from_zone,
                                    std::string_view to_region, std::string_view to_zone) const {
  from_region = region_or_default(from_region), to_region = region_or_default(to_region);
  if (from_region != to_region)
    return usd_per_gigabyte(
        sheet_.cross_region_usd_per_gigabyte(from_region, to_region).value_or(prices_.across_regions));
  return from_zone == to_zone ? UsdPerMebibyte(0) : usd_per_gigabyte(prices_.across_zones);
}

UsdPerMebibyteHour NodePrices::storage(StoreKind kind) const {
  return usd_per_gigabyte_month(kind == StoreKind::bucket ? prices_.bucket_month : prices_.volume_month);
}

}  // namespace lips

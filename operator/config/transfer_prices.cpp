#include "config/transfer_prices.h"

namespace lips {

TransferPrices TransferPrices::of(const PriceSheet& sheet, bool gateway_endpoint) {
  TransferPrices prices;
  prices.across_zones = sheet.cross_zone_usd_per_gigabyte();
  prices.regional_bucket = gateway_endpoint ? 0 : sheet.item("nat_gateway_data");
  prices.internet_out = sheet.item("internet_out");
  prices.internet_in = sheet.item("internet_in");
  prices.across_regions = 0.02;
  return prices;
}

UsdPerMebibyte TransferPrices::between(const TransferEnd& from, const TransferEnd& to, const PriceSheet& sheet) const {
  if (to.kind == EndKind::internet) return usd_per_gigabyte(from.kind == EndKind::internet ? 0 : internet_out);
  if (from.kind == EndKind::internet) return usd_per_gigabyte(internet_in);
  if (from.region != to.region)
    return usd_per_gigabyte(
        every_region.value_or(sheet.cross_region_usd_per_gigabyte(from.region, to.region).value_or(across_regions)));
  if (from.kind == EndKind::regional_bucket || to.kind == EndKind::regional_bucket)
    return usd_per_gigabyte(regional_bucket);
  return usd_per_gigabyte(from.zone == to.zone ? 0 : across_zones);
}

std::vector<std::vector<UsdPerMebibyte>> transfer_table(const std::vector<TransferEnd>& ends,
                                                        const PriceBetween& price) {
  std::vector<std::vector<UsdPerMebibyte>> table(ends.size(), std::vector<UsdPerMebibyte>(ends.size()));
  for (std::size_t from = 0; from < ends.size(); ++from)
    for (std::size_t to = 0; to < ends.size(); ++to)
      if (from != to) table[from][to] = price(ends[from], ends[to]);
  return table;
}

}  // namespace lips

// The price of a byte from one end to another, by the kinds of both. The cost models of simulator and operator are made
// here, so planner and bill use the same price. Knows no cluster.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/price_sheet.h"
#include "model/costs.h"
#include "model/data.h"

namespace lips {

struct TransferEnd {
  EndKind kind = EndKind::zone;
  std::string region, zone;  // the zone may have any name, unique among ends of one kind
};

// USD/GB of 10^9 bytes.
struct TransferPrices {
  double across_zones = 0;     // charges of sender and receiver together
  double regional_bucket = 0;  // between it and its own region, per byte either way
  double internet_out = 0, internet_in = 0;
  double across_regions = 0;             // for pairs that the sheet lacks
  std::optional<double> every_region{};  // for all pairs of regions, instead of the sheet

  // A gateway endpoint carries bytes of regional buckets free of charge, a NAT gateway at its price.
  static TransferPrices of(const PriceSheet& sheet, bool gateway_endpoint);
  UsdPerMebibyte between(const TransferEnd& from, const TransferEnd& to, const PriceSheet& sheet) const;
};

// The price of a byte from one end to another.
using PriceBetween = std::function<UsdPerMebibyte(const TransferEnd& from, const TransferEnd& to)>;

// [from][to] by zone of the model, as CostModel takes it; each end is a zone.
std::vector<std::vector<UsdPerMebibyte>> transfer_table(const std::vector<TransferEnd>& ends,
                                                        const PriceBetween& price);

}  // namespace lips

// Prices as other programs print them, as rows of a price sheet. Prices only: sizes are in the built-in sheet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "config/price_sheet.h"

namespace lips {

enum class PriceFormat : std::uint8_t {
  karpenter,     // Karpenter's metrics: karpenter_cloudprovider_instance_type_offering_price_estimate
  opencost,      // OpenCost's metrics: node_total_hourly_cost, kubecost_node_is_spot; the mean over the nodes of a kind
  spot_history,  // aws ec2 describe-spot-price-history, JSON or text: the newest price of each type and zone
  price_list,    // aws pricing get-products --service-code AmazonEC2, or the offer file of EC2: Linux, shared tenancy,
                 // nothing pre-installed
};
inline constexpr EnumArray<PriceFormat, std::string_view> price_format_names{"karpenter", "opencost", "spot-history",
                                                                             "price-list"};
constexpr std::string_view to_string(PriceFormat format) { return price_format_names[format]; }

// The source of its prices; they name all that Karpenter could buy, in each zone.
inline constexpr std::string_view source_karpenter = "karpenter";
// The metric that has them.
inline constexpr std::string_view karpenter_prices = "karpenter_cloudprovider_instance_type_offering_price_estimate";

struct PriceText {
  PriceFormat format = PriceFormat::karpenter;
  std::string name;  // of the file or address, for errors
  std::string_view text;
  std::string today;        // YYYY-MM-DD, where the text has no date
  std::string region = {};  // of zones whose names do not say it
};

// invalid_input where the text has no price of that format, has been cut short, or names prices that are not in USD.
Result<std::vector<InstanceOffer>> import_prices(const PriceText& text);

}  // namespace lips

// Prices of instances, transfers and storage: the shipped price catalogue (config/prices/) as a value. Knows no
// cluster.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/nodes.h"

namespace lips {

struct InstanceOffer {
  std::string region, instance_type;
  Cores vcpu;                 // 0: only the price is known
  std::optional<double> ecu;  // EC2 compute units of the whole instance; old types only
  Mebibytes memory;
  std::optional<double> network_gigabits;  // per second
  UsdPerHour price;
  std::string as_of, source;
  std::string zone = {};  // empty: the price of every zone that has none of its own
  CapacityType capacity_type = CapacityType::on_demand;
};

struct TransferPrice {
  std::string item, from, to;
  double usd_per_gigabyte = 0;
};

class PriceSheet {
 public:
  PriceSheet() = default;
  PriceSheet(std::vector<InstanceOffer> offers, std::vector<TransferPrice> transfers, double storage,
             std::map<std::string, double, std::less<>> items = {});

  // The newest on-demand price of the whole region, or the newest one on or before a date (YYYY-MM-DD); nullptr when
  // there is none.
  const InstanceOffer* find(std::string_view region, std::string_view instance_type, std::string_view as_of = "") const;
  // The newest price in the zone, else of the whole region; nullptr when there is none.
  const InstanceOffer* find_in(std::string_view region, std::string_view zone, std::string_view instance_type,
                               CapacityType capacity_type) const;
  // It has a spot price of the type in some zone of the region.
  bool knows_spot(std::string_view region, std::string_view instance_type) const;
  std::vector<std::string_view> instance_types(std::string_view region) const;
  const std::vector<InstanceOffer>& offers() const { return offers_; }
  // A copy in which these offers replace all offers of their regions, types, zones and capacity types. An on-demand one
  // that has only a price keeps the size of the type.
  PriceSheet with(std::vector<InstanceOffer> offers) const;
  // The same with the offers of a file.
  Result<PriceSheet> with_file(const std::string& path) const;

  // Per gigabyte (10^9 bytes) between two zones of a region: the charges of sender and receiver together.
  double cross_zone_usd_per_gigabyte() const;
  // Per gigabyte between regions; nothing when the sheet lacks the pair.
  std::optional<double> cross_region_usd_per_gigabyte(std::string_view from, std::string_view to) const;
  // USD for one unit of a named item of the sheet (per GB, or per request), in us-east-1 or anywhere; for a tiered item
  // the most expensive tier. 0 when the sheet lacks the item.
  double item(std::string_view name) const;
  // Block storage (gp3), per gigabyte and month.
  double storage_usd_per_gigabyte_month() const { return storage_; }
  // Price of a spot node over the on-demand price where nothing better is known: assumed (docs/data.md).
  static constexpr double spot_factor = 0.35;

 private:
  void index();

  std::vector<InstanceOffer> offers_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_type_;  // by region, newline, type
  std::vector<TransferPrice> transfers_;
  double storage_ = 0;
  std::map<std::string, double, std::less<>> items_;
};

UsdPerMebibyteHour usd_per_gigabyte_month(double usd);

// Reads prices/ec2-on-demand.csv and prices/network-storage.csv of the config folder.
Result<PriceSheet> read_price_sheet(const std::string& config_folder);
// The same from texts. Errors name `file`.
Result<std::vector<InstanceOffer>> parse_instance_prices(const std::string& file, const std::string& csv);
std::string write_instance_prices(const std::vector<InstanceOffer>& offers);

// The folder of the shipped configuration: the given one, else LIPS_CONFIG_DIR, else share/lips/config beside the
// program's folder, else the source tree's config/. not_found when none of them exists.
Result<std::string> find_config_folder(const std::string& given = "");

}  // namespace lips

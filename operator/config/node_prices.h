// Prices of nodes, transfers and storage in a real cluster: the built-in price sheet with overrides from the
// configuration. A value; knows no node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/node_price.h"
#include "config/operator_config.h"
#include "config/price_sheet.h"
#include "config/transfer_prices.h"
#include "model/data.h"
#include "model/nodes.h"

namespace lips {

class NodePrices {
 public:
  // Reads prices.file if the configuration names one. `fed`: prices of the page that prices.metrics names, which
  // replace those of both sheets.
  static Result<NodePrices> make(const PriceSheet& carried, const OperatorConfig::Prices& prices,
                                 const std::vector<InstanceOffer>& fed = {});

  // An empty region is the configured one.
  struct Question {
    std::string_view region, zone, instance_type;
    CapacityType capacity_type = CapacityType::on_demand;
    Cores cores;  // where no sheet has the type
  };
  NodePrice node(const Question& question) const;
  // False for a spot node in a zone without a spot price where other zones of the region have one of the type.
  bool sells(const Question& question) const;
  const PriceSheet& sheet() const { return sheet_; }
  // Zones that the configuration names with a share of the on-demand price.
  std::vector<std::string> zones_of_factors() const;
  const std::string& region() const { return prices_.region; }  // where nobody says one
  // The type in the sheet; nullptr where it has none.
  const InstanceOffer* size(std::string_view region, std::string_view instance_type) const {
    return sheet_.find(region_or_default(region), instance_type);
  }
  UsdPerMebibyte transfer(TransferEnd from, TransferEnd to) const;
  UsdPerMebibyteHour storage(StoreKind kind) const;

 private:
  std::string region_or_default(std::string_view region) const {
    return region.empty() ? prices_.region : std::string(region);
  }
  NodePrice priced(const InstanceOffer& row, double factor, double speed) const;
  PriceSheet sheet_;
  std::size_t fed_ = 0;  // the last rows of the sheet
  OperatorConfig::Prices prices_;
};

}  // namespace lips

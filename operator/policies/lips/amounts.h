// What the model decides, in CPU-seconds: how much of each commodity runs where, and what waits.
#pragma once

#include <utility>
#include <vector>

#include "model/plan.h"

namespace lips {

struct Amounts {
  std::vector<std::vector<double>> in_zone;  // [commodity][zone], of commodities that any class may take
  std::vector<std::vector<std::pair<std::uint32_t, double>>> in_class;  // [commodity] (class, work), of the others
  std::vector<double> unserved;                                         // [commodity]
  std::vector<double> open_work;          // [class] for commodities that any class may take
  std::vector<double> zone_price;         // [zone] dual: USD per further CPU-second there
  double objective = 0, lower_bound = 0;  // USD
  ModelForm form = ModelForm::none;
  bool fell_back = false;
  std::int64_t rows = 0, columns = 0;
  std::vector<ShadowPrice> shadow_prices;            // of pools, links and stores
  std::vector<std::pair<DataSetId, ZoneId>> copies;  // that pay, of shared data
};

}  // namespace lips

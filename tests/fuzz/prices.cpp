// Price sheets.
#include "config/price_sheet.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips {

FUZZ_TARGET(prices, bytes) {
  const auto offers = parse_instance_prices("prices.csv", std::string(input));
  if (!offers) return false;
  const PriceSheet sheet = PriceSheet({}, {}, 0).with(*offers);
  for (const InstanceOffer& offer : *offers) {
    FUZZ_CHECK(offer.price >= UsdPerHour(0));
    FUZZ_CHECK(sheet.find(offer.region, offer.instance_type));
  }
  return true;
}

}  // namespace lips

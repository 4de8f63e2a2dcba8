#include "config/transfer_prices.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

const PriceSheet& shipped() {
  static const PriceSheet sheet = *read_price_sheet(LIPS_SOURCE_DIR "/config");
  return sheet;
}

double usd(const TransferEnd& from, const TransferEnd& to, bool gateway_endpoint = true) {
  const TransferPrices prices = TransferPrices::of(shipped(), gateway_endpoint);
  return prices.between(from, to, shipped()).value() * mebibytes_per_gigabyte;
}

const TransferEnd here{EndKind::zone, "us-east-1", "a"}, next{EndKind::zone, "us-east-1", "b"},
    far{EndKind::zone, "us-west-2", "a"}, lake{EndKind::regional_bucket, "us-east-1", "lake"},
    other_lake{EndKind::regional_bucket, "us-west-2", "pond"}, internet{EndKind::internet, "", "www"};

TEST(TransferPrices, ChargeBothSidesBetweenZones) {
  EXPECT_EQ(usd(here, here), 0);
  EXPECT_NEAR(usd(here, next), 0.01 + 0.01, 1e-12);
}

TEST(TransferPrices, ChargeARegionalBucketTheSameInEveryZone) {
  for (const TransferEnd& zone : {here, next}) {
    EXPECT_EQ(usd(lake, zone), 0);
    EXPECT_EQ(usd(zone, lake), 0);
    EXPECT_NEAR(usd(lake, zone, false), 0.045, 1e-12);  // through a NAT gateway
  }
}

TEST(TransferPrices, ChargeOtherRegionsAndTheInternet) {
  EXPECT_NEAR(usd(here, far), 0.02, 1e-12);
  EXPECT_NEAR(usd(other_lake, here), 0.02, 1e-12);
  EXPECT_NEAR(usd(lake, other_lake, false), 0.02, 1e-12);
  EXPECT_NEAR(usd(here, internet), 0.09, 1e-12);
  EXPECT_EQ(usd(internet, here), 0);
}

TEST(TransferPrices, TakeOnePriceForAllRegionsWhereOneIsGiven) {
  TransferPrices prices = TransferPrices::of(shipped(), true);
  prices.every_region = 0.5;
  EXPECT_EQ(prices.between(here, far, shipped()), usd_per_gigabyte(0.5));
}

TEST(TransferPrices, MakeACostModelOfAllEnds) {
  const TransferPrices prices = TransferPrices::of(shipped(), true);
  const CostModel costs(transfer_table({here, next, lake}, [&](const TransferEnd& from, const TransferEnd& to) {
    return prices.between(from, to, shipped());
  }));
  EXPECT_EQ(costs.transfer(ZoneId(0), ZoneId(0)).value(), 0);
  EXPECT_EQ(costs.transfer(ZoneId(0), ZoneId(1)), usd_per_gigabyte(0.02));
  EXPECT_EQ(costs.transfer(ZoneId(2), ZoneId(1)).value(), 0);
}

TEST(PriceSheet, KnowsPricesOfNamedItemsForOneUnit) {
  EXPECT_NEAR(shipped().item("s3_standard_get"), 0.0004 / 1000, 1e-15);
  EXPECT_EQ(shipped().item("nat_gateway_data"), 0.045);
  EXPECT_EQ(shipped().item("no-such-item"), 0);
}

}  // namespace
}  // namespace lips

#include "invoice/invoice.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TimePoint at(Duration since_start) { return TimePoint(since_start); }

NodeLife life(std::uint32_t zone, Duration from, Duration to, CapacityType type = CapacityType::on_demand) {
  return {"m5.large", ZoneId(zone), type, UsdPerHour(3.6), at(from), at(to)};
}

Invoice bill(const Usage& usage, const Tariff& tariff = {}) { return make_invoice(usage, CostModel(), tariff, {}); }

TEST(Invoice, BillsANodeByTheSecondFromLaunchToTermination) {
  Usage usage;
  usage.nodes = {life(0, seconds(10), seconds(110))};
  EXPECT_NEAR(bill(usage).nodes.value(), 0.1, 1e-12);
  usage.nodes = {life(0, seconds(10), seconds(110) + Duration(1))};  // a begun second is a second
  EXPECT_NEAR(bill(usage).nodes.value(), 0.101, 1e-12);
}

TEST(Invoice, BillsEachLaunchForAMinuteAtLeast) {
  Usage usage;
  usage.nodes = {life(0, seconds(0), seconds(5)), life(0, seconds(20), seconds(25))};
  const Invoice invoice = bill(usage);
  EXPECT_NEAR(invoice.total().value(), 2 * 0.06, 1e-12);
  ASSERT_EQ(invoice.node_lines.size(), 1u);
  EXPECT_EQ(invoice.node_lines[0].launches, 2u);
  EXPECT_NEAR(invoice.node_lines[0].hours, 120.0 / 3600, 1e-12);
}

TEST(Invoice, HasALineForEachTypeZoneAndCapacityType) {
  Usage usage;
  usage.nodes = {life(1, seconds(0), hours(1)), life(0, seconds(0), hours(2)),
                 life(0, seconds(0), hours(1), CapacityType::spot)};
  const Invoice invoice = bill(usage);
  ASSERT_EQ(invoice.node_lines.size(), 3u);
  EXPECT_EQ(invoice.node_lines[0].zone, ZoneId(0));
  EXPECT_EQ(invoice.node_lines[0].capacity_type, CapacityType::on_demand);
  EXPECT_NEAR(invoice.node_lines[0].dollars.value(), 7.2, 1e-12);
  EXPECT_EQ(invoice.node_lines[1].capacity_type, CapacityType::spot);
  EXPECT_EQ(invoice.node_lines[2].zone, ZoneId(1));
  EXPECT_NEAR(invoice.nodes.value(), 4 * 3.6, 1e-12);
}

TEST(Invoice, BillsBytesByTheWayTheyTook) {
  Usage usage;
  usage.send(ZoneId(0), ZoneId(1), Mebibytes(100));
  usage.send(ZoneId(0), ZoneId(1), Mebibytes(50));
  usage.send(ZoneId(1), ZoneId(0), Mebibytes(10));
  usage.send(ZoneId(1), ZoneId(1), Mebibytes(1000));
  const CostModel costs({{UsdPerMebibyte(0), UsdPerMebibyte(0.02)}, {UsdPerMebibyte(0.5), UsdPerMebibyte(0)}});
  const Invoice invoice = make_invoice(usage, costs, {}, {});
  ASSERT_EQ(invoice.transfer_lines.size(), 2u);
  EXPECT_NEAR(invoice.transfer_lines[0].size.value(), 150, 1e-12);
  EXPECT_NEAR(invoice.transfer.value(), 150 * 0.02 + 10 * 0.5, 1e-12);
  EXPECT_NEAR(invoice.total().value(), invoice.transfer.value(), 1e-12);
}

TEST(Invoice, BillsStorageByStoreAndRequestsByItsKind) {
  IdVector<StoreId, DataStore> stores;
  stores.push_back({"v", StoreKind::zonal_volume, ZoneId(0), {}, {}, {}, UsdPerMebibyteHour(0.01)});
  stores.push_back({"lake", StoreKind::regional_bucket, ZoneId(1), {}, {}, {}, UsdPerMebibyteHour(0.001)});
  Usage usage;
  usage.keep(StoreId(0), Mebibytes(10), minutes(30));
  usage.keep(StoreId(1), Mebibytes(10), hours(2));
  usage.request(StoreId(1), Mebibytes(64), false);  // in parts of 8 MiB
  usage.request(StoreId(1), Mebibytes(1), false);
  usage.request(StoreId(1), Mebibytes(9), true);
  Tariff tariff;
  tariff.requests[StoreKind::regional_bucket] = {Usd(0.5), Usd(2)};
  const Invoice invoice = make_invoice(usage, CostModel(), tariff, stores);
  EXPECT_NEAR(invoice.storage.value(), 10 * 0.5 * 0.01 + 10 * 2 * 0.001, 1e-12);
  EXPECT_NEAR(invoice.requests.value(), 9 * 0.5 + 2 * 2, 1e-12);
  ASSERT_EQ(invoice.store_lines.size(), 2u);
  EXPECT_EQ(invoice.store_lines[1].requests.reads, 9u);
}

TEST(Invoice, LeavesOutHoursThatAReservationCovers) {
  Usage usage;
  usage.span = hours(3);
  // Two nodes in the first hour, none in the second, one in the third: an hour that is not used is lost.
  usage.nodes = {life(0, seconds(0), hours(1)), life(0, seconds(0), hours(1)), life(0, hours(2), hours(3))};
  Tariff tariff;
  tariff.reserved = {{"m5.large", ZoneId::none(), 1}};
  const Invoice invoice = bill(usage, tariff);
  EXPECT_NEAR(invoice.nodes.value(), 3.6, 1e-9);
  EXPECT_NEAR(invoice.covered.value(), 7.2, 1e-9);
  EXPECT_NEAR(invoice.node_lines[0].covered_hours, 2, 1e-9);
}

TEST(Invoice, AReservationCoversItsTypeAndZoneAndNoSpotNode) {
  Usage usage;
  usage.span = hours(1);
  usage.nodes = {life(0, seconds(0), hours(1)), life(1, seconds(0), hours(1)),
                 life(1, seconds(0), hours(1), CapacityType::spot)};
  Tariff tariff;
  tariff.reserved = {{"m5.large", ZoneId(1), 5}, {"c5.large", ZoneId::none(), 5}};
  const Invoice invoice = bill(usage, tariff);
  EXPECT_NEAR(invoice.covered.value(), 3.6, 1e-9);
  EXPECT_NEAR(invoice.node_lines[1].covered_hours, 1, 1e-9);
  EXPECT_NEAR(invoice.nodes.value(), 7.2, 1e-9);
}

TEST(Invoice, ASavingsPlanPaysAtItsDiscountHourByHour) {
  Usage usage;
  usage.span = hours(2);
  usage.nodes = {life(0, seconds(0), hours(1)), life(0, hours(1), hours(2)), life(0, hours(1), hours(2))};
  Tariff tariff;
  tariff.savings_plan = {UsdPerHour(3.6), 0.25};  // covers 4.8 USD of on-demand price an hour
  const Invoice invoice = bill(usage, tariff);
  EXPECT_NEAR(invoice.covered.value(), 3.6 + 4.8, 1e-9);
  EXPECT_NEAR(invoice.nodes.value(), 3 * 3.6 - 8.4, 1e-9);
}

TEST(Invoice, ACommitmentCoversNoMoreThanItsShareOfABegunHour) {
  Usage usage;
  usage.span = minutes(30);
  usage.nodes = {life(0, seconds(0), minutes(30)), life(0, seconds(0), minutes(30))};
  Tariff tariff;
  tariff.reserved = {{"m5.large", ZoneId::none(), 1}};
  EXPECT_NEAR(bill(usage, tariff).covered.value(), 1.8, 1e-9);
}

}  // namespace
}  // namespace lips

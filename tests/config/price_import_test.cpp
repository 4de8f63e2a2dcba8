// Prices as Karpenter, OpenCost and Amazon's command line print them.
#include "config/price_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/node_prices.h"

namespace lips {
namespace {

using testing::HasSubstr;

std::vector<InstanceOffer> imported(PriceFormat format, std::string_view text) {
  const auto offers = import_prices({format, "prices", text, "2026-11-22"});
  EXPECT_TRUE(offers.has_value()) << offers.error().message;
  return offers.value_or(std::vector<InstanceOffer>{});
}

constexpr std::string_view karpenter =
    R"(# HELP karpenter_cloudprovider_instance_type_offering_price_estimate Hourly price
# TYPE karpenter_cloudprovider_instance_type_offering_price_estimate gauge
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="on-demand",instance_type="m5.large",zone="us-east-1a"} 0.096
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="spot",instance_type="m5.large",zone="us-east-1a"} 0.0371 1763800000
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="spot",instance_type="m5.large",zone="us-east-1b"} 3.12e-02
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="reserved",instance_type="m5.large",zone="us-east-1b"} 1e-09
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="spot",instance_type="m5.xlarge",zone="us-east-1b"} +Inf
karpenter_cloudprovider_instance_type_offering_available{capacity_type="spot",instance_type="m5.large",zone="us-east-1a"} 1
)";

TEST(PriceImport, ReadsKarpentersOfferingPrices) {
  const std::vector<InstanceOffer> offers = imported(PriceFormat::karpenter, karpenter);
  ASSERT_EQ(offers.size(), 3u);
  EXPECT_EQ(offers[1].region, "us-east-1");
  EXPECT_EQ(offers[1].zone, "us-east-1a");
  EXPECT_EQ(offers[1].instance_type, "m5.large");
  EXPECT_EQ(offers[1].capacity_type, CapacityType::spot);
  EXPECT_DOUBLE_EQ(offers[1].price.value(), 0.0371);
  EXPECT_EQ(offers[1].as_of, "2026-11-22");
  EXPECT_DOUBLE_EQ(offers[2].price.value(), 0.0312);
}

TEST(PriceImport, ReadsOpenCostsNodesAsTheMeanOfEachKind) {
  const std::vector<InstanceOffer> offers = imported(PriceFormat::opencost, R"(
node_total_hourly_cost{instance="a",instance_type="m5.large",node="a",provider_id="aws:///us-east-1a/i-1",region="us-east-1"} 0.04
node_total_hourly_cost{instance="b",instance_type="m5.large",node="b",provider_id="aws:///us-east-1a/i-2",region="us-east-1"} 0.06
node_total_hourly_cost{instance="c",instance_type="m5.large",node="c",provider_id="aws:///us-east-1a/i-3",region="us-east-1"} 0.096
kubecost_node_is_spot{instance="a",node="a"} 1
kubecost_node_is_spot{instance="b",node="b"} 1
kubecost_node_is_spot{instance="c",node="c"} 0
)");
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].capacity_type, CapacityType::on_demand);
  EXPECT_DOUBLE_EQ(offers[0].price.value(), 0.096);
  EXPECT_EQ(offers[1].capacity_type, CapacityType::spot);
  EXPECT_DOUBLE_EQ(offers[1].price.value(), 0.05);
  EXPECT_EQ(offers[1].zone, "us-east-1a");
}

TEST(PriceImport, TakesTheNewestSpotPriceOfLinux) {
  const std::vector<InstanceOffer> offers = imported(PriceFormat::spot_history, R"({"SpotPriceHistory": [
    {"AvailabilityZone": "eu-west-1b", "InstanceType": "r5.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "0.031000", "Timestamp": "2026-11-21T10:00:00+00:00"},
    {"AvailabilityZone": "eu-west-1b", "InstanceType": "r5.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "0.045000", "Timestamp": "2026-11-20T10:00:00+00:00"},
    {"AvailabilityZone": "eu-west-1b", "InstanceType": "r5.large", "ProductDescription": "Windows", "SpotPrice": "0.145000", "Timestamp": "2026-11-22T10:00:00+00:00"},
    {"AvailabilityZone": 7, "InstanceType": null, "SpotPrice": {}}, 3, "text"]})");
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_DOUBLE_EQ(offers[0].price.value(), 0.031);
  EXPECT_EQ(offers[0].as_of, "2026-11-21");
  EXPECT_EQ(offers[0].region, "eu-west-1");
}

// The row of m6i.large in eu-central-1.
std::string attributes(const std::string& system, const std::string& tenancy) {
  return R"({"instanceType": "m6i.large", "regionCode": "eu-central-1", "operatingSystem": ")" + system +
         R"(", "tenancy": ")" + tenancy +
         R"(", "preInstalledSw": "NA", "capacitystatus": "Used", "vcpu": "2", "memory": "1,952 GiB"})";
}

std::string on_demand(const std::string& usd) {
  return R"({"A.B": {"effectiveDate": "2026-11-01T00:00:00Z", "priceDimensions": {"A.B.C": {"unit": "Hrs", "pricePerUnit": {"USD": ")" +
         usd + R"("}}}}})";
}

std::string product(const std::string& system, const std::string& tenancy, const std::string& usd) {
  return R"({"product": {"attributes": )" + attributes(system, tenancy) + R"(}, "terms": {"OnDemand": )" +
         on_demand(usd) + "}}";
}

std::string as_text(const std::string& json) {
  std::string out = "\"";
  for (const char c : json) out += c == '"' ? "\\\"" : std::string(1, c);
  return out + '"';
}

void expect_one_plain_node(std::string_view text) {
  const std::vector<InstanceOffer> offers = imported(PriceFormat::price_list, text);
  ASSERT_EQ(offers.size(), 1u) << text;
  EXPECT_EQ(offers[0].region, "eu-central-1");
  EXPECT_EQ(offers[0].instance_type, "m6i.large");
  EXPECT_DOUBLE_EQ(offers[0].price.value(), 0.115);
  EXPECT_EQ(offers[0].as_of, "2026-11-01");
  EXPECT_DOUBLE_EQ(offers[0].vcpu.value(), 2);
  EXPECT_DOUBLE_EQ(offers[0].memory.value(), 1952 * 1024);
}

TEST(PriceImport, TakesLinuxOnSharedHostsFromThePriceList) {
  const std::string others = product("Windows", "Shared", "0.2"), other_host = product("Linux", "Dedicated", "0.3");
  const std::string plain = product("Linux", "Shared", "0.115");
  const std::string texts = "[" + as_text(others) + ", " + as_text(other_host) + ", " + as_text(plain) + "]";
  expect_one_plain_node(R"({"PriceList": )" + texts + R"(, "FormatVersion": "aws_v1"})");
  expect_one_plain_node(texts);  // --query PriceList
  expect_one_plain_node("[" + others + ", " + plain + "]");
}

TEST(PriceImport, ReadsAnOfferFile) {
  expect_one_plain_node(R"({"offerCode": "AmazonEC2", "products": {
    "W": {"sku": "W", "attributes": )" +
                        attributes("Windows", "Shared") + R"(},
    "L": {"sku": "L", "attributes": )" +
                        attributes("Linux", "Shared") + R"(},
    "T": {"sku": "T", "productFamily": "Data Transfer", "attributes": {"regionCode": "eu-central-1"}}},
    "terms": {"OnDemand": {"T": )" +
                        on_demand("0.01") + R"(, "W": )" + on_demand("0.2") + R"(, "L": )" + on_demand("0.115") +
                        R"(}, "Reserved": {"L": )" + on_demand("0.05") + "}}}");
}

TEST(PriceImport, ReadsASpotHistoryInEveryFormOfTheCommandLine) {
  const char* entry =
      R"([{"AvailabilityZone": "eu-west-1b", "InstanceType": "r5.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "0.031", "Timestamp": "2026-11-21T10:00:00+00:00"}])";
  const char* lines =
      "SPOTPRICEHISTORY\teu-west-1b\tr5.large\tWindows\t0.2\t2026-11-22T10:00:00+00:00\n"
      "SPOTPRICEHISTORY\teu-west-1b\tr5.large\tLinux/UNIX\t0.031\t2026-11-21T10:00:00+00:00\n"
      "SPOTPRICEHISTORY\teu-west-1b\teuw1-az2\tr5.large\tLinux/UNIX\t0.045\t2026-11-20T10:00:00+00:00\n"
      "SPOTPRICEHISTORY\tcut\n";
  for (const char* text : {entry, lines}) {
    const std::vector<InstanceOffer> offers = imported(PriceFormat::spot_history, text);
    ASSERT_EQ(offers.size(), 1u) << text;
    EXPECT_EQ(offers[0].zone, "eu-west-1b");
    EXPECT_EQ(offers[0].instance_type, "r5.large");
    EXPECT_DOUBLE_EQ(offers[0].price.value(), 0.031);
    EXPECT_EQ(offers[0].as_of, "2026-11-21");
  }
}

TEST(PriceImport, SaysWhatItSoughtInATextWithoutPrices) {
  for (const PriceFormat format : enumerators<PriceFormat>)
    for (const char* text : {"", "{}", "[1, 2]", "{\"PriceList\": 3, \"SpotPriceHistory\": {}}", "a{b=\"", "\x80\xff{",
                             "{\"PriceList\": [{\"product\": 1}, \"{\", {\"product\": {\"attributes\": []}}]}",
                             "{\"products\": {\"a\": 1, \"b\": {}}, \"terms\": [{}, {\"c\": {\"d\": 1}}]}",
                             "SPOTPRICEHISTORY\t\t\t\t\t\t\t", "PRICELIST\t{\"product\": {}}"}) {
      const auto offers = import_prices({format, "page", text, "2026-11-22"});
      ASSERT_FALSE(offers.has_value()) << to_string(format) << ' ' << text;
      EXPECT_THAT(offers.error().message, HasSubstr("page: found no price"));
      const bool of_a_command = format == PriceFormat::price_list || format == PriceFormat::spot_history;
      EXPECT_EQ(offers.error().message.find("--output json") != std::string::npos, of_a_command);
    }
}

std::string refusal(PriceFormat format, std::string_view text) {
  const auto offers = import_prices({format, "prices", text, "2026-11-22"});
  return offers ? "read" : offers.error().message;
}

// The address of an Azure resource has no zone in it: its price is that of the region.
TEST(PriceImport, ReadsOpenCostOnAzureAndGoogleCloud) {
  const std::vector<InstanceOffer> offers = imported(PriceFormat::opencost, R"(
node_total_hourly_cost{arch="amd64",instance="aks-0",instance_type="Standard_D4as_v5",node="aks-0",provider_id="azure:///subscriptions/0-0/resourceGroups/mc_rg/providers/Microsoft.Compute/virtualMachineScaleSets/aks/virtualMachines/0",region="eastus"} 0.172
kubecost_node_is_spot{instance="aks-0",node="aks-0",provider_id="azure:///subscriptions/x"} 0
node_total_hourly_cost{instance="gke-1",instance_type="n2-standard-4",node="gke-1",provider_id="gce://project/us-central1-b/gke-1",region=""} 0.194
)");
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].region, "eastus");
  EXPECT_EQ(offers[0].zone, "");
  EXPECT_EQ(offers[1].region, "us-central1");
  EXPECT_EQ(offers[1].zone, "us-central1-b");
  const auto prices = NodePrices::make({}, {}, offers);
  ASSERT_TRUE(prices.has_value());
  for (const char* zone : {"eastus-1", "0"})
    EXPECT_DOUBLE_EQ(prices->node({"eastus", zone, "Standard_D4as_v5", CapacityType::on_demand, Cores(4)}).price.value(), 0.172);
}

TEST(PriceImport, RefusesPricesThatAreNotInDollars) {
  EXPECT_THAT(refusal(PriceFormat::spot_history, R"({"SpotPriceHistory": [{"AvailabilityZone": "cn-north-1b", "InstanceType": "m5.xlarge",
    "ProductDescription": "Linux/UNIX", "SpotPrice": "0.486000", "Timestamp": "2026-03-01T09:06:30+00:00"}]})"),
              HasSubstr("prices: found prices of cn-north-1, where the cloud names them in CNY; allowed: prices in USD"));
  EXPECT_THAT(refusal(PriceFormat::karpenter,
                      "karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type=\"spot\","
                      "instance_type=\"m5.large\",zone=\"cn-northwest-1a\"} 0.2\n"),
              HasSubstr("in CNY"));
  EXPECT_THAT(refusal(PriceFormat::opencost,
                      "node_total_hourly_cost{instance_type=\"Standard_D4_v5\",node=\"a\",region=\"chinaeast2\"} 1.1\n"), HasSubstr("in CNY"));
}

// A zone that a part of the history does not name would be taken for one that sells no spot nodes.
TEST(PriceImport, RefusesAPartOfThePrices) {
  const std::string entry =
      R"({"AvailabilityZone": "eu-west-1b", "InstanceType": "r5.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "0.031", "Timestamp": "2026-11-21T10:00:00+00:00"})";
  const std::string line = "SPOTPRICEHISTORY\teu-west-1b\tr5.large\tLinux/UNIX\t0.031\t2026-11-21T10:00:00+00:00\n";
  const std::string whole = R"({"SpotPriceHistory": [)" + entry + "]";
  EXPECT_EQ(refusal(PriceFormat::spot_history, whole + R"(, "NextToken": ""})"), "read");
  EXPECT_EQ(refusal(PriceFormat::spot_history, whole + R"(, "NextToken": null})"), "read");
  EXPECT_EQ(refusal(PriceFormat::spot_history, line), "read");
  const std::string crlf = "\xEF\xBB\xBF" + line.substr(0, line.size() - 1) + "\r\n";
  EXPECT_EQ(refusal(PriceFormat::spot_history, crlf), "read");
  const std::string cut = "prices: found a part of the prices, because ";
  EXPECT_THAT(refusal(PriceFormat::spot_history, whole + R"(, "NextToken": "eyJ"})"), HasSubstr(cut + "it has a NextToken"));
  EXPECT_THAT(refusal(PriceFormat::spot_history, "NEXTTOKEN\teyJ\n" + line), HasSubstr(cut + "it has a NextToken"));
  EXPECT_THAT(refusal(PriceFormat::spot_history, line + "NEXTTOKEN\teyJ\n"), HasSubstr(cut + "it has a NextToken"));
  EXPECT_THAT(refusal(PriceFormat::spot_history, whole), HasSubstr(cut + "the JSON ends early"));
  const std::string list = R"({"PriceList": [)" + product("Linux", "Shared", "0.115") + "]";
  EXPECT_EQ(refusal(PriceFormat::price_list, list + "}"), "read");
  EXPECT_THAT(refusal(PriceFormat::price_list, list + R"(, "NextToken": "t"})"), HasSubstr(cut + "it has a NextToken"));
  EXPECT_THAT(refusal(PriceFormat::price_list, list), HasSubstr(cut + "the JSON ends early"));
}

// Their rows have the name of the region, and come in the order of their numbers.
TEST(PriceImport, TakesThePriceOfTheRegionAndNotOfALocalZone) {
  const auto at = [](const std::string& type, const std::string& usd) {
    std::string json = product("Linux", "Shared", usd);
    return json.insert(json.find("\"vcpu\""), "\"locationType\": \"" + type + "\", ");
  };
  const std::string region = at("AWS Region", "0.115");
  for (const char* other : {"AWS Local Zone", "AWS Wavelength Zone", "AWS Outposts"}) {
    expect_one_plain_node("[" + at(other, "0.138") + ", " + region + "]");
    expect_one_plain_node("[" + region + ", " + at(other, "0.138") + "]");
    EXPECT_THAT(refusal(PriceFormat::price_list, "[" + at(other, "0.138") + "]"), HasSubstr("found no price"));
  }
  std::string block = product("Linux", "Shared", "0.01");
  block.insert(block.find("\"vcpu\""), "\"marketoption\": \"CapacityBlock\", ");
  expect_one_plain_node("[" + block + ", " + region + "]");
}

TEST(PriceImport, TakesTheNewestTermInForceOfAType) {
  const auto term = [](const char* name, const char* since, const char* usd) {
    return std::string("\"") + name + R"(": {"effectiveDate": ")" + since +
           R"(", "priceDimensions": {"D": {"unit": "Hrs", "pricePerUnit": {"USD": ")" + usd + R"("}}}})";
  };
  const std::string old = term("A", "2025-01-01T00:00:00Z", "0.2"), now = term("B", "2026-11-01T00:00:00Z", "0.115"),
                    next = term("C", "2027-01-01T00:00:00Z", "0.3"), dear = term("D", "2026-11-20T00:00:00Z", "0");
  for (const std::string& terms : {old + "," + now + "," + next, next + "," + now + "," + dear + "," + old})
    expect_one_plain_node(R"([{"product": {"attributes": )" + attributes("Linux", "Shared") + R"(}, "terms": {"OnDemand": {)" + terms + "}}}]");
}

TEST(PriceImport, TakesTheGivenRegionOfZonesWhoseNamesDoNotSayIt) {
  const auto offers =
      import_prices({PriceFormat::karpenter, "page",
                     "karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type=\"spot\","
                     "instance_type=\"m5.large\",zone=\"zone-a\"} 0.03\n",
                     "2026-11-22", "us-east-1"});
  ASSERT_TRUE(offers.has_value());
  EXPECT_EQ((*offers)[0].region, "us-east-1");
}

// Written and read again they are the same; a zone's own price beats that of its region, and both beat the factor.
TEST(PriceImport, BecomesAFileThatTheOperatorPricesNodesBy) {
  const std::vector<InstanceOffer> offers = imported(PriceFormat::karpenter, karpenter);
  const auto read = parse_instance_prices("prices.csv", write_instance_prices(offers));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), offers.size());
  const auto folder = find_config_folder();
  ASSERT_TRUE(folder.has_value());
  const auto carried = read_price_sheet(*folder);
  ASSERT_TRUE(carried.has_value());
  OperatorConfig::Prices settings;
  settings.spot_factor = 0.5;
  const auto prices = NodePrices::make(*carried, settings, *read);
  ASSERT_TRUE(prices.has_value());
  const auto price = [&](const char* zone, const char* type, CapacityType capacity) {
    return prices->node({"us-east-1", zone, type, capacity, Cores(2)}).price.value();
  };
  EXPECT_DOUBLE_EQ(price("us-east-1a", "m5.large", CapacityType::spot), 0.0371);
  EXPECT_DOUBLE_EQ(price("us-east-1b", "m5.large", CapacityType::spot), 0.0312);
  EXPECT_DOUBLE_EQ(price("us-east-1c", "m5.large", CapacityType::spot), 0.5 * 0.096);
  const auto sells = [&](const char* zone, const char* type, CapacityType capacity) {
    return prices->sells({"us-east-1", zone, type, capacity, Cores(2)});
  };
  EXPECT_TRUE(sells("us-east-1a", "m5.large", CapacityType::spot));
  EXPECT_FALSE(sells("us-east-1c", "m5.large", CapacityType::spot)) << "other zones have a price";
  EXPECT_TRUE(sells("us-east-1c", "m5.large", CapacityType::on_demand));
  EXPECT_TRUE(sells("us-east-1c", "m5.xlarge", CapacityType::spot)) << "no zone has one";
  EXPECT_DOUBLE_EQ(price("us-east-1a", "m5.large", CapacityType::on_demand), 0.096);
  EXPECT_DOUBLE_EQ(price("us-east-1a", "m5.xlarge", CapacityType::spot), 0.5 * 0.192);
  const auto as_of = [&](const char* type, CapacityType capacity) {
    const NodePrice found = prices->node({"us-east-1", "us-east-1a", type, capacity, Cores(2)});
    return found.fed ? "fed" : found.as_of;
  };
  EXPECT_EQ(as_of("m5.large", CapacityType::spot), "fed");
  EXPECT_EQ(as_of("m5.large", CapacityType::on_demand), "fed");
  EXPECT_EQ(as_of("m5.xlarge", CapacityType::spot), carried->find("us-east-1", "m5.xlarge")->as_of);
  EXPECT_EQ(as_of("unheard-of", CapacityType::spot), "");
  ASSERT_NE(prices->size("us-east-1", "m5.large"), nullptr);
  EXPECT_DOUBLE_EQ(prices->size("us-east-1", "m5.large")->vcpu.value(), 2);
}

}  // namespace
}  // namespace lips

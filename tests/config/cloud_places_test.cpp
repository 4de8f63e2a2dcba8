#include "config/cloud_places.h"

#include <gtest/gtest.h>

#include <string_view>

namespace lips {
namespace {

TEST(CloudPlaces, KnowTheRegionOfAZoneOfEachCloud) {
  constexpr std::pair<const char*, const char*> known[] = {
      {"us-east-1a", "us-east-1"},                      // AWS
      {"us-gov-west-1c", "us-gov-west-1"},
      {"cn-north-1b", "cn-north-1"},
      {"us-iso-east-1a", "us-iso-east-1"},
      {"ap-southeast-5c", "ap-southeast-5"},
      {"us-west-2-lax-1a", "us-west-2"},                // Local Zones, Wavelength Zones
      {"us-east-1-wl1-bos-wlz-1", "us-east-1"},
      {"us-central1-b", "us-central1"},                 // Google Cloud
      {"northamerica-northeast2-a", "northamerica-northeast2"},
      {"europe-west12-c", "europe-west12"},
      {"us-central1-ai1a", "us-central1"},
      {"eastus-1", "eastus"},                           // Azure
      {"westus2-3", "westus2"},
      {"germanywestcentral-2", "germanywestcentral"},
      {"usgovvirginia-1", "usgovvirginia"},
      {"chinanorth3-1", "chinanorth3"},
  };
  for (const auto& [zone, region] : known) EXPECT_EQ(region_of_zone(zone), region) << zone;
  for (const char* other : {"", "zone", "zone-a", "zone-1", "rack-12", "0", "2", "subscriptions", "use1-az1", "no-zone", "-", "1a", "a-1b", "zone-a1"})
    EXPECT_EQ(region_of_zone(other), "") << other;
}

TEST(CloudPlaces, KnowTheZoneInAProvidersId) {
  EXPECT_EQ(zone_of_provider_id("aws:///us-east-1a/i-0123"), "us-east-1a");
  EXPECT_EQ(zone_of_provider_id("aws:///us-east-1a/0a1b/fargate-ip-10-0-0-1.ec2.internal"), "us-east-1a");
  EXPECT_EQ(zone_of_provider_id("gce://my-project/us-central1-b/gke-batch-1"), "us-central1-b");
  for (const char* other :
       {"", "aws:///", "aws:///us-east-1a", "gce://", "gce://project", "gce://project/zone", "i-0123", "kwok://node", "oci://ocid1.instance.oc1.phx.x",
        "azure:///subscriptions/0-0/resourceGroups/mc_rg/providers/Microsoft.Compute/virtualMachineScaleSets/aks/virtualMachines/0",
        "azure:///subscriptions/x", "kind://docker/kind/kind-worker", "openstack:///0-1-2", "alicloud:///x/y"})
    EXPECT_EQ(zone_of_provider_id(other), "") << other;
}

TEST(CloudPlaces, KnowFaultDomainsAndCurrencies) {
  for (const char* domain : {"0", "1", "2", "19"}) EXPECT_TRUE(is_fault_domain(domain));
  for (const char* zone : {"", "eastus-1", "1a", "no-zone"}) EXPECT_FALSE(is_fault_domain(zone));
  for (const char* region : {"cn-north-1", "cn-hangzhou", "chinaeast2"}) EXPECT_EQ(currency_of_region(region), "CNY");
  for (const char* region : {"", "us-east-1", "eu-central-1", "eastus"}) EXPECT_EQ(currency_of_region(region), "USD");
}

}  // namespace
}  // namespace lips

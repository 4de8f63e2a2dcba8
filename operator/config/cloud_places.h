// Zones and regions by their names at AWS, Google Cloud and Azure. Nobody else takes such a name apart.
#pragma once

#include <string>
#include <string_view>

namespace lips {

// "us-east-1" of us-east-1a and us-east-1-bos-1a, "us-central1" of us-central1-b, "westus2" of westus2-1; empty for a
// name that is a zone of none of them.
std::string region_of_zone(std::string_view zone);

// The zone in a node's spec.providerID: aws:///us-east-1a/i-0123, gce://project/us-central1-b/name; others name none.
std::string zone_of_provider_id(std::string_view id);

// Azure writes such a number as the zone of nodes that lie in no availability zone. Bytes between them cost nothing.
bool is_fault_domain(std::string_view zone);

// The currency in which a cloud names prices of the region.
std::string_view currency_of_region(std::string_view region);

}  // namespace lips

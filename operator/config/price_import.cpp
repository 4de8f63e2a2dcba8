#include "config/price_import.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "config/quantities.h"
#include "config/ranges.h"

namespace lips {

namespace {

using Json = nlohmann::json;
using Labels = std::map<std::string, std::string, std::less<>>;

tl::unexpected<Error> no_price(const PriceText& text, std::string_view sought) {
  return fail(ErrorCode::invalid_input,
              fmt::format("{}: found no price; {} has {}", text.name, to_string(text.format), sought));
}

const std::string& label(const Labels& labels, std::string_view name) {
  static const std::string none;
  const auto found = labels.find(name);
  return found == labels.end() ? none : found->second;
}

std::optional<UsdPerHour> price_of(std::string_view text) {
  const std::optional<double> value = parse_number(std::string(text));
  if (!value || *value <= 0 || !price_range.contains(*value)) return std::nullopt;
  return UsdPerHour(*value);
}

// Calls visit(labels, value) for each sample of that name in Prometheus' text format.
template <class Visit>
void visit_samples(std::string_view text, std::string_view name, Visit visit) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != '{') continue;
    Labels labels;
    std::size_t at = name.size() + 1;
    while (at < line.size() && line[at] != '}') {
      const std::size_t equals = line.find("=\"", at);
      if (equals == std::string_view::npos) break;
      std::string& value = labels[std::string(line.substr(at, equals - at))];
      for (at = equals + 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\' && at + 1 < line.size()) ++at;
        value += line[at];
      }
      ++at;
      if (at < line.size() && line[at] == ',') ++at;
    }
    const std::size_t begin = line.find_first_not_of(' ', std::min(line.size(), at + 1));
    if (begin == std::string_view::npos) continue;
    visit(std::as_const(labels), line.substr(begin, line.find(' ', begin) - begin));
  }
}

std::string region_in(const PriceText& text, std::string_view zone) {
  std::string region = region_of_zone(zone);
  return region.empty() ? text.region : region;
}

CapacityType capacity_type_of(std::string_view name) {
  return name == to_string(CapacityType::spot) ? CapacityType::spot : CapacityType::on_demand;
}

Result<std::vector<InstanceOffer>> from_karpenter(const PriceText& from) {
  constexpr std::string_view metric = "karpenter_cloudprovider_instance_type_offering_price_estimate";
  std::vector<InstanceOffer> offers;
  visit_samples(from.text, metric, [&](const Labels& labels, std::string_view value) {
    const std::optional<UsdPerHour> price = price_of(value);
    const std::string& zone = label(labels, "zone");
    if (!price || zone.empty() || label(labels, "instance_type").empty()) return;
    const std::string& capacity_type = label(labels, "capacity_type");
    if (capacity_type == "reserved") return;  // paid for already
    InstanceOffer offer;
    offer.region = region_in(from, zone);
    offer.instance_type = label(labels, "instance_type");
    offer.zone = zone;
    offer.capacity_type = capacity_type_of(capacity_type);
    offer.price = *price;
    offer.as_of = from.today, offer.source = source_karpenter;
    offers.push_back(std::move(offer));
  });
  if (offers.empty()) return no_price(from, fmt::format("the metric {}", metric));
  return offers;
}

// "us-east-1a" of aws:///us-east-1a/i-0123.
std::string zone_of_provider_id(std::string_view id) {
  const std::size_t begin = id.find(":///");
  if (begin == std::string_view::npos) return "";
  const std::string_view rest = id.substr(begin + 4);
  const std::size_t end = rest.find('/');
  return end == std::string_view::npos ? "" : std::string(rest.substr(0, end));
}

const std::string& node_of(const Labels& labels) {
  const std::string& node = label(labels, "node");
  return node.empty() ? label(labels, "instance") : node;
}

Result<std::vector<InstanceOffer>> from_opencost(const PriceText& from) {
  constexpr std::string_view metric = "node_total_hourly_cost";
  std::map<std::string, bool, std::less<>> spot;
  visit_samples(from.text, "kubecost_node_is_spot",
                [&](const Labels& labels, std::string_view value) { spot[node_of(labels)] = value == "1"; });
  struct Mean {
    double sum = 0;
    int nodes = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string, CapacityType>, Mean> kinds;
  visit_samples(from.text, metric, [&](const Labels& labels, std::string_view value) {
    const std::optional<UsdPerHour> price = price_of(value);
    const std::string& type = label(labels, "instance_type");
    if (!price || type.empty()) return;
    const std::string zone = zone_of_provider_id(label(labels, "provider_id"));
    const std::string& region = label(labels, "region");
    const auto known = spot.find(node_of(labels));
    Mean& mean = kinds[{region.empty() ? region_in(from, zone) : region, type, zone,
                        known != spot.end() && known->second ? CapacityType::spot : CapacityType::on_demand}];
    mean.sum += price->value();
    ++mean.nodes;
  });
  std::vector<InstanceOffer> offers;
  for (const auto& [key, mean] : kinds) {
    InstanceOffer offer;
    std::tie(offer.region, offer.instance_type, offer.zone, offer.capacity_type) = key;
    offer.price = UsdPerHour(mean.sum / mean.nodes);
    offer.as_of = from.today, offer.source = "opencost";
    offers.push_back(std::move(offer));
  }
  if (offers.empty()) return no_price(from, fmt::format("the metric {}", metric));
  return offers;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) return "";
  if (found->is_number()) return fmt::format("{}", found->get<double>());
  return found->is_string() ? found->get<std::string>() : "";
}

std::string date_of(const std::string& time, const std::string& otherwise) {
  return time.size() < 10 ? otherwise : time.substr(0, 10);
}

Result<std::vector<InstanceOffer>> from_spot_history(const PriceText& from) {
  const Json json = Json::parse(from.text, nullptr, false);
  const char* const sought = "a list SpotPriceHistory with AvailabilityZone, InstanceType and SpotPrice";
  if (!json.is_object() || !json.contains("SpotPriceHistory") || !json["SpotPriceHistory"].is_array())
    return no_price(from, sought);
  std::map<std::pair<std::string, std::string>, std::pair<std::string, UsdPerHour>> newest;  // by zone and type
  for (const Json& entry : json["SpotPriceHistory"]) {
    const std::optional<UsdPerHour> price = price_of(text_of(entry, "SpotPrice"));
    const std::string zone = text_of(entry, "AvailabilityZone"), type = text_of(entry, "InstanceType");
    const std::string product = text_of(entry, "ProductDescription");
    if (!price || zone.empty() || type.empty()) continue;
    if (!product.empty() && !product.starts_with("Linux/UNIX")) continue;
    const std::string time = text_of(entry, "Timestamp");
    auto& known = newest[{zone, type}];
    if (known.second.value() == 0 || known.first < time) known = {time, *price};
  }
  std::vector<InstanceOffer> offers;
  for (const auto& [where, price] : newest) {
    InstanceOffer offer;
    offer.region = region_in(from, where.first);
    offer.zone = where.first, offer.instance_type = where.second;
    offer.capacity_type = CapacityType::spot;
    offer.price = price.second;
    offer.as_of = date_of(price.first, from.today), offer.source = "spot price history";
    offers.push_back(std::move(offer));
  }
  if (offers.empty()) return no_price(from, sought);
  return offers;
}

bool is_plain_linux(const Json& attributes) {
  constexpr std::pair<const char*, std::string_view> wanted[] = {
      {"operatingSystem", "Linux"}, {"tenancy", "Shared"}, {"preInstalledSw", "NA"}, {"capacitystatus", "Used"}};
  for (const auto& [key, value] : wanted)
    if (const std::string found = text_of(attributes, key); !found.empty() && found != value) return false;
  return true;
}

// USD an hour of the first on-demand term that has a price by the hour.
std::optional<UsdPerHour> on_demand_price(const Json& product, std::string& date) {
  const auto terms = product.find("terms");
  if (terms == product.end() || !terms->is_object() || !terms->contains("OnDemand")) return std::nullopt;
  for (const Json& term : (*terms)["OnDemand"]) {
    if (!term.is_object() || !term.contains("priceDimensions")) continue;
    for (const Json& dimension : term["priceDimensions"]) {
      if (!dimension.is_object() || text_of(dimension, "unit") != "Hrs" || !dimension.contains("pricePerUnit"))
        continue;
      date = date_of(text_of(term, "effectiveDate"), date);
      if (const auto price = price_of(text_of(dimension["pricePerUnit"], "USD"))) return price;
    }
  }
  return std::nullopt;
}

Result<std::vector<InstanceOffer>> from_price_list(const PriceText& from) {
  const Json json = Json::parse(from.text, nullptr, false);
  const char* const sought = "a list PriceList of products with an on-demand price in USD by the hour";
  if (!json.is_object() || !json.contains("PriceList") || !json["PriceList"].is_array()) return no_price(from, sought);
  std::vector<InstanceOffer> offers;
  for (const Json& entry : json["PriceList"]) {  // each product is an object, or an object as a text
    const Json product = entry.is_string() ? Json::parse(entry.get_ref<const std::string&>(), nullptr, false) : entry;
    if (!product.is_object() || !product.contains("product") || !product["product"].is_object()) continue;
    const auto attributes = product["product"].find("attributes");
    if (attributes == product["product"].end() || !is_plain_linux(*attributes)) continue;
    InstanceOffer offer;
    offer.region = text_of(*attributes, "regionCode");
    offer.instance_type = text_of(*attributes, "instanceType");
    offer.as_of = from.today;
    const std::optional<UsdPerHour> price = on_demand_price(product, offer.as_of);
    if (!price || offer.region.empty() || offer.instance_type.empty()) continue;
    offer.price = *price;
    offer.vcpu = Cores(parse_number(text_of(*attributes, "vcpu")).value_or(0));
    std::string memory = text_of(*attributes, "memory");  // "7.5 GiB", "1,952 GiB"
    std::erase(memory, ',');
    offer.memory = Mebibytes(parse_number(memory.substr(0, memory.find(' '))).value_or(0) * 1024);
    offer.source = "price list";
    offers.push_back(std::move(offer));
  }
  if (offers.empty()) return no_price(from, sought);
  return offers;
}

}  // namespace

std::string region_of_zone(std::string_view zone) {
  std::size_t end = 0;
  while (end < zone.size() && std::isdigit(static_cast<unsigned char>(zone[end])) == 0) ++end;
  if (end == zone.size()) return "";
  while (end < zone.size() && std::isdigit(static_cast<unsigned char>(zone[end])) != 0) ++end;
  return std::string(zone.substr(0, end));
}

Result<std::vector<InstanceOffer>> import_prices(const PriceText& text) {
  switch (text.format) {
    case PriceFormat::karpenter:
      return from_karpenter(text);
    case PriceFormat::opencost:
      return from_opencost(text);
    case PriceFormat::spot_history:
      return from_spot_history(text);
    case PriceFormat::price_list:
      break;
  }
  return from_price_list(text);
}

}  // namespace lips

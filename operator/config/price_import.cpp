#include "config/price_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "config/cloud_places.h"
#include "config/csv_table.h"
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

// Takes a line off the front, without its end.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Calls visit(labels, value) for each sample of that name in Prometheus' text format.
template <class Visit>
void visit_samples(std::string_view text, std::string_view name, Visit visit) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
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
  std::vector<InstanceOffer> offers;
  visit_samples(from.text, karpenter_prices, [&](const Labels& labels, std::string_view value) {
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
  if (offers.empty()) return no_price(from, fmt::format("the metric {}", karpenter_prices));
  return offers;
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
  const std::string date = time.substr(0, 10);
  return is_date(date) ? date : otherwise;
}

tl::unexpected<Error> cut_short(const PriceText& text, std::string_view how) {
  return fail(ErrorCode::invalid_input,
              fmt::format("{}: found a part of the prices, {}; allowed: all of them", text.name, how));
}

constexpr std::string_view has_next_token =
    "because it has a NextToken: ask without --max-items and --no-paginate";

// Refuses a text that does not have all that was asked for: a zone or type that is not there would be taken for one that is not sold.
Result<Json> whole_json(const PriceText& from, Json json) {
  if (json.is_discarded() && (from.text.starts_with('{') || from.text.starts_with('[')))
    return cut_short(from, "because the JSON ends early or is damaged");
  if (!text_of(json, "NextToken").empty()) return cut_short(from, has_next_token);
  return json;
}

// The list itself, or that of the key.
const Json* list_in(const Json& json, const char* key) {
  if (json.is_array()) return &json;
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_array() ? &*found : nullptr;
}

struct SpotPrice {
  std::string zone, type, product, price, time;
};

// A line for each price with tabs between zone (and its id), type, product, price and time.
std::vector<SpotPrice> spot_prices_of_lines(std::string_view text) {
  std::vector<SpotPrice> found;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with("SPOTPRICEHISTORY\t")) continue;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      fields.emplace_back(line.substr(at, end - at));
      at = end + 1;
    }
    if (const std::size_t count = fields.size(); count >= 6)
      found.push_back({fields[1], fields[count - 4], fields[count - 3], fields[count - 2], fields[count - 1]});
  }
  return found;
}

Result<std::vector<SpotPrice>> spot_prices_of(const PriceText& from) {
  constexpr std::string_view token = "NEXTTOKEN\t";
  if (from.text.starts_with(token) || from.text.find(fmt::format("\n{}", token)) != std::string_view::npos)
    return cut_short(from, has_next_token);
  if (from.text.starts_with("SPOTPRICEHISTORY\t")) return spot_prices_of_lines(from.text);
  const Result<Json> json = whole_json(from, Json::parse(from.text, nullptr, false));
  if (!json) return tl::unexpected(json.error());
  std::vector<SpotPrice> found;
  if (const Json* list = list_in(*json, "SpotPriceHistory"))
    for (const Json& entry : *list)
      found.push_back({text_of(entry, "AvailabilityZone"), text_of(entry, "InstanceType"),
                       text_of(entry, "ProductDescription"), text_of(entry, "SpotPrice"), text_of(entry, "Timestamp")});
  return found;
}

Result<std::vector<InstanceOffer>> from_spot_history(const PriceText& from) {
  const Result<std::vector<SpotPrice>> history = spot_prices_of(from);
  if (!history) return tl::unexpected(history.error());
  std::map<std::pair<std::string, std::string>, std::pair<std::string, UsdPerHour>> newest;  // by zone and type
  for (const SpotPrice& entry : *history) {
    const std::optional<UsdPerHour> price = price_of(entry.price);
    if (!price || entry.zone.empty() || entry.type.empty()) continue;
    if (!entry.product.empty() && !entry.product.starts_with("Linux/UNIX")) continue;
    auto& known = newest[{entry.zone, entry.type}];
    if (known.second.value() == 0 || known.first < entry.time) known = {entry.time, *price};
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
  if (offers.empty())
    return no_price(from,
                    "a list SpotPriceHistory with AvailabilityZone, InstanceType and SpotPrice: ask aws ec2 "
                    "describe-spot-price-history for --output json");
  return offers;
}

// Local Zones, Wavelength Zones and Outposts have prices of their own under the name of their region.
bool is_plain_linux(const Json& attributes) {
  constexpr std::pair<const char*, std::string_view> wanted[] = {
      {"operatingSystem", "Linux"}, {"tenancy", "Shared"},        {"preInstalledSw", "NA"},
      {"capacitystatus", "Used"},   {"marketoption", "OnDemand"}, {"locationType", "AWS Region"}};
  for (const auto& [key, value] : wanted)
    if (const std::string found = text_of(attributes, key); !found.empty() && found != value) return false;
  return !text_of(attributes, "instanceType").empty();
}

const Json& member(const Json& object, const std::string& key) {
  static const Json none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

// USD an hour by the newest of these on-demand terms that is in force.
std::optional<UsdPerHour> on_demand_price(const Json& terms, const std::string& today, std::string& date) {
  std::optional<UsdPerHour> newest;
  for (const Json& term : terms) {
    const std::string since = date_of(text_of(term, "effectiveDate"), today);
    if (since > today || (newest && since <= date)) continue;
    for (const Json& dimension : member(term, "priceDimensions")) {
      if (text_of(dimension, "unit") != "Hrs") continue;
      if (const auto price = price_of(text_of(member(dimension, "pricePerUnit"), "USD"))) newest = price, date = since;
    }
  }
  return newest;
}

void add_product(const Json& attributes, const Json& terms, const PriceText& from, std::vector<InstanceOffer>& offers) {
  if (!is_plain_linux(attributes)) return;
  InstanceOffer offer;
  offer.region = text_of(attributes, "regionCode");
  offer.instance_type = text_of(attributes, "instanceType");
  const std::optional<UsdPerHour> price = on_demand_price(terms, from.today, offer.as_of);
  if (!price || offer.region.empty()) return;
  offer.price = *price;
  offer.vcpu = Cores(parse_number(text_of(attributes, "vcpu")).value_or(0));
  std::string memory = text_of(attributes, "memory");  // "7.5 GiB", "1,952 GiB"
  std::erase(memory, ',');
  offer.memory = Mebibytes(parse_number(memory.substr(0, memory.find(' '))).value_or(0) * 1024);
  offer.source = "price list";
  offers.push_back(std::move(offer));
}

// An offer file has hundreds of megabytes: what is no price of a plain node on demand is left out while it is read.
Json parse_price_list(std::string_view text) {
  std::string section, part;  // keys of the first two levels
  std::set<std::string> skus;
  const auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (depth == 1) section = key;
      if (depth == 2) part = key;
      if (section == "terms" && depth == 2) return key == "OnDemand";
      return section != "terms" || depth != 3 || skus.contains(key);
    }
    if (event != Json::parse_event_t::object_end || section != "products" || depth != 2) return true;
    if (!is_plain_linux(member(parsed, "attributes"))) return false;
    skus.insert(part);
    return true;
  };
  return Json::parse(text, keep, false);
}

Result<std::vector<InstanceOffer>> from_price_list(const PriceText& from) {
  const Result<Json> json = whole_json(from, parse_price_list(from.text));
  if (!json) return tl::unexpected(json.error());
  std::vector<InstanceOffer> offers;
  if (const Json* list = list_in(*json, "PriceList")) {
    for (const Json& entry : *list) {  // each product is an object, or an object as a text
      const Json product = entry.is_string() ? Json::parse(entry.get_ref<const std::string&>(), nullptr, false) : entry;
      add_product(member(member(product, "product"), "attributes"), member(member(product, "terms"), "OnDemand"), from,
                  offers);
    }
  } else {
    const Json& terms = member(member(*json, "terms"), "OnDemand");
    for (const auto& [sku, product] : member(*json, "products").items())
      add_product(member(product, "attributes"), member(terms, sku), from, offers);
  }
  if (offers.empty())
    return no_price(from,
                    "products with an on-demand price in USD by the hour, in a list PriceList or an offer file: ask "
                    "aws pricing get-products for --output json");
  return offers;
}

Result<std::vector<InstanceOffer>> read_prices(const PriceText& text) {
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

}  // namespace

Result<std::vector<InstanceOffer>> import_prices(const PriceText& text) {
  PriceText from = text;
  from.text = without_byte_order_mark(text.text);
  Result<std::vector<InstanceOffer>> offers = read_prices(from);
  // A price list names the currency of each price.
  if (!offers || text.format == PriceFormat::price_list) return offers;
  for (const InstanceOffer& offer : *offers)
    if (const std::string_view currency = currency_of_region(offer.region); currency != "USD")
      return fail(ErrorCode::invalid_input,
                  fmt::format("{}: found prices of {}, where the cloud names them in {}; allowed: prices in USD, for example "
                              "converted ones in a file for prices.file",
                              text.name, offer.region, currency));
  return offers;
}

}  // namespace lips

#include "config/price_sheet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "config/csv_table.h"
#include "config/quantities.h"
#include "config/ranges.h"
#include "config/text_file.h"

namespace lips {

namespace {

CapacityType capacity_type(CsvTable& table, std::size_t row) {
  const std::string& cell = table.text(row, "capacity_type");
  for (const CapacityType type : enumerators<CapacityType>)
    if (cell == to_string(type)) return type;
  if (!cell.empty()) table.problem(row, "capacity_type", "on-demand, spot");
  return CapacityType::on_demand;
}

std::string type_key(std::string_view region, std::string_view instance_type) {
  return std::string(region).append("\n").append(instance_type);
}

struct NetworkPrices {
  std::vector<TransferPrice> transfers;
  double storage = 0;
  std::map<std::string, double, std::less<>> items;
};

constexpr double requests_a_unit = 1000;  // the sheet has prices per thousand

Result<NetworkPrices> parse_network_prices(const std::string& file, const std::string& csv) {
  CsvTable table(file, csv, {"category", "item", "region_from", "region_to", "usd", "unit"});
  NetworkPrices result;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double usd = table.number(row, "usd");
    if (table.text(row, "category") == "network")
      result.transfers.push_back(
          {table.text(row, "item"), table.text(row, "region_from"), table.text(row, "region_to"), usd});
    if (const std::string& region = table.text(row, "region_from"); region == "us-east-1" || region == "any") {
      double& known = result.items[table.text(row, "item")];
      known = std::max(known, table.text(row, "unit") == "per_1000_requests" ? usd / requests_a_unit : usd);
    }
    if (table.text(row, "item") == "ebs_gp3_storage" && table.text(row, "region_from") == "us-east-1")
      result.storage = usd;
  }
  if (!table.is_sound()) return table.as_error();
  return result;
}

}  // namespace

PriceSheet::PriceSheet(std::vector<InstanceOffer> offers, std::vector<TransferPrice> transfers, double storage,
                       std::map<std::string, double, std::less<>> items)
    : offers_(std::move(offers)), transfers_(std::move(transfers)), storage_(storage), items_(std::move(items)) {
  index();
}

void PriceSheet::index() {
  by_type_.clear();
  for (std::uint32_t i = 0; i < offers_.size(); ++i)
    by_type_[type_key(offers_[i].region, offers_[i].instance_type)].push_back(i);
}

double PriceSheet::item(std::string_view name) const {
  const auto found = items_.find(name);
  return found == items_.end() ? 0 : found->second;
}

const InstanceOffer* PriceSheet::find(std::string_view region, std::string_view instance_type,
                                      std::string_view as_of) const {
  const InstanceOffer* best = nullptr;
  const auto found = by_type_.find(type_key(region, instance_type));
  if (found == by_type_.end()) return nullptr;
  for (const std::uint32_t i : found->second) {
    const InstanceOffer& offer = offers_[i];
    const bool wanted = offer.zone.empty() && offer.capacity_type == CapacityType::on_demand;
    if (wanted && (as_of.empty() || offer.as_of <= as_of) && (!best || best->as_of < offer.as_of)) best = &offer;
  }
  return best;
}

const InstanceOffer* PriceSheet::find_in(std::string_view region, std::string_view zone, std::string_view instance_type,
                                         CapacityType capacity_type) const {
  const InstanceOffer* best = nullptr;
  const auto found = by_type_.find(type_key(region, instance_type));
  if (found == by_type_.end()) return nullptr;
  const auto rank = [](const InstanceOffer& offer) { return std::pair(!offer.zone.empty(), offer.as_of); };
  for (const std::uint32_t i : found->second) {
    const InstanceOffer& offer = offers_[i];
    if (offer.capacity_type != capacity_type || (!offer.zone.empty() && offer.zone != zone)) continue;
    if (!best || rank(*best) < rank(offer)) best = &offer;
  }
  return best;
}

bool PriceSheet::knows_spot(std::string_view region, std::string_view instance_type) const {
  const auto found = by_type_.find(type_key(region, instance_type));
  return found != by_type_.end() && std::any_of(found->second.begin(), found->second.end(), [&](std::uint32_t i) {
           return offers_[i].capacity_type == CapacityType::spot;
         });
}

PriceSheet PriceSheet::with(std::vector<InstanceOffer> offers) const {
  const auto key = [](const InstanceOffer& offer) {
    return std::tie(offer.region, offer.instance_type, offer.zone, offer.capacity_type);
  };
  std::set<std::tuple<std::string, std::string, std::string, CapacityType>> replaced;
  for (InstanceOffer& offer : offers) {
    replaced.insert(key(offer));
    if (offer.vcpu.value() > 0) continue;
    if (const InstanceOffer* known = find(offer.region, offer.instance_type)) {
      offer.vcpu = known->vcpu, offer.ecu = known->ecu, offer.memory = known->memory;
      offer.network_gigabits = known->network_gigabits;
    }
  }
  PriceSheet sheet = *this;
  std::erase_if(sheet.offers_, [&](const InstanceOffer& old) { return replaced.contains(key(old)); });
  sheet.offers_.insert(sheet.offers_.end(), offers.begin(), offers.end());
  sheet.index();
  return sheet;
}

Result<PriceSheet> PriceSheet::with_file(const std::string& path) const {
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  Result<std::vector<InstanceOffer>> offers = parse_instance_prices(path, *text);
  if (!offers) return tl::unexpected(offers.error());
  return with(std::move(*offers));
}

std::vector<std::string_view> PriceSheet::instance_types(std::string_view region) const {
  std::vector<std::string_view> names;
  for (const InstanceOffer& offer : offers_)
    if (offer.region == region) names.push_back(offer.instance_type);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

double PriceSheet::cross_zone_usd_per_gigabyte() const {
  double total = 0;
  for (const TransferPrice& transfer : transfers_)
    if (transfer.item == "cross_az_out" || transfer.item == "cross_az_in") total += transfer.usd_per_gigabyte;
  return total;
}

std::optional<double> PriceSheet::cross_region_usd_per_gigabyte(std::string_view from, std::string_view to) const {
  for (const TransferPrice& transfer : transfers_)
    if (transfer.item == "inter_region_out" && transfer.from == from && transfer.to == to)
      return transfer.usd_per_gigabyte;
  return std::nullopt;
}

UsdPerMebibyteHour usd_per_gigabyte_month(double usd) {
  constexpr double hours_a_month = 730;
  return UsdPerMebibyteHour(usd / mebibytes_per_gigabyte / hours_a_month);
}

Result<std::vector<InstanceOffer>> parse_instance_prices(const std::string& file, const std::string& csv) {
  CsvTable table(file, csv, {"region", "instance_type", "usd_per_hour", "as_of"});
  std::vector<InstanceOffer> offers;
  for (std::size_t row = 0; row < table.size(); ++row) {
    InstanceOffer offer;
    offer.region = table.text(row, "region");
    offer.instance_type = table.text(row, "instance_type");
    offer.zone = table.text(row, "zone");
    offer.capacity_type = capacity_type(table, row);
    offer.vcpu = Cores(table.optional_number(row, "vcpu").value_or(0));
    offer.ecu = table.optional_number(row, "ecu");
    offer.memory = Mebibytes(table.optional_number(row, "memory_gib").value_or(0) * 1024);
    offer.network_gigabits = table.optional_number(row, "network_gbps");
    offer.price = UsdPerHour(table.number(row, "usd_per_hour"));
    offer.as_of = table.date(row, "as_of");
    offer.source = table.text(row, "source");
    offers.push_back(std::move(offer));
  }
  if (!table.is_sound()) return table.as_error();
  return offers;
}

std::string write_instance_prices(const std::vector<InstanceOffer>& offers) {
  const auto cell = [](double value) { return value > 0 ? fmt::format("{}", value) : std::string(); };
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    return out + '"';
  };
  std::string out =
      "region,instance_type,zone,capacity_type,vcpu,ecu,memory_gib,network_gbps,usd_per_hour,as_of,source\n";
  for (const InstanceOffer& offer : offers)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", quoted(offer.region), quoted(offer.instance_type),
                       quoted(offer.zone), to_string(offer.capacity_type), cell(offer.vcpu.value()), cell(offer.ecu.value_or(0)),
                       cell(offer.memory.value() / 1024), cell(offer.network_gigabits.value_or(0)), offer.price.value(),
                       offer.as_of, quoted(offer.source));
  return out;
}

Result<PriceSheet> read_price_sheet(const std::string& config_folder) {
  const std::string instances = config_folder + "/prices/ec2-on-demand.csv";
  const std::string network = config_folder + "/prices/network-storage.csv";
  const Result<std::string> instance_text = read_text_file(instances);
  if (!instance_text) return tl::unexpected(instance_text.error());
  const Result<std::string> network_text = read_text_file(network);
  if (!network_text) return tl::unexpected(network_text.error());
  Result<std::vector<InstanceOffer>> offers = parse_instance_prices(instances, *instance_text);
  if (!offers) return tl::unexpected(offers.error());
  Result<NetworkPrices> prices = parse_network_prices(network, *network_text);
  if (!prices) return tl::unexpected(prices.error());
  return PriceSheet(std::move(*offers), std::move(prices->transfers), prices->storage, std::move(prices->items));
}

Result<std::string> find_config_folder(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!given.empty()) {
    if (fs::is_directory(given, ignored)) return given;
    return fail(ErrorCode::not_found,
                fmt::format("--config-dir: found no folder '{}'; allowed: an existing folder", given));
  }
  if (const char* named = std::getenv("LIPS_CONFIG_DIR"); named && *named) {
    if (fs::is_directory(named, ignored)) return std::string(named);
    return fail(ErrorCode::not_found,
                fmt::format("LIPS_CONFIG_DIR: found no folder '{}'; allowed: an existing folder", named));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share" / "lips" / "config";
  if (fs::is_directory(installed / "prices", ignored)) return installed.string();
  if (fs::is_directory(LIPS_SOURCE_CONFIG_DIR, ignored)) return std::string(LIPS_SOURCE_CONFIG_DIR);
  return fail(
      ErrorCode::not_found,
      fmt::format("found no folder with the shipped configuration ({}); allowed: --config-dir or LIPS_CONFIG_DIR",
                  installed.string()));
}

}  // namespace lips

#include "invoice/invoice.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace lips {

namespace {

constexpr Duration hour = std::chrono::hours(1);

// Bills every started second, and at least the shortest billable life.
Duration billed(const NodeLife& life, const Tariff& tariff) {
  const Duration lived = std::max(Duration(0), life.ended - life.launched);
  const Duration whole = std::chrono::ceil<std::chrono::seconds>(lived);
  return std::max(whole, tariff.least_life);
}

using LineKey = std::tuple<std::string, ZoneId, CapacityType>;

// Hours of the on-demand nodes of one line within a clock hour, as far as no commitment covers them yet.
struct HourOfLine {
  std::size_t line = 0;
  double hours = 0;  // not covered yet
  Usd dollars;
};

// Takes that many hours off the entry and returns their on-demand cost.
Usd cover(HourOfLine& entry, double hours, NodeLine& line) {
  const Usd worth = entry.hours > 0 ? entry.dollars * (hours / entry.hours) : Usd(0);
  entry.hours -= hours, entry.dollars -= worth;
  line.covered_hours += hours, line.dollars -= worth;
  return worth;
}

// Zonal reservations first, then those for any zone, then the savings plan. An unused hour of them is lost.
Usd cover_hour(std::vector<HourOfLine>& entries, const Tariff& tariff, double share, std::vector<NodeLine>& lines) {
  Usd covered;
  for (const bool zonal : {true, false})
    for (const Reserved& reserved : tariff.reserved) {
      if (reserved.zone.valid() != zonal) continue;
      double left = reserved.count * share;
      for (HourOfLine& entry : entries) {
        NodeLine& line = lines[entry.line];
        if (line.instance_type != reserved.instance_type || (zonal && line.zone != reserved.zone)) continue;
        const double hours = std::min(left, entry.hours);
        covered += cover(entry, hours, line);
        left -= hours;
      }
    }
  Usd left = tariff.savings_plan.covers() * std::chrono::duration_cast<Duration>(hour * share);
  for (HourOfLine& entry : entries) {
    if (entry.dollars.value() <= 0 || left.value() <= 0) continue;
    const double part = std::min(1.0, left / entry.dollars);
    const Usd worth = cover(entry, entry.hours * part, lines[entry.line]);
    covered += worth, left -= worth;
  }
  return covered;
}

// Goes hour by hour, because unused hours of a commitment do not carry over.
Usd cover_nodes(const Usage& usage, const Tariff& tariff, const std::map<LineKey, std::size_t>& line_of,
                std::vector<NodeLine>& lines) {
  if (tariff.reserved.empty() && tariff.savings_plan.committed.value() <= 0) return Usd(0);
  std::map<std::int64_t, std::map<std::size_t, HourOfLine>> hours;
  TimePoint first = TimePoint::max();
  for (const NodeLife& life : usage.nodes) {
    first = std::min(first, life.launched);
    if (life.capacity_type != CapacityType::on_demand) continue;
    const std::size_t line = line_of.at({life.instance_type, life.zone, life.capacity_type});
    const TimePoint end = life.launched + billed(life, tariff);
    for (TimePoint at = life.launched; at < end;) {
      const std::int64_t number = at.time_since_epoch() / hour;
      const TimePoint next = std::min(end, TimePoint(hour * (number + 1)));
      HourOfLine& entry = hours[number].try_emplace(line, HourOfLine{line, 0, Usd(0)}).first->second;
      entry.hours += to_hours(next - at);
      entry.dollars += life.price * (next - at);
      at = next;
    }
  }
  Usd covered;
  const TimePoint last = first == TimePoint::max() ? first : first + usage.span;
  for (auto& [number, by_line] : hours) {
    const TimePoint begin(hour * number);
    const Duration within = std::min(last, begin + hour) - std::max(first, begin);
    std::vector<HourOfLine> entries;
    for (const auto& [line, entry] : by_line) entries.push_back(entry);
    covered += cover_hour(entries, tariff, std::clamp(to_hours(within), 0.0, 1.0), lines);
  }
  return covered;
}

void bill_nodes(const Usage& usage, const Tariff& tariff, Invoice& invoice) {
  std::map<LineKey, std::size_t> line_of;
  for (const NodeLife& life : usage.nodes) line_of[{life.instance_type, life.zone, life.capacity_type}];
  for (auto& [key, line] : line_of) {
    line = invoice.node_lines.size();
    const auto& [type, zone, capacity_type] = key;
    invoice.node_lines.push_back({type, zone, capacity_type, 0, 0, 0, Usd(0)});
  }
  for (const NodeLife& life : usage.nodes) {
    NodeLine& line = invoice.node_lines[line_of.at({life.instance_type, life.zone, life.capacity_type})];
    ++line.launches;
    line.hours += to_hours(billed(life, tariff));
    line.dollars += life.price * billed(life, tariff);
  }
  invoice.covered = cover_nodes(usage, tariff, line_of, invoice.node_lines);
  for (const NodeLine& line : invoice.node_lines) invoice.nodes += line.dollars;
}

void bill_transfer(const Usage& usage, const CostModel& costs, Invoice& invoice) {
  for (std::uint32_t from = 0; from < usage.sent.size(); ++from)
    for (std::uint32_t to = 0; to < usage.sent[from].size(); ++to) {
      const Mebibytes size = usage.sent[from][to];
      if (from == to || size.value() <= 0) continue;
      const Usd dollars = size * costs.transfer(ZoneId(from), ZoneId(to));
      invoice.transfer_lines.push_back({ZoneId(from), ZoneId(to), size, dollars});
      invoice.transfer += dollars;
    }
}

void bill_stores(const Usage& usage, const Tariff& tariff, const IdVector<StoreId, DataStore>& stores,
                 Invoice& invoice) {
  for (StoreId id : stores.ids()) {
    const DataStore& store = stores[id];
    StoreLine line{id, 0, {}, Usd(0), Usd(0)};
    if (usage.mebibyte_hours.contains(id)) {
      line.gigabyte_hours = usage.mebibyte_hours[id] / mebibytes_per_gigabyte;
      line.storage = Usd(usage.mebibyte_hours[id] * store.price.value());
    }
    if (usage.requests.contains(id)) {
      line.requests = usage.requests[id];
      const RequestPrice& price = tariff.requests[store.kind];
      line.request_dollars = price.read * static_cast<double>(line.requests.reads) +
                             price.write * static_cast<double>(line.requests.writes);
    }
    if (line.gigabyte_hours <= 0 && line.requests.reads + line.requests.writes == 0) continue;
    invoice.storage += line.storage, invoice.requests += line.request_dollars;
    invoice.store_lines.push_back(line);
  }
}

}  // namespace

Invoice make_invoice(const Usage& usage, const CostModel& costs, const Tariff& tariff,
                     const IdVector<StoreId, DataStore>& stores) {
  Invoice invoice;
  bill_nodes(usage, tariff, invoice);
  bill_transfer(usage, costs, invoice);
  bill_stores(usage, tariff, stores, invoice);
  return invoice;
}

}  // namespace lips

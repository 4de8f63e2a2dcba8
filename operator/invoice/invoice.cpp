#include "invoice/invoice.h"

#include <algorithm>
#include <set>

namespace lips {

namespace {

void bill_nodes(const Usage& usage, const Tariff& tariff, Invoice& invoice) {
  NodeHours hours(tariff);
  std::set<NodeKind> kinds;
  TimePoint first = TimePoint::max();
  for (const NodeLife& life : usage.nodes) {
    kinds.emplace(life.instance_type, life.zone, life.capacity_type);
    first = std::min(first, life.launched);
  }
  for (const NodeKind& kind : kinds) hours.line_of(kind);
  for (const NodeLife& life : usage.nodes) {
    const std::size_t line = hours.line_of({life.instance_type, life.zone, life.capacity_type});
    const TimePoint end = life.launched + billed_time(life.ended - life.launched, tariff.least_life);
    hours.launched(line);
    hours.add(line, life.price, life.launched, end);
  }
  const TimePoint last = usage.nodes.empty() ? first : first + usage.span;
  invoice.covered = hours.cover(first, last);
  invoice.node_lines = hours.lines();
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

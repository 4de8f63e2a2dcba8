#include "invoice/usage.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

constexpr Mebibytes request_size{8};  // part size of the usual S3 clients

}  // namespace

void Usage::send(ZoneId from, ZoneId to, Mebibytes size) {
  if (size.value() <= 0) return;
  if (sent.size() <= from.index()) sent.resize(from.index() + 1);
  std::vector<Mebibytes>& row = sent[from.index()];
  if (row.size() <= to.index()) row.resize(to.index() + 1);
  row[to.index()] += size;
}

void Usage::keep(StoreId store, Mebibytes size, Duration kept_for) {
  if (mebibyte_hours.size() <= store.index()) mebibyte_hours.resize(store.index() + 1);
  mebibyte_hours[store] += size.value() * to_hours(kept_for);
}

void Usage::request(StoreId store, Mebibytes size, bool write) {
  if (requests.size() <= store.index()) requests.resize(store.index() + 1);
  const auto parts = static_cast<std::uint64_t>(std::max(1.0, std::ceil(size / request_size - 1e-9)));
  (write ? requests[store].writes : requests[store].reads) += parts;
}

void Usage::read(const IdVector<StoreId, DataStore>& stores, StoreId from, ZoneId to, Mebibytes size) {
  send(stores[from].zone, to, size);
  if (is_bucket(stores[from].kind) && size.value() > 0) request(from, size, false);
}

void Usage::copy(const IdVector<StoreId, DataStore>& stores, StoreId from, StoreId to, Mebibytes size) {
  read(stores, from, stores[to].zone, size);
  if (is_bucket(stores[to].kind) && size.value() > 0) request(to, size, true);
}

}  // namespace lips

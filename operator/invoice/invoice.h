// The bill as a cloud writes it: node-seconds from launch to termination, bytes by the kinds of both ends, storage and
// requests, minus the cover of commitments. Turns facts into a value; knows no clock, plan or schedule.
#pragma once

#include <vector>

#include "invoice/node_hours.h"
#include "invoice/tariff.h"
#include "invoice/usage.h"
#include "model/costs.h"
#include "model/data.h"

namespace lips {

struct TransferLine {
  ZoneId from, to;
  Mebibytes size;
  Usd dollars;
};

struct StoreLine {
  StoreId store;
  double gigabyte_hours = 0;  // GB of 10^9 bytes
  RequestCount requests;
  Usd storage, request_dollars;
};

struct Invoice {
  Usd nodes, transfer, storage, requests;
  Usd covered;                       // at on-demand prices; the total excludes it, and the fees of commitments too
  std::vector<NodeLine> node_lines;  // by type, zone, capacity type
  std::vector<TransferLine> transfer_lines;  // between different zones
  std::vector<StoreLine> store_lines;
  Usd total() const { return nodes + transfer + storage + requests; }
};

Invoice make_invoice(const Usage& usage, const CostModel& costs, const Tariff& tariff,
                     const IdVector<StoreId, DataStore>& stores);

}  // namespace lips

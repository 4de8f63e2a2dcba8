// The figures on the status page of a running operator, as a plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "controller/operator_state.h"
#include "model/costs.h"
#include "model/invoice_so_far.h"
#include "model/own_targets.h"
#include "model/pool_use.h"
#include "model/targets.h"
#include "model/twin_report.h"
#include "model/work.h"
#include "telemetry/metrics/money_history.h"

namespace lips {

struct PoolFigures {
  std::string name;
  Bill spent;
  double cores = 0, share = 0;  // share: of all schedulable cores
  UsdPerHour rate;              // of what its tasks hold now
  std::uint64_t pending = 0, running = 0, finished = 0;
  std::optional<PoolStanding> standing = {};  // none: the policy has no shares
};

struct InvoiceFigures {
  InvoiceSoFar so_far;
  Usd idle;                                                     // of nodes on which nothing ran
  double task_core_hours = 0;                                   // that tasks held
  std::vector<std::pair<std::string, std::uint64_t>> unpriced;  // nodes that count at the default price, by type
};

struct OwnTargetFigures {
  std::size_t all = 0, at_risk = 0;    // targets of jobs that wait or run; at risk: not held
  std::vector<OwnTargetReport> worst;  // of those at risk, the worst first
};

struct OperatorFigures {
  std::string version, policy, cluster;
  bool leads = false, alive = true;
  OperatorState state;
  TimePoint now;  // by the cluster's clock
  std::uint64_t epochs = 0;
  double since_last_epoch = 0, since_start = 0;  // seconds
  std::string form;
  double epoch_seconds = 0, gap = 0;
  std::vector<std::pair<std::string, double>> stages;  // seconds
  std::int64_t rows = 0, columns = 0;
  bool bound_known = false;
  std::uint64_t nodes = 0, nodes_schedulable = 0;
  Bill spent;
  bool pays_for_nodes = true;  // plans are for the invoice, not for dollars by use
  InvoiceFigures invoice;
  std::vector<PoolFigures> pools;
  TwinState twin;
  std::vector<TargetReport> targets;
  OwnTargetFigures own_targets;                                // of jobs
  std::vector<MoneyPoint> money;                               // of the last day, oldest first; the last one is now
  std::vector<std::pair<std::string, std::uint64_t>> pending;  // by reason
  EnumArray<Locality, std::uint64_t> bound;
  std::uint64_t finished = 0, lost = 0, conflicts = 0;
  std::uint64_t moves_in_flight = 0, moves_committed = 0, moves_failed = 0, extra_copies = 0;
};

}  // namespace lips

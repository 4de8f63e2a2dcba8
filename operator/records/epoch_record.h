// One decision of an operator and all its inputs, as the text of a file. Knows no policy and no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/invoice_so_far.h"
#include "model/service_pods.h"
#include "policies/settings.h"
#include "records/ended_tasks.h"
#include "records/live_facts.h"
#include "records/snapshot_file.h"

namespace lips {

struct EpochRecord {
  std::uint64_t epoch = 0;
  std::string version;  // of the program that decided
  std::string policy;
  PolicySettings settings;
  std::uint64_t seed = 1;
  std::vector<NodeId> reporting;
  std::string digest;  // of the plan; empty in records of the first format, whose digests omitted fields
  std::uint64_t assignments = 0, moves = 0;
  double dollars = 0;
  std::optional<InvoiceSoFar> invoice;  // when the plan was made; absent in older records
  std::optional<RecordedEnds> ended;    // since the record before; absent in older records
  // Pods beside the tasks when the plan was made; absent in older records.
  std::optional<std::vector<ServicePods>> services;
  bool watched = false;  // other schedulers decided: the plan is that of `policy`, which stands for them
  SnapshotFile snapshot;
  std::optional<LiveFacts> live;  // in what a running operator serves; absent in a journal
};

std::string write_epoch(const EpochRecord& record);
Result<EpochRecord> read_epoch(const std::string& file, std::string_view text);

}  // namespace lips

// Snapshots: what is read, is written and reads as the same again; small ones are planned, and the plans are valid.
#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "records/snapshot_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips {

namespace {

void plan(const SnapshotFile& file, const char* name) {
  const auto policy = make_policy(name, {});
  FUZZ_CHECK(policy);
  const Result<Plan> plan = (*policy)->decide({file.cluster, file.costs, 1, {}});
  if (plan) FUZZ_CHECK(validate_plan(file.cluster, *plan).empty());
}

}  // namespace

FUZZ_TARGET(snapshot, json) {
  const Result<SnapshotFile> file = read_snapshot("snapshot.json", std::string(input));
  if (!file) return false;
  if (file->cluster.tasks.size() > 300 || file->cluster.nodes.size() > 50) return true;
  const std::string text = write_snapshot(file->cluster, file->costs);
  const Result<SnapshotFile> again = read_snapshot("snapshot.json", text);
  FUZZ_CHECK(again);
  FUZZ_CHECK(write_snapshot(again->cluster, again->costs) == text);
  plan(*file, "lips");
  plan(*file, "fifo");
  return true;
}

}  // namespace lips

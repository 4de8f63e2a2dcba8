// Records of the journal: what is read is replayed with the policy that it names, where it is small.
#include "policies/registry/registry.h"
#include "records/digest.h"
#include "records/epoch_record.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips {

FUZZ_TARGET(journal, json) {
  const Result<EpochRecord> record = read_epoch("epoch.json", std::string(input));
  if (!record) return false;
  const ClusterSnapshot& cluster = record->snapshot.cluster;
  if (cluster.tasks.size() > 300 || cluster.nodes.size() > 50) return true;
  const auto policy = make_policy(record->policy, record->settings);
  if (!policy) return false;
  const Result<Plan> plan = (*policy)->decide({cluster, record->snapshot.costs, record->seed, record->reporting});
  if (plan) FUZZ_CHECK(!plan_digest(*plan).empty());
  return true;
}

}  // namespace lips

// Looks at the work of other schedulers as records of a journal: the cluster as they use it, and which tasks ended in
// between. Knows no file and no clock.
#pragma once

#include <cstddef>
#include <optional>

#include "model/watched_cluster.h"
#include "records/ended_tasks.h"
#include "records/epoch_record.h"

namespace lips {

class WatchedRecords {
 public:
  // The record of a look, without policy, settings and invoice; none: nothing has changed since the last one.
  std::optional<EpochRecord> add(WatchedCluster seen);

 private:
  EndsCollector ended_;
  std::size_t mark_ = 0;  // of the last record
};

}  // namespace lips

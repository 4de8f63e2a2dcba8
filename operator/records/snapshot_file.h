// Snapshots as JSON files, which `lips generate snapshot` writes and `lips plan` reads. docs/snapshot-file.md describes
// the format. Knows no policy and no cluster.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "records/snapshot_content.h"

namespace lips {

// canonical: tables sorted by name (numbers in names by value), jobs by arrival, then name, so files with the same
// content in another order give equal snapshots. as_written keeps the ids of the file, as a replay must.
enum class SnapshotOrder : std::uint8_t { canonical, as_written };

// exact: includes state that recomputing would reproduce only nearly (sums with their rounding, orders). A policy that
// reads such a file as_written makes the same decision, bit for bit.
enum class SnapshotDetail : std::uint8_t { plain, exact };

std::string write_snapshot(const ClusterSnapshot& cluster, const CostModel& costs,
                           SnapshotDetail detail = SnapshotDetail::plain);
// Errors name `file`, the place in the JSON, what was found and what is allowed.
Result<SnapshotFile> read_snapshot(const std::string& file, std::string_view text,
                                   SnapshotOrder order = SnapshotOrder::canonical);

// Compressed when the name ends in .gz.
Result<void> save_snapshot(const std::string& path, const ClusterSnapshot& cluster, const CostModel& costs);
Result<SnapshotFile> load_snapshot(const std::string& path, SnapshotOrder order = SnapshotOrder::canonical);

}  // namespace lips

#include "records/snapshot_file.h"

#include <utility>

#include "config/text_file.h"
#include "records/json_text.h"
#include "records/snapshot_exact_json.h"
#include "records/snapshot_reader_json.h"
#include "records/snapshot_tables.h"
#include "records/snapshot_writer.h"

namespace lips {

std::string write_snapshot(const ClusterSnapshot& cluster, const CostModel& costs, SnapshotDetail detail) {
  JsonText out;
  out.open("", '{');
  out.field("format", std::string("lips-snapshot"));
  out.field("version", std::int64_t{1});
  write_tables(out, cluster, costs);
  if (detail == SnapshotDetail::exact) {
    out.line();
    out.json("exact", exact_part(cluster).dump());
  }
  out.close('}');
  out.line();
  return std::move(out).done();
}

Result<SnapshotFile> read_snapshot(const std::string& file, std::string_view text, SnapshotOrder order) {
  const auto json = json_tables::parse_json(file, text, "a lips-snapshot file");
  if (!json) return tl::unexpected(json.error());
  Problems problems(file);
  SnapshotTables tables = read_tables(*json, problems);
  if (!problems.empty()) return problems.error();
  if (order == SnapshotOrder::canonical) sort_by_name(tables);
  SnapshotFile snapshot = build_snapshot(std::move(tables), problems);
  if (problems.empty() && order == SnapshotOrder::as_written) restore_exact(*json, problems, snapshot.cluster);
  if (!problems.empty()) return problems.error();
  return snapshot;
}

Result<void> save_snapshot(const std::string& path, const ClusterSnapshot& cluster, const CostModel& costs) {
  return write_text_file(path, write_snapshot(cluster, costs));
}

Result<SnapshotFile> load_snapshot(const std::string& path, SnapshotOrder order) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return read_snapshot(path, *text, order);
}

}  // namespace lips

#include "records/snapshot_arrivals_json.h"

namespace lips {

using namespace json_tables;

namespace {

constexpr std::size_t cells_without_shuffle = 6, cells_without_pool = 7;  // files of earlier versions

}  // namespace

ArrivalMemory read_arrival_memory(const View& root) {
  if (!root.has("arrivals")) return {};
  const View table = root.at("arrivals");
  table.known({"work", "until"});
  return {CpuSeconds(table.at("work").value(Real{0, most_total})),
          time(table.at("until").value(Whole{-any_time, any_time}))};
}

std::vector<ExpectedWork> read_expected(const View& root, std::size_t data_sets, std::size_t pools) {
  std::vector<ExpectedWork> expected;
  if (!root.has("expected")) return expected;
  const View table = root.at("expected");
  for (std::size_t i = 0, rows = table.rows(cells_without_shuffle, ExpectedWork::fields.size()); i < rows; ++i) {
    const View row = table.item(i);
    expected.push_back({row.cell(0, Text{}), time(row.cell(1, Whole{-any_time, any_time})), row.cell(2, Real{0, 1}),
                        CpuSeconds(row.cell(3, Real{0, most_total})), id<DataSetId>(row.cell(4, id_below(data_sets))),
                        row.cell(5, Real{0, 1}),
                        Mebibytes(row.size() > cells_without_shuffle ? row.cell(6, Real{0, most_total}) : 0),
                        row.size() > cells_without_pool ? id<PoolId>(row.cell(7, id_below(pools))) : PoolId::none()});
  }
  return expected;
}

}  // namespace lips

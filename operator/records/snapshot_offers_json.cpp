#include "records/snapshot_offers_json.h"

#include <cstdint>

namespace lips {

using namespace json_tables;

namespace {

// The cells in files of earlier versions.
constexpr std::size_t cells_without_limit = 5, cells_without_machine = 6;

}  // namespace

LaunchLimits read_launch_limits(const View& root) {
  LaunchLimits limits;
  if (!root.has("launchLimits")) return limits;
  const View rows = root.at("launchLimits");
  for (std::size_t i = 0, count = rows.rows(3); i < count; ++i) {
    const View row = rows.item(i);
    limits.push_back({static_cast<std::uint32_t>(row.cell(0, Whole{0, std::int64_t{LaunchLimit::any_number}})),
                      Cores(row.cell(1, any_real)), Mebibytes(row.cell(2, any_real))});
  }
  return limits;
}

IdVector<OfferId, Offer> read_offers(const View& root, std::size_t nodes, std::size_t limits) {
  IdVector<OfferId, Offer> offers;
  if (!root.has("offers")) return offers;
  const View rows = root.at("offers");
  const Whole span{0, any_time};
  for (std::size_t i = 0, count = rows.rows(cells_without_limit, Offer::fields.size()); i < count; ++i) {
    const View row = rows.item(i);
    if (row.size() == cells_without_machine + 1) {
      row.problem("", "cores of a machine without its memory", "both or neither");
      continue;
    }
    Offer offer;
    offer.like = id<NodeId>(row.cell(0, index_below(nodes)));
    offer.left = static_cast<std::uint32_t>(row.cell(1, Whole{0, most_rows}));
    offer.boot = Duration(row.cell(2, span)), offer.idle = Duration(row.cell(3, span));
    offer.interruptions = row.cell(4, Real{0});
    if (row.size() > cells_without_limit) offer.within = id<LimitId>(row.cell(5, id_below(limits)));
    if (row.size() > cells_without_machine)
      offer.cores = Cores(row.cell(6, Real{0})), offer.memory = Mebibytes(row.cell(7, Real{0}));
    offers.push_back(offer);
  }
  return offers;
}

}  // namespace lips

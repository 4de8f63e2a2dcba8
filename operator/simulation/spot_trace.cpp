#include "simulation/spot_trace.h"

#include <algorithm>
#include <utility>

#include "config/csv_table.h"

namespace lips::simulation {

Result<SpotTrace> parse_spot_trace(const std::string& file, std::string_view csv) {
  CsvTable table(file, csv, {"zone", "from_s", "until_s", "running"});
  const NumberRange span{0, to_seconds(longest_duration)};
  SpotTrace trace;
  std::vector<SpotTrace::Outage> spells;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& zone = table.text(row, "zone");
    const double from = table.number(row, "from_s", span), until = table.number(row, "until_s", span);
    if (until < from) table.problem(row, "until_s", "not before from_s");
    const double running = table.number(row, "running", share_range);
    auto known = std::find(trace.zones.begin(), trace.zones.end(), zone);
    if (known == trace.zones.end()) known = trace.zones.insert(known, zone);
    if (running < 0.5 && until > from)
      spells.push_back(
          {static_cast<std::size_t>(known - trace.zones.begin()), TimePoint(seconds(from)), TimePoint(seconds(until))});
  }
  if (!table.is_sound()) return table.as_error();
  std::sort(spells.begin(), spells.end(),
            [](const auto& a, const auto& b) { return std::pair(a.zone, a.from) < std::pair(b.zone, b.from); });
  for (const SpotTrace::Outage& spell : spells) {
    if (!trace.outages.empty() && trace.outages.back().zone == spell.zone && trace.outages.back().until >= spell.from)
      trace.outages.back().until = std::max(trace.outages.back().until, spell.until);
    else
      trace.outages.push_back(spell);
  }
  return trace;
}

}  // namespace lips::simulation

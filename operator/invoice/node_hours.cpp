#include "invoice/node_hours.h"

#include <algorithm>
#include <utility>

namespace lips {

namespace {
constexpr Duration hour = std::chrono::hours(1);
}  // namespace

Duration billed_time(Duration lived, Duration least_life) {
  const Duration whole = std::chrono::ceil<std::chrono::seconds>(std::max(Duration(0), lived));
  return std::max(whole, least_life);
}

std::size_t NodeHours::line_of(const NodeKind& kind) {
  const auto [known, added] = line_of_.try_emplace(kind, lines_.size());
  if (added) {
    const auto& [type, zone, capacity_type] = kind;
    lines_.push_back({type, zone, capacity_type, 0, 0, 0, Usd(0)});
  }
  return known->second;
}

void NodeHours::add(std::size_t line, UsdPerHour price, TimePoint from, TimePoint to) {
  lines_[line].hours += to_hours(to - from);
  lines_[line].dollars += price * (to - from);
  if (lines_[line].capacity_type != CapacityType::on_demand || !tariff_.has_commitments()) return;
  for (TimePoint at = from; at < to;) {
    const std::int64_t number = at.time_since_epoch() / hour;
    const TimePoint next = std::min(to, TimePoint(hour * (number + 1)));
    if (number >= open_from_) {
      HourOfLine& entry = open_[number].try_emplace(line, HourOfLine{line, 0, Usd(0)}).first->second;
      entry.hours += to_hours(next - at);
      entry.dollars += price * (next - at);
    }
    at = next;
  }
}

// Takes that many hours off the entry and returns their on-demand cost.
Usd NodeHours::take(HourOfLine& entry, double hours) {
  const Usd worth = entry.hours > 0 ? entry.dollars * (hours / entry.hours) : Usd(0);
  entry.hours -= hours, entry.dollars -= worth;
  lines_[entry.line].covered_hours += hours, lines_[entry.line].dollars -= worth;
  return worth;
}

// Zonal reservations first, then those for any zone, then the savings plan. An unused hour of them is lost.
Usd NodeHours::cover_hour(std::vector<HourOfLine>& entries, double share) {
  Usd covered;
  for (const bool zonal : {true, false})
    for (const Reserved& reserved : tariff_.reserved) {
      if (reserved.zone.valid() != zonal) continue;
      double left = reserved.count * share;
      for (HourOfLine& entry : entries) {
        const NodeLine& line = lines_[entry.line];
        if (line.instance_type != reserved.instance_type || (zonal && line.zone != reserved.zone)) continue;
        const double hours = std::min(left, entry.hours);
        covered += take(entry, hours);
        left -= hours;
      }
    }
  Usd left = tariff_.savings_plan.covers() * std::chrono::duration_cast<Duration>(hour * share);
  for (HourOfLine& entry : entries) {
    if (entry.dollars.value() <= 0 || left.value() <= 0) continue;
    const double part = std::min(1.0, left / entry.dollars);
    const Usd worth = take(entry, entry.hours * part);
    covered += worth, left -= worth;
  }
  return covered;
}

// Goes hour by hour, because unused hours of a commitment do not carry over.
Usd NodeHours::cover(TimePoint first, TimePoint last, TimePoint until) {
  Usd covered;
  for (auto place = open_.begin(); place != open_.end() && TimePoint(hour * place->first) + hour <= until;
       place = open_.erase(place)) {
    const TimePoint begin(hour * place->first);
    const Duration within = std::min(last, begin + hour) - std::max(first, begin);
    std::vector<HourOfLine> entries;
    for (const auto& [line, entry] : place->second) entries.push_back(entry);
    covered += cover_hour(entries, std::clamp(to_hours(within), 0.0, 1.0));
    open_from_ = place->first + 1;
  }
  return covered;
}

}  // namespace lips

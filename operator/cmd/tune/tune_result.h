// The findings of lips tune, and its forms: text, JSON and a page. Reads no options and runs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/tune/price_curve.h"
#include "cmd/tune/workload.h"
#include "policies/settings.h"
#include "simulation/scenario.h"

namespace lips::cmd {

struct TuneResult {
  WorkloadKind kind = WorkloadKind::scenario;
  std::string name, description;
  std::size_t nodes = 0, jobs = 0;  // nodes at the start
  std::uint64_t seed = 1;
  Billing billing = Billing::invoice;  // the bill that counts
  double present = 1;                  // the price that is set now
  std::string weighed;                 // the pool whose weight varies; empty: none, and a price is recommended
  std::vector<CurvePoint> points;      // by variant, then price
  Wish wish;
  std::optional<PriceChoice> choice;
  std::vector<simulation::Assumption> assumptions;
  std::vector<std::string> not_run;  // labels, because of an interrupt

  const CurvePoint* chosen() const { return choice ? &points[choice->point] : nullptr; }
  // The point with the price that is set now and the other settings of the chosen one.
  const CurvePoint* present_point() const;
};

std::string_view bill_name(Billing billing);
std::string point_name(const CurvePoint& point);  // "2" or "2 with load=0.5"
// Why this point, in a sentence without its end.
std::string reason_text(const TuneResult& result);
// "4 % more dollars, mean completion 12 % less, mean wait 20 % less"; empty when it is the present one.
std::string against_present(const TuneResult& result);
// As the operator's configuration has them: the price, and the varied setting if it is one.
std::vector<std::string> setting_lines(const CurvePoint& point);
// "97.1 %" of what the pool may use while it wants something; "-" where it never does.
std::string used_text(const PoolPart& part);

std::string tune_text(const TuneResult& result);
std::string tune_json(const TuneResult& result);
std::string tune_page(const TuneResult& result);

}  // namespace lips::cmd

#include "cmd/tune/tune_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

std::string wish_text(const TuneResult& result) {
  const double amount = result.wish.amount;
  const bool held = result.choice->held;
  switch (result.wish.rule) {
    case ChoiceRule::hour:
      return fmt::format("the least dollars plus {} for each hour from a job's arrival to its end", page::usd(amount));
    case ChoiceRule::mean_wait:
      return held ? fmt::format("the least dollars with a mean wait of at most {}", page::duration(amount))
                  : fmt::format("no price tried has a mean wait of at most {}; this one is nearest",
                                page::duration(amount));
    case ChoiceRule::budget:
      return held ? fmt::format("the shortest mean wait for at most {} a day", page::usd(amount))
                  : fmt::format("no price tried costs at most {} a day; this one is nearest", page::usd(amount));
    case ChoiceRule::knee:
      break;
  }
  return "the knee of the curve: the least sum of dollars and mean wait, each scaled from 0 at its least to 1 at its "
         "most";
}

}  // namespace

const CurvePoint* TuneResult::present_point() const {
  const CurvePoint* chosen = this->chosen();
  for (const CurvePoint& point : points)
    if (point.present && point.unfinished.empty() && chosen && point.variant == chosen->variant) return &point;
  return nullptr;
}

std::string_view bill_name(Billing billing) { return billing == Billing::invoice ? "invoice" : "by use"; }

std::string point_name(const CurvePoint& point) {
  return fmt::format("{:g}{}", point.waiting_price, point.variant.empty() ? "" : " with " + point.variant);
}

// A choice at an end of the prices that the wish, not the shape of the curve, has led to.
std::string reason_text(const TuneResult& result) {
  std::string out = wish_text(result);
  if (result.wish.rule == ChoiceRule::knee) return out;
  const auto [low, high] = std::ranges::minmax_element(result.points, {}, &CurvePoint::waiting_price);
  const double price = result.chosen()->waiting_price;
  if (price == high->waiting_price && price > low->waiting_price) out += "; it is the highest price tried";
  if (price == low->waiting_price && price < high->waiting_price) out += "; it is the lowest price tried";
  return out;
}

std::string against_present(const TuneResult& result) {
  const CurvePoint *now = result.present_point(), *then = result.chosen();
  if (!now || !then || now == then) return "";
  const auto change = [](double value, double base) { return page::to_string(page::change(value, base)); };
  return fmt::format("dollars {}, mean completion {}, mean wait {}", change(then->dollars, now->dollars),
                     change(then->completion_mean, now->completion_mean), change(then->mean_wait, now->mean_wait));
}

std::vector<std::string> setting_lines(const CurvePoint& point) {
  std::vector<std::string> lines{fmt::format("policy.settings.waitingPrice: {:g}", point.waiting_price)};
  if (const std::size_t equals = point.variant.find('='); point.variant.starts_with("settings."))
    lines.push_back(fmt::format("policy.{}: {}", point.variant.substr(0, equals), point.variant.substr(equals + 1)));
  return lines;
}

std::string used_text(const PoolPart& part) {
  return part.entitled > 0 ? fmt::format("{:.1f} %", 100 * part.used / part.entitled) : "-";
}

}  // namespace lips::cmd

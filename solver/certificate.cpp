#include "solver/certificate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lips::solver {
namespace {

// A reduced cost that is 0 in exact arithmetic cancels to this fraction of the size of its terms.
constexpr double rounding = 1e-13;

double relative_violation(double value, double lower, double upper) {
  if (value < lower) return (lower - value) / std::max(1.0, std::abs(lower));
  if (value > upper) return (value - upper) / std::max(1.0, std::abs(upper));
  return 0;
}

double sanitized(double dual, double lower, double upper) {
  if (!std::isfinite(dual)) return 0;
  if (dual > 0 && lower == -infinity) return 0;
  if (dual < 0 && upper == infinity) return 0;
  return dual;
}

// Column bounds that the rows imply: they keep the feasible set and make the bound finite. Looks at one row at a time;
// sums leave out infinite terms and count them.
class ImpliedBounds {
 public:
  explicit ImpliedBounds(const LinearProgram& program)
      : program_(program), lower_(program.column_lower()), upper_(program.column_upper()) {}

  const std::vector<double>& lower() const { return lower_; }
  const std::vector<double>& upper() const { return upper_; }

  // Fills in infinite bounds only; false when nothing changed.
  bool improve() {
    sum_rows();
    bool changed = false;
    for (int j = 0; j < program_.columns(); ++j) {
      const double lower = lower_[j], upper = upper_[j];
      if (upper == infinity) upper_[j] = std::max(implied(j, true), lower);
      if (lower == -infinity) lower_[j] = std::min(implied(j, false), upper_[j]);
      changed = changed || upper_[j] != upper || lower_[j] != lower;
    }
    return changed;
  }

 private:
  struct Activity {
    double least = 0, most = 0;
    int least_infinite = 0, most_infinite = 0;
  };

  void sum_rows() {
    activity_.assign(program_.rows(), {});
    for_each_entry([&](int j, int i, double a) {
      const double low = a > 0 ? a * lower_[j] : a * upper_[j];
      const double high = a > 0 ? a * upper_[j] : a * lower_[j];
      Activity& row = activity_[i];
      if (low == -infinity)
        ++row.least_infinite;
      else
        row.least += low;
      if (high == infinity)
        ++row.most_infinite;
      else
        row.most += high;
    });
  }

  template <class Visit>
  void for_each_entry(Visit visit) const {
    for (int j = 0; j < program_.columns(); ++j)
      for (auto k = program_.column_start()[j]; k < program_.column_start()[j + 1]; ++k)
        visit(j, program_.row_index()[k], program_.value()[k]);
  }

  // Call only for an infinite side of column j: the column itself is then one of the infinite terms.
  double implied(int j, bool above) const {
    double best = above ? infinity : -infinity;
    for (auto k = program_.column_start()[j]; k < program_.column_start()[j + 1]; ++k) {
      const double a = program_.value()[k];
      const int i = program_.row_index()[k];
      const Activity& row = activity_[i];
      const bool by_upper = (a > 0) == above;  // the row's upper side limits the column
      const double side = by_upper ? program_.row_upper()[i] : program_.row_lower()[i];
      // The extreme without j, which contributes its other, possibly finite bound.
      const double own = by_upper ? (a > 0 ? a * lower_[j] : a * upper_[j]) : (a > 0 ? a * upper_[j] : a * lower_[j]);
      const bool own_infinite = std::isinf(own);
      const int infinite = (by_upper ? row.least_infinite : row.most_infinite) - (own_infinite ? 1 : 0);
      if (std::isinf(side) || infinite > 0) continue;
      const double others = (by_upper ? row.least : row.most) - (own_infinite ? 0 : own);
      double limit = (side - others) / a;
      // Rounding of the sum must not cut off feasible points.
      limit += (above ? 1 : -1) * 1e-9 * (std::abs(limit) + (std::abs(side) + std::abs(others)) / std::abs(a));
      best = above ? std::min(best, limit) : std::max(best, limit);
    }
    return best;
  }

  const LinearProgram& program_;
  std::vector<double> lower_, upper_;
  std::vector<Activity> activity_;
};

// min over the box of (c - A'u)'x; -infinity when a column would take an infinite side.
double least_over_box(const std::vector<double>& reduced_cost, const std::vector<double>& lower,
                      const std::vector<double>& upper) {
  long double sum = 0;
  for (std::size_t j = 0; j < reduced_cost.size(); ++j) {
    if (reduced_cost[j] == 0) continue;
    const double bound = reduced_cost[j] > 0 ? lower[j] : upper[j];
    if (std::isinf(bound)) return -infinity;
    sum += static_cast<long double>(reduced_cost[j]) * bound;
  }
  return static_cast<double>(sum);
}

double box_term(const LinearProgram& program, const std::vector<double>& reduced_cost) {
  const double plain = least_over_box(reduced_cost, program.column_lower(), program.column_upper());
  if (plain != -infinity) return plain;
  ImpliedBounds bounds(program);
  constexpr int rounds = 10;
  for (int round = 0; round < rounds && bounds.improve(); ++round) {
    const double implied = least_over_box(reduced_cost, bounds.lower(), bounds.upper());
    if (implied != -infinity) return implied;
  }
  return -infinity;
}

}  // namespace

Certificate certify(const LinearProgram& program, std::span<const double> primal, std::span<const double> row_dual) {
  Certificate result;
  std::vector<double> activity(program.rows(), 0), dual(program.rows(), 0), reduced_cost(program.columns());
  std::vector<int> undecided;  // columns whose reduced cost is 0 within rounding
  long double objective = 0, rows_term = 0;
  for (int i = 0; i < program.rows(); ++i) {
    const double lower = program.row_lower()[i], upper = program.row_upper()[i];
    dual[i] = sanitized(row_dual[i], lower, upper);
    if (dual[i] != 0) rows_term += static_cast<long double>(dual[i]) * (dual[i] > 0 ? lower : upper);
  }
  for (int j = 0; j < program.columns(); ++j) {
    double reduced = program.cost()[j], scale = std::abs(reduced);
    for (auto k = program.column_start()[j]; k < program.column_start()[j + 1]; ++k) {
      const double term = dual[program.row_index()[k]] * program.value()[k];
      reduced -= term;
      scale += std::abs(term);
      activity[program.row_index()[k]] += program.value()[k] * primal[j];
    }
    reduced_cost[j] = reduced;
    if (std::abs(reduced) <= rounding * scale) undecided.push_back(j);
    objective += static_cast<long double>(program.cost()[j]) * primal[j];
    result.column_violation = std::max(
        result.column_violation, relative_violation(primal[j], program.column_lower()[j], program.column_upper()[j]));
  }
  for (int i = 0; i < program.rows(); ++i)
    result.row_violation =
        std::max(result.row_violation, relative_violation(activity[i], program.row_lower()[i], program.row_upper()[i]));
  result.primal_objective = static_cast<double>(objective);
  for (const int j : undecided) {
    const double wanted = reduced_cost[j] > 0 ? program.column_lower()[j] : program.column_upper()[j];
    if (std::isinf(wanted)) reduced_cost[j] = 0;
  }
  const double box = box_term(program, reduced_cost);
  result.lower_bound = box == -infinity ? -infinity : static_cast<double>(rows_term + box);
  result.gap = (result.primal_objective - result.lower_bound) / std::max(std::abs(result.lower_bound), 1e-12);
  if (result.lower_bound == -infinity) result.gap = infinity;
  return result;
}

}  // namespace lips::solver

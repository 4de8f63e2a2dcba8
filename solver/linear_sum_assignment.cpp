#include "solver/linear_sum_assignment.h"

#include <algorithm>
#include <cstring>

namespace lips::solver {
namespace {

template <class Cost>
constexpr Cost never = std::numeric_limits<Cost>::infinity();
template <>
constexpr std::int64_t never<std::int64_t> = forbidden_pair;

// Larger than any label; marks columns that a search has finished with.
template <class Cost>
constexpr Cost beyond = std::numeric_limits<Cost>::infinity();
template <>
constexpr std::int64_t beyond<std::int64_t> = std::int64_t{1} << 60;

// Most blocks of a row improve nothing. Skips them two numbers at a time (compilers do not vectorise such a test).
constexpr int block = 32;

template <class Cost>
struct Lanes {
  typedef Cost Numbers __attribute__((vector_size(16)));       // NOLINT(modernize-use-using): of a type yet unknown
  typedef std::int64_t Mask __attribute__((vector_size(16)));  // NOLINT(modernize-use-using): as above
  static constexpr int count = 16 / sizeof(Cost);

  static Numbers load(const Cost* from) {
    Numbers numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return numbers;
  }
  static Numbers all(Cost number) { return Numbers{number, number}; }
};

// Says whether costs - duals + base < limits anywhere in the block.
template <class Cost>
bool any_below(const Cost* costs, const Cost* duals, const Cost* limits, Cost base) {
  using L = Lanes<Cost>;
  typename L::Mask below = {};
  for (int j = 0; j < block; j += L::count)
    below |= L::load(costs + j) - L::load(duals + j) + L::all(base) < L::load(limits + j);
  return (below[0] | below[1]) != 0;
}

template <class Cost>
bool any_below(const Cost* costs, const Cost* duals, Cost limit) {
  using L = Lanes<Cost>;
  typename L::Mask below = {};
  for (int j = 0; j < block; j += L::count) below |= L::load(costs + j) - L::load(duals + j) < L::all(limit);
  return (below[0] | below[1]) != 0;
}

// Has at most as many rows as columns. With more columns, the dual `v_` of a column stays 0 while it is unassigned.
template <class Cost>
class ShortestAugmentingPaths {
 public:
  ShortestAugmentingPaths(const Cost* cost, int rows, int columns)
      : cost_(cost),
        rows_(rows),
        columns_(columns),
        v_(columns, 0),
        column_of_(rows, -1),
        row_of_(columns, -1),
        shown_(columns),
        label_(columns),
        from_(columns),
        block_least_((columns + block - 1) / block) {}

  bool run() {
    int passes = 2;
    if (rows_ == columns_ && !reduce_columns()) passes = 0;
    std::vector<int> free;
    for (int i = 0; i < rows_; ++i)
      if (column_of_[i] < 0) free.push_back(i);
    for (int pass = 0; pass < passes && !free.empty(); ++pass) free = reduce_rows(free);
    return std::all_of(free.begin(), free.end(), [this](int row) { return augment(row); });
  }

  const std::vector<int>& column_of() const { return column_of_; }
  const std::vector<Cost>& column_dual() const { return v_; }
  Cost cost(int row, int column) const { return row_costs(row)[column]; }

 private:
  const Cost* row_costs(int row) const { return cost_ + static_cast<std::size_t>(row) * columns_; }

  void assign(int row, int column) {
    column_of_[row] = column;
    row_of_[column] = row;
  }

  // The dual of each column is its least cost; a row takes the last column that likes it best. Then rows with one such
  // column hand their slack to it ("reduction transfer"). If most rows have none, there are few distinct costs and many
  // ties: paths from a bare start are shorter, so this undoes everything and returns false.
  bool reduce_columns() {
    std::vector<int> least_row(columns_, 0), wishes(rows_, 0);
    std::copy(cost_, cost_ + columns_, v_.begin());
    for (int i = 1; i < rows_; ++i) {
      const Cost* costs = row_costs(i);
      for (int j = 0; j < columns_; ++j)
        if (costs[j] < v_[j]) {
          v_[j] = costs[j];
          least_row[j] = i;
        }
    }
    for (int j = columns_ - 1; j >= 0; --j) {
      if (v_[j] >= never<Cost>) {
        v_[j] = 0;
        continue;
      }
      if (wishes[least_row[j]]++ == 0) assign(least_row[j], j);
    }
    int without_slack = 0, with_slack = 0;
    for (int i = 0; i < rows_; ++i) {
      if (wishes[i] != 1) continue;
      const Cost* costs = row_costs(i);
      Cost slack = never<Cost>;
      for (int j = 0; j < columns_; ++j)
        if (j != column_of_[i]) slack = std::min(slack, costs[j] - v_[j]);
      ++(slack > 0 ? with_slack : without_slack);
      if (slack < never<Cost> / 2) v_[column_of_[i]] -= slack;
    }
    if (without_slack <= with_slack) return true;
    std::fill(v_.begin(), v_.end(), Cost{0});
    std::fill(column_of_.begin(), column_of_.end(), -1);
    std::fill(row_of_.begin(), row_of_.end(), -1);
    return false;
  }

  struct TwoLeast {
    Cost first = never<Cost>, second = never<Cost>;
    int first_column = -1, second_column = -1;
  };

  TwoLeast two_least(int row) const {
    const Cost* costs = row_costs(row);
    TwoLeast least;
    for (int begin = 0; begin < columns_; begin += block) {
      const int end = std::min(begin + block, columns_);
      if (end - begin == block && !any_below(costs + begin, v_.data() + begin, least.second)) continue;
      for (int j = begin; j < end; ++j) {
        const Cost reduced = costs[j] - v_[j];
        if (reduced >= least.second) continue;
        if (reduced < least.first) {
          least.second = least.first;
          least.second_column = least.first_column;
          least.first = reduced;
          least.first_column = j;
        } else {
          least.second = reduced;
          least.second_column = j;
        }
      }
    }
    return least;
  }

  // Augmenting row reduction: a row takes its best column and lowers the dual of it until the second best is as good.
  // The row that loses the column goes on at once, or in the next pass on a tie. The number of turns is capped, because
  // duals of doubles may creep.
  std::vector<int> reduce_rows(std::vector<int> waiting) {
    std::vector<int> later;
    std::int64_t turns = 4LL * rows_;
    std::reverse(waiting.begin(), waiting.end());
    while (!waiting.empty()) {
      const int row = waiting.back();
      waiting.pop_back();
      const TwoLeast least = two_least(row);
      if (turns-- <= 0 || least.first >= never<Cost> / 2 || least.second >= never<Cost> / 2) {
        later.push_back(row);
        continue;
      }
      int column = least.first_column;
      const Cost lowered = v_[column] - (least.second - least.first);
      const bool strict = lowered < v_[column];
      if (strict)
        v_[column] = lowered;
      else if (row_of_[column] >= 0)
        column = least.second_column;
      const int loser = row_of_[column];
      if (loser >= 0 && !strict && columns_ > rows_) {  // a tie settles nothing
        later.push_back(row);
        continue;
      }
      assign(row, column);
      if (loser < 0) continue;
      column_of_[loser] = -1;
      (strict ? waiting : later).push_back(loser);
    }
    return later;
  }

  // A Dijkstra search by reduced costs from a free row over columns to the nearest free column.
  bool augment(int free_row) {
    shown_ = v_;
    std::fill(label_.begin(), label_.end(), beyond<Cost>);
    std::fill(block_least_.begin(), block_least_.end(), beyond<Cost>);
    done_.clear();
    int row = free_row, column = -1;
    Cost base = 0, reached = 0;
    while (true) {
      relax(row, base);
      column = nearest();
      if (column < 0) return false;
      reached = label_[column];
      if (row_of_[column] < 0) break;
      row = row_of_[column];
      base = reached - (row_costs(row)[column] - v_[column]);
      close(column, reached);
    }
    for (const auto& [closed, distance] : done_) v_[closed] += distance - reached;
    while (true) {
      row = from_[column];
      const int previous = column_of_[row];
      assign(row, column);
      if (row == free_row) return true;
      column = previous;
    }
  }

  void relax(int row, Cost base) {
    const Cost* costs = row_costs(row);
    for (int begin = 0; begin < columns_; begin += block) {
      const int end = std::min(begin + block, columns_);
      if (end - begin == block && !any_below(costs + begin, shown_.data() + begin, label_.data() + begin, base))
        continue;
      Cost least = block_least_[begin / block];
      for (int j = begin; j < end; ++j) {
        const Cost distance = costs[j] - shown_[j] + base;
        if (distance >= label_[j]) continue;
        label_[j] = distance;
        from_[j] = row;
        least = std::min(least, distance);
      }
      block_least_[begin / block] = least;
    }
  }

  // A nearest column, preferably a free one.
  int nearest() const {
    const Cost least = *std::min_element(block_least_.begin(), block_least_.end());
    if (least >= never<Cost> / 2) return -1;
    int found = -1;
    for (std::size_t b = 0; b < block_least_.size(); ++b) {
      if (block_least_[b] != least) continue;
      const int begin = static_cast<int>(b) * block, end = std::min(begin + block, columns_);
      for (int j = begin; j < end; ++j) {
        if (label_[j] != least) continue;
        if (row_of_[j] < 0) return j;
        if (found < 0) found = j;
      }
    }
    return found;
  }

  // With so low a dual no later label of the column falls below `beyond`, whatever the sign of the costs.
  void close(int column, Cost distance) {
    done_.emplace_back(column, distance);
    shown_[column] = -2 * beyond<Cost>;
    label_[column] = beyond<Cost>;
    const int begin = column / block * block, end = std::min(begin + block, columns_);
    block_least_[column / block] = *std::min_element(label_.begin() + begin, label_.begin() + end);
  }

  const Cost* cost_;
  const int rows_, columns_;
  std::vector<Cost> v_;
  std::vector<int> column_of_, row_of_;
  std::vector<Cost> shown_, label_;
  std::vector<int> from_;
  std::vector<Cost> block_least_;
  std::vector<std::pair<int, Cost>> done_;
};

template <class Cost>
AssignmentSolution<Cost> solve_wide(const Cost* cost, int rows, int columns) {
  AssignmentSolution<Cost> solution;
  ShortestAugmentingPaths<Cost> paths(cost, rows, columns);
  solution.feasible = paths.run();
  solution.column_of_row.assign(paths.column_of().begin(), paths.column_of().end());
  if (!solution.feasible) return solution;
  solution.column_dual = paths.column_dual();
  solution.row_dual.resize(rows);
  for (int i = 0; i < rows; ++i) {
    const int j = solution.column_of_row[i];
    solution.row_dual[i] = paths.cost(i, j) - solution.column_dual[j];
    solution.cost += paths.cost(i, j);
  }
  return solution;
}

template <class Cost>
AssignmentSolution<Cost> solve_any(std::span<const Cost> cost, int rows, int columns) {
  if (rows <= columns) return solve_wide(cost.data(), rows, columns);
  std::vector<Cost> transposed(cost.size());
  constexpr int tile = 64;
  for (int first = 0; first < rows; first += tile)
    for (int j = 0; j < columns; ++j)
      for (int i = first; i < std::min(first + tile, rows); ++i)
        transposed[static_cast<std::size_t>(j) * rows + i] = cost[static_cast<std::size_t>(i) * columns + j];
  AssignmentSolution<Cost> solution = solve_wide(transposed.data(), columns, rows);
  std::vector<std::int32_t> column_of_row(rows, -1);
  for (int j = 0; j < columns; ++j)
    if (solution.column_of_row[j] >= 0) column_of_row[solution.column_of_row[j]] = j;
  solution.column_of_row = std::move(column_of_row);
  std::swap(solution.row_dual, solution.column_dual);
  return solution;
}

}  // namespace

AssignmentSolution<double> solve_assignment(std::span<const double> cost, std::int32_t rows, std::int32_t columns) {
  return solve_any(cost, rows, columns);
}

AssignmentSolution<std::int64_t> solve_assignment(std::span<const std::int64_t> cost, std::int32_t rows,
                                                  std::int32_t columns) {
  return solve_any(cost, rows, columns);
}

}  // namespace lips::solver
